package declared

import (
	"errors"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

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
	return s.failNode(strictyaml.Nearest(s.node, path...), format, args...)
}

func (s source) failNode(node *yaml.Node, format string, args ...any) error {
	return strictyaml.Fail(s.file, node, "tool "+s.tool+": "+format, args...)
}

// lacks reports a field that is not there, or says nothing.
func (s source) lacks(field string) bool {
	node := strictyaml.Field(s.node, field)
	return strictyaml.Absent(node) || node.Kind == yaml.ScalarNode && node.Value == ""
}

// check refuses a declaration that lacks something, or whose parts do not fit
// together. It returns the declaration's kind; nil when its settings cannot be
// read, because kind or class is not known.
func (s source) check(d *Declaration, kinds []Kind) (Kind, error) {
	var errs []error
	for _, field := range []string{"version", "kind", "class", "risk", "schema", "target"} {
		if s.lacks(field) {
			errs = append(errs, s.fail(field, "%s is missing", field))
		}
	}
	risks := plan.Risks()
	if !s.lacks("risk") && !slices.Contains(risks, d.Risk) {
		errs = append(errs, s.fail("risk", "there is no risk %q; there are %v", d.Risk, risks))
	}
	kind, err := s.kindOf(d, kinds)
	errs = append(errs, err, s.checkLimits(d), s.checkTarget(d))
	return kind, errors.Join(errs...)
}

// kindOf finds the declaration's kind, and holds class and settings to it.
func (s source) kindOf(d *Declaration, kinds []Kind) (Kind, error) {
	if s.lacks("kind") {
		return nil, nil //nolint:nilnil // said already
	}
	at := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name() == d.Kind })
	if at < 0 {
		var names []string
		for _, k := range kinds {
			names = append(names, k.Name())
		}
		return nil, s.fail("kind", "there is no kind %q; there are %v", d.Kind, names)
	}
	settings := s.checkSettings(d)
	if s.lacks("class") {
		return nil, settings
	}
	if classes := kinds[at].Classes(); !slices.Contains(classes, d.Class) {
		return nil, errors.Join(
			s.fail("class", "kind %s cannot keep the delivery class %q; it can keep %v", d.Kind, d.Class, classes), settings)
	}
	if settings != nil {
		return nil, errors.Join(settings, s.checkWindow(d))
	}
	return kinds[at], s.checkWindow(d)
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
