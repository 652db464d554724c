// Package strictyaml decodes YAML so that every mistake is named with its file
// and line: fields that nobody knows, fields that stand there twice, values of
// another type. Document reads a file, Decode the whole of it or a part, such as
// the settings of one tool.
package strictyaml

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

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

// WithLine gives an error of the YAML reader the form of this package's. line
// is for an error without.
func WithLine(file string, line int, err error) error {
	if err == nil {
		return nil
	}
	line, reason := split(line, err)
	return fmt.Errorf("%s:%d: %s", file, line, reason)
}

// firstReason is the YAML reader's first line about an error.
func firstReason(err error) string {
	reason := err.Error()
	if typed, ok := errors.AsType[*yaml.TypeError](err); ok && len(typed.Errors) > 0 {
		reason = typed.Errors[0]
	}
	return strings.TrimPrefix(reason, "yaml: ")
}
