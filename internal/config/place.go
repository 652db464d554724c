package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// place is where a configuration was read; the zero place is no file.
type place struct {
	file    string
	root    *yaml.Node
	flagged map[string]bool // fields, joined by a NUL, that a flag has set instead
}

// ByFlag says that a flag has set a field: no line of the file is named for it
// any more.
func (c *Config) ByFlag(field ...string) {
	if c.place.flagged == nil {
		c.place.flagged = map[string]bool{}
	}
	c.place.flagged[strings.Join(field, "\x00")] = true
}

// At is where a field stands in the file, as errors begin: "file:line: ". It is
// empty for one that is not there or that a flag has set.
func (c *Config) At(field ...string) string {
	node := strictyaml.Field(c.place.root, field...)
	if node == nil || c.place.flagged[strings.Join(field, "\x00")] {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", c.place.file, node.Line)
}

// within is an error about a field with its place.
func (c *Config) within(field string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s%w", c.At(field), err)
}

// takePart takes a part out of the file that is read elsewhere, and under
// bounds of its own.
func takePart(document *yaml.Node, name string) *yaml.Node {
	root := strictyaml.Field(document)
	if root == nil || root.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == name {
			part := root.Content[i+1]
			root.Content[i+1] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: part.Line}
			return part
		}
	}
	return nil
}
