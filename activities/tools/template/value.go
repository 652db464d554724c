package template

import (
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"
)

// Value is a JSON value whose texts may hold expressions. A text that is one
// expression and nothing else becomes the expression's value, whatever its
// type: "{{params.labels}}" can be a list.
type Value struct {
	node any // map[string]any, []any, Text, or a scalar
}

// maxDepth bounds the nesting of a value, and so ends an alias that is a part
// of itself.
const maxDepth = 100

// UnmarshalYAML implements yaml.Unmarshaler.
func (v *Value) UnmarshalYAML(node *yaml.Node) (err error) {
	v.node, err = parseNode(node, 1)
	return err
}

// IsZero reports a value that was not given.
func (v Value) IsZero() bool { return v.node == nil }

func parseNode(node *yaml.Node, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("line %d: more than %d levels of nesting", node.Line, maxDepth)
	}
	switch node.Kind {
	case yaml.AliasNode:
		return parseNode(node.Alias, depth+1)
	case yaml.MappingNode:
		return parseObject(node, depth)
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range node.Content {
			parsed, err := parseNode(item, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, parsed)
		}
		return list, nil
	default:
		return parseScalar(node)
	}
}

func parseScalar(node *yaml.Node) (any, error) {
	switch node.ShortTag() {
	case "!!str":
		text, err := Parse(node.Value)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", node.Line, err)
		}
		return text, nil
	case "!!timestamp":
		// JSON has no times: this is a text as it was written.
		return Text{source: node.Value, parts: []part{{literal: node.Value}}}, nil
	}
	var scalar any
	if err := node.Decode(&scalar); err != nil {
		return nil, err
	}
	if float, ok := scalar.(float64); ok && (math.IsNaN(float) || math.IsInf(float, 0)) {
		return nil, fmt.Errorf("line %d: JSON has no number %s", node.Line, node.Value)
	}
	return scalar, nil
}

func parseObject(node *yaml.Node, depth int) (any, error) {
	object, lines := map[string]any{}, map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name := node.Content[i]
		if name.Kind != yaml.ScalarNode || name.ShortTag() == "!!merge" {
			return nil, fmt.Errorf("line %d: a member's name must be a text", name.Line)
		}
		if first, twice := lines[name.Value]; twice {
			return nil, fmt.Errorf("line %d: %s stands in line %d already", name.Line, name.Value, first)
		}
		lines[name.Value] = name.Line
		member, err := parseNode(node.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		object[name.Value] = member
	}
	return object, nil
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
