package tools

import "fmt"

// Registry holds the tools that a worker can use, by name. It never changes
// after NewRegistry, so it is safe for concurrent use.
type Registry struct {
	tools map[string]Tool
}

// NewRegistry takes each tool under the name that its Spec declares. A tool
// that is nil, has no name, or has the name of another is refused: which tool
// runs an action must not depend on the order of a list.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{tools: make(map[string]Tool, len(tools))}
	for i, t := range tools {
		if t == nil {
			return nil, fmt.Errorf("tool %d of the list is nil", i)
		}
		name := t.Spec().Name
		if name == "" {
			return nil, fmt.Errorf("tool %d of the list has no name", i)
		}
		if _, taken := r.tools[name]; taken {
			return nil, fmt.Errorf("two tools have the name %q", name)
		}
		r.tools[name] = t
	}
	return r, nil
}

// Get returns the tool of that name. Names match only as they are written.
func (r *Registry) Get(name string) (Tool, bool) {
	t, ok := r.tools[name]
	return t, ok
}
