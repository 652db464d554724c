package httpapi

import (
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// expressionsIn are the expressions of a text.
var expressionsIn = regexp.MustCompile(`\{\{.*?\}\}`)

// mentions reports whether an expression in the request at path names a
// variable.
func (c checker) mentions(path []string, variable string) bool {
	request := strictyaml.Field(c.Node, path...)
	return slices.ContainsFunc([]string{"url", "headers", "body", "form", "text"}, func(field string) bool {
		return mentions(strictyaml.Field(request, field), variable)
	})
}

func mentions(node *yaml.Node, variable string) bool {
	if node == nil {
		return false
	}
	if node.Kind == yaml.ScalarNode {
		return slices.ContainsFunc(expressionsIn.FindAllString(node.Value, -1), func(expression string) bool {
			return names(expression, variable)
		})
	}
	return slices.ContainsFunc(node.Content, func(inner *yaml.Node) bool { return mentions(inner, variable) })
}

// names reports whether an expression has a variable's name in it, as a word
// of its own that is nobody's member.
func names(expression, variable string) bool {
	return regexp.MustCompile(`(^|[^.\w])` + regexp.QuoteMeta(variable) + `\b`).MatchString(expression)
}
