package declared

import (
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// checkExpressions refuses expressions that fail on every action, or are always
// empty: those that read a parameter which the schema does not have, and those
// that do with one what its type does not allow. It reads the texts as they are
// written, whatever a kind makes of them; one that means the letters params.x
// and no parameter is written {{"params.x"}}.
func (s source) checkExpressions(d *Declaration, known schema) error {
	if known.compiled == nil {
		return nil
	}
	types, err := template.NewTypes(known.types)
	if err != nil {
		return s.fail("schema", "schema: %s", err)
	}
	c := expressions{source: s, names: known.names, types: types, seen: map[*yaml.Node]bool{}}
	for _, field := range []string{"target", "item"} {
		if node := strictyaml.Field(s.node, field); node != nil {
			c.text(node, types.CheckText)
		}
	}
	c.walk(d.settings()[d.Kind])
	return errors.Join(c.errs...)
}

// expressions goes through the texts of a declaration.
type expressions struct {
	source

	names []string // nil: any
	types *template.Types
	seen  map[*yaml.Node]bool // an alias is looked at where it was given its name
	errs  []error
}

func (c *expressions) walk(node *yaml.Node) {
	switch {
	case node == nil || c.seen[node]:
		return
	case node.Kind == yaml.AliasNode:
		c.walk(node.Alias)
		return
	case node.Kind == yaml.ScalarNode:
		c.text(node, c.types.Check)
	}
	c.seen[node] = true
	for _, inside := range node.Content {
		c.walk(inside)
	}
}

func (c *expressions) text(node *yaml.Node, check func(string) error) {
	for _, name := range template.Names(node.Value) {
		if c.names != nil && !slices.Contains(c.names, name) {
			c.errs = append(c.errs, c.failNode(node,
				"an expression reads the parameter %q, and the schema has only %s", name, strings.Join(c.names, ", ")))
			return
		}
	}
	if err := check(node.Value); err != nil {
		c.errs = append(c.errs, c.failNode(node, "%s", err))
	}
}
