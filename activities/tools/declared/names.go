package declared

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// checkNames refuses expressions that read a parameter which the schema does
// not have: they would fail, or be empty, on every action. It reads the texts
// as they are written, whatever a kind makes of them; one that means the letters
// params.x and no parameter is written {{"params.x"}}.
func (s source) checkNames(d *Declaration, known schema) error {
	if known.names == nil {
		return nil
	}
	for _, node := range []*yaml.Node{
		strictyaml.Field(s.node, "target"), strictyaml.Field(s.node, "item"), d.settings()[d.Kind],
	} {
		if err := s.checkNamesIn(node, known.names, 1); err != nil {
			return err
		}
	}
	return nil
}

func (s source) checkNamesIn(node *yaml.Node, names []string, depth int) error {
	switch {
	case node == nil:
		return nil
	case depth > maxSchemaDepth:
		return s.failNode(node, "more than %d levels", maxSchemaDepth)
	case node.Kind == yaml.AliasNode:
		return s.checkNamesIn(node.Alias, names, depth+1)
	case node.Kind == yaml.ScalarNode:
		for _, name := range template.Names(node.Value) {
			if !slices.Contains(names, name) {
				return s.failNode(node, "an expression reads the parameter %q, and the schema has only %s", name, strings.Join(names, ", "))
			}
		}
	}
	for _, inside := range node.Content {
		if err := s.checkNamesIn(inside, names, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (s source) failNode(node *yaml.Node, format string, args ...any) error {
	return strictyaml.Fail(s.file, node, "tool "+s.tool+": "+format, args...)
}
