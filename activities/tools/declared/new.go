package declared

import (
	"cmp"
	"errors"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// New makes the tool of a declaration, which stands at node in file. Whatever
// is wrong with the declaration is an error with file and line, all of it
// joined: who mends one mistake wants to know of the others. The caller closes
// the tool (io.Closer).
func New(name, file string, node *yaml.Node, kinds []Kind) (tools.Tool, error) {
	if err := strictyaml.CheckAliases(file, node); err != nil {
		return nil, err // nothing of it was read
	}
	var d Declaration
	s := source{tool: name, file: file, node: node}
	read := strictyaml.Decode(file, node, &d)
	kind, checked := s.check(&d, kinds)
	schema, compiled := s.compileSchema(&d.Schema)
	errs := []error{read, checked, compiled, s.checkExpressions(&d, schema)}
	if kind == nil {
		return nil, errors.Join(errs...)
	}
	t, err := s.open(&d, kind, schema)
	if err = errors.Join(append(errs, err)...); err != nil {
		if t != nil {
			err = errors.Join(err, t.Close())
		}
		return nil, err
	}
	if finder, ok := t.sender.(Finder); ok {
		return findingTool{t, finder}, nil
	}
	return t, nil
}

// open makes the tool with its sender, also of a declaration in which something
// else is wrong: the kind's settings have mistakes of their own.
func (s source) open(d *Declaration, kind Kind, schema schema) (*Tool, error) {
	spec := d.spec(s.tool, schema)
	var err error
	if spec.Digest, err = s.digest(d); err != nil {
		return nil, err
	}
	t := &Tool{kind: d.Kind, schema: schema.compiled, target: d.Target, item: d.Item, spec: spec}
	if t.sender, err = kind.Open(spec, Settings{File: s.file, Node: d.settings()[d.Kind]}); err != nil {
		return nil, err
	}
	if replacer, ok := t.sender.(Replacer); ok {
		t.spec.Replaces = replacer.Replaces()
	}
	if _, finds := t.sender.(Finder); d.Class == plan.Lookup && !finds {
		return t, s.fail("class", "class lookup needs a lookup in the %s settings, and there is none", d.Kind)
	}
	return t, nil
}

func (d *Declaration) spec(name string, s schema) tools.Spec {
	return tools.Spec{
		Name: name, Version: d.Version, Class: d.Class, Risk: d.Risk,
		Schema: s.canonical, SchemaDigest: plan.Sum(s.canonical),
		CallTimeout: cmp.Or(d.CallTimeout, defaultCallTimeout), Settle: d.Settle, KeyWindow: d.KeyWindow,
		MaxAttempts: cmp.Or(d.Retry.Attempts, 10),
		Retry: faults.Retry{
			Base: cmp.Or(d.Retry.Base, defaultBase), Max: cmp.Or(d.Retry.Max, defaultMax),
			MaxAfter: cmp.Or(d.Retry.MaxAfter, time.Minute), Budget: cmp.Or(d.Retry.Budget, 30*time.Minute),
		},
		Concurrency: cmp.Or(d.Concurrency, 8), Rate: d.Rate,
	}
}
