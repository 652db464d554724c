// Package strictyaml decodes YAML so that every mistake is named with its file
// and line: fields that nobody knows, fields that stand there twice, values of
// another type. The YAML reader does that for a whole file; this package does it
// for a part of one, such as the settings of one tool.
package strictyaml

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Decode fills out, a pointer to a struct or a map of them, from node. Fields
// carry the tag `yaml:"name"`. A type that has its own UnmarshalYAML sees to
// itself. Errors have the form "file:line: reason".
func Decode(file string, node *yaml.Node, out any) error {
	if Absent(node) {
		return nil
	}
	if node.Kind == yaml.DocumentNode {
		node = node.Content[0]
	}
	if err := known(file, node, reflect.TypeOf(out)); err != nil {
		return err
	}
	return WithLine(file, node.Line, node.Decode(out))
}

// Absent reports a node that was not given, or has nothing behind its name.
func Absent(node *yaml.Node) bool {
	switch {
	case node == nil || node.Kind == 0:
		return true
	case node.Kind == yaml.DocumentNode:
		return len(node.Content) == 0 || Absent(node.Content[0])
	default:
		return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
	}
}

// Field returns the node at a path of names and indexes, and nil when there is
// none.
func Field(node *yaml.Node, path ...string) *yaml.Node {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch {
	case node == nil:
		return nil
	case node.Kind == yaml.DocumentNode && len(node.Content) > 0:
		return Field(node.Content[0], path...)
	case len(path) == 0:
		return node
	case node.Kind == yaml.SequenceNode:
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(node.Content) {
			return Field(node.Content[i], path[1:]...)
		}
	case node.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == path[0] {
				return Field(node.Content[i+1], path[1:]...)
			}
		}
	}
	return nil
}

// Nearest returns the node at a path, and when there is none, the last one on
// the way to it.
func Nearest(node *yaml.Node, path ...string) *yaml.Node {
	for n := len(path); n >= 0; n-- {
		if found := Field(node, path[:n]...); found != nil {
			return found
		}
	}
	return node
}

// Fail is an error at a node.
func Fail(file string, node *yaml.Node, format string, args ...any) error {
	line := 1
	if node != nil {
		line = max(node.Line, 1)
	}
	return fmt.Errorf("%s:%d: %s", file, line, fmt.Sprintf(format, args...))
}

// WithLine gives an error of the YAML reader the form of this package's. The
// reader has the line in its text alone; line is for an error without.
func WithLine(file string, line int, err error) error {
	if err == nil {
		return nil
	}
	reason := err.Error()
	if typed, ok := errors.AsType[*yaml.TypeError](err); ok && len(typed.Errors) > 0 {
		reason = typed.Errors[0]
	}
	reason = strings.TrimPrefix(reason, "yaml: ")
	var named int
	if _, scanErr := fmt.Sscanf(reason, "line %d:", &named); scanErr == nil {
		line = named
		_, reason, _ = strings.Cut(reason, ": ")
	}
	return fmt.Errorf("%s:%d: %s", file, line, reason)
}

var ownReader = reflect.TypeFor[yaml.Unmarshaler]()

// known walks node along the type, and refuses fields that the type has not.
func known(file string, node *yaml.Node, t reflect.Type) error {
	for t.Kind() == reflect.Pointer && !t.Implements(ownReader) {
		t = t.Elem()
	}
	if t.Implements(ownReader) || reflect.PointerTo(t).Implements(ownReader) || t == reflect.TypeFor[yaml.Node]() {
		return nil
	}
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch {
	case node.Kind == yaml.MappingNode && (t.Kind() == reflect.Struct || t.Kind() == reflect.Map):
		return knownFields(file, node, t)
	case node.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for _, item := range node.Content {
			if err := known(file, item, t.Elem()); err != nil {
				return err
			}
		}
	}
	return nil
}

func knownFields(file string, node *yaml.Node, t reflect.Type) error {
	lines := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if first, twice := lines[key.Value]; twice {
			return Fail(file, key, "%s stands in line %d already", key.Value, first)
		}
		lines[key.Value] = key.Line
		of, names := member(t, key.Value)
		if of == nil {
			return Fail(file, key, "unknown field %q; known are %s", key.Value, strings.Join(names, ", "))
		}
		if err := known(file, value, of); err != nil {
			return err
		}
	}
	return nil
}

// member is the type of what has that name in a value of type t, and else the
// names that t knows.
func member(t reflect.Type, name string) (reflect.Type, []string) {
	if t.Kind() == reflect.Map {
		return t.Elem(), nil
	}
	return fieldOf(t, name)
}

// fieldOf finds the field of that name, and else the names that there are.
func fieldOf(t reflect.Type, name string) (reflect.Type, []string) {
	var names []string
	for field := range t.Fields() {
		tag, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if strings.Contains(options, "inline") {
			of, inner := fieldOf(field.Type, name)
			if of != nil {
				return of, nil
			}
			names = append(names, inner...)
			continue
		}
		if tag == name && tag != "-" {
			return field.Type, nil
		}
		if tag != "" && tag != "-" {
			names = append(names, tag)
		}
	}
	return nil, names
}
