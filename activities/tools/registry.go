package tools

import (
	"context"
	"fmt"
)

// Registry holds the tools that a worker can use, by name, and keeps their
// limits. It is safe for concurrent use.
type Registry struct {
	tools map[string]Tool
	gates map[string]*gate
}

// NewRegistry takes each tool under the name that its Spec declares. A tool
// that is nil, has no name, or has the name of another is refused: which tool
// runs an action must not depend on the order of a list.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{tools: make(map[string]Tool, len(tools)), gates: make(map[string]*gate, len(tools))}
	for i, t := range tools {
		if t == nil {
			return nil, fmt.Errorf("tool %d of the list is nil", i)
		}
		spec := t.Spec()
		name := spec.Name
		if name == "" {
			return nil, fmt.Errorf("tool %d of the list has no name", i)
		}
		if _, taken := r.tools[name]; taken {
			return nil, fmt.Errorf("two tools have the name %q", name)
		}
		r.tools[name], r.gates[name] = t, newGate(spec)
	}
	return r, nil
}

// Get returns the tool of that name. Names match only as they are written.
func (r *Registry) Get(name string) (Tool, bool) {
	t, ok := r.tools[name]
	return t, ok
}

// Enter waits until the tool of that name may begin one more call under its
// limits, or until ctx ends; its error is then ctx's. The caller calls leave
// when the call has ended.
func (r *Registry) Enter(ctx context.Context, name string) (leave func(), err error) {
	g, ok := r.gates[name]
	if !ok {
		return nil, fmt.Errorf("there is no tool %q", name)
	}
	return g.enter(ctx)
}
