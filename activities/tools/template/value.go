package template

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Value is a JSON value whose texts may hold expressions. A text that is one
// expression and nothing else becomes the expression's value, whatever its
// type: "{{params.labels}}" can be a list.
type Value struct {
	node any // map[string]any, []any, Text, or a scalar
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (v *Value) UnmarshalYAML(node *yaml.Node) (err error) {
	v.node, err = parseNode(node)
	return err
}

// IsZero reports a value that was not given.
func (v Value) IsZero() bool { return v.node == nil }

func parseNode(node *yaml.Node) (any, error) {
	switch node.Kind {
	case yaml.AliasNode:
		return parseNode(node.Alias)
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			member, err := parseNode(node.Content[i+1])
			if err != nil {
				return nil, err
			}
			object[node.Content[i].Value] = member
		}
		return object, nil
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range node.Content {
			parsed, err := parseNode(item)
			if err != nil {
				return nil, err
			}
			list = append(list, parsed)
		}
		return list, nil
	}
	if node.ShortTag() == "!!str" {
		text, err := Parse(node.Value)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", node.Line, err)
		}
		return text, nil
	}
	var scalar any
	err := node.Decode(&scalar)
	return scalar, err
}

// Render returns the value with its expressions filled in, for a JSON encoder.
func (v Value) Render(vars Vars) (any, error) { return render(v.node, vars) }

func render(node any, vars Vars) (any, error) {
	switch n := node.(type) {
	case map[string]any:
		object := make(map[string]any, len(n))
		for name, member := range n {
			value, err := render(member, vars)
			if err != nil {
				return nil, err
			}
			object[name] = value
		}
		return object, nil
	case []any:
		list := make([]any, len(n))
		for i, item := range n {
			value, err := render(item, vars)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	case Text:
		if whole := n.whole(); whole != nil {
			return whole.Eval(vars, nil)
		}
		return n.Render(vars, nil)
	default:
		return n, nil
	}
}
