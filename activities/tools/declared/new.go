package declared

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// New makes the tool of a declaration, which stands at node in file. Whatever
// is wrong with the declaration is an error with file and line. The caller
// closes the tool (io.Closer).
func New(name, file string, node *yaml.Node, kinds []Kind) (tools.Tool, error) {
	var d Declaration
	if err := strictyaml.Decode(file, node, &d); err != nil {
		return nil, err
	}
	s := source{tool: name, file: file, node: node}
	kind, err := s.check(&d, kinds)
	if err != nil {
		return nil, err
	}
	schema, err := s.compileSchema(&d.Schema)
	if err != nil {
		return nil, err
	}
	if err := s.checkNames(&d, schema); err != nil {
		return nil, err
	}
	t := &Tool{kind: d.Kind, schema: schema.compiled, target: d.Target, item: d.Item, spec: d.spec(name, schema)}
	if t.sender, err = kind.Open(t.spec, Settings{File: file, Node: d.settings()[d.Kind]}); err != nil {
		return nil, err
	}
	if finder, ok := t.sender.(Finder); ok {
		return findingTool{t, finder}, nil
	}
	if d.Class == plan.Lookup {
		return nil, errors.Join(
			s.fail("class", "class lookup needs a lookup in the %s settings, and there is none", d.Kind), t.sender.Close())
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

// source is where a declaration stands.
type source struct {
	tool, file string
	node       *yaml.Node
}

// fail is an error at a field, or at the declaration when it lacks the field.
func (s source) fail(field, format string, args ...any) error {
	return s.failAt([]string{field}, format, args...)
}

func (s source) failAt(path []string, format string, args ...any) error {
	return strictyaml.Fail(s.file, strictyaml.Nearest(s.node, path...), "tool "+s.tool+": "+format, args...)
}

// check refuses a declaration that lacks something, or whose parts do not fit
// together. It returns the declaration's kind.
func (s source) check(d *Declaration, kinds []Kind) (Kind, error) {
	for _, field := range []string{"version", "kind", "class", "risk", "schema", "target"} {
		if node := strictyaml.Field(s.node, field); strictyaml.Absent(node) || node.Kind == yaml.ScalarNode && node.Value == "" {
			return nil, s.fail(field, "%s is missing", field)
		}
	}
	at := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name() == d.Kind })
	if at < 0 {
		var names []string
		for _, k := range kinds {
			names = append(names, k.Name())
		}
		return nil, s.fail("kind", "there is no kind %q; there are %v", d.Kind, names)
	}
	kind := kinds[at]
	if !slices.Contains(kind.Classes(), d.Class) {
		return nil, s.fail("class", "kind %s cannot keep the delivery class %q; it can keep %v", d.Kind, d.Class, kind.Classes())
	}
	if risks := []plan.Risk{plan.LowRisk, plan.MediumRisk, plan.HighRisk}; !slices.Contains(risks, d.Risk) {
		return nil, s.fail("risk", "there is no risk %q; there are %v", d.Risk, risks)
	}
	for _, check := range []func(*Declaration) error{s.checkSettings, s.checkLimits, s.checkWindow, s.checkTarget} {
		if err := check(d); err != nil {
			return nil, err
		}
	}
	return kind, nil
}

// checkSettings wants the settings of the tool's kind, and of no other.
func (s source) checkSettings(d *Declaration) error {
	settings := d.settings()
	for _, kind := range slices.Sorted(maps.Keys(settings)) {
		given := settings[kind].Kind != 0
		switch {
		case given && kind != d.Kind:
			return s.fail(kind, "it has settings of kind %s, and is of kind %s", kind, d.Kind)
		case kind == d.Kind && strictyaml.Absent(settings[kind]):
			return s.fail(kind, "the settings of kind %s are missing: %s:", kind, kind)
		}
	}
	return nil
}
