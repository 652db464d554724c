package config

import (
	"errors"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// Tool is a declared tool as it stands in the file. What it means is read
// where tools are made: the programs that only start and approve runs need to
// know nothing of it.
type Tool struct {
	Name string
	File string
	Line int // of its name
	Node *yaml.Node
}

// Tools are the declared tools, in the file's order.
type Tools []Tool

// readTools reads what in the file is a map of declarations by name.
func readTools(file string, node *yaml.Node) (Tools, error) {
	if strictyaml.Absent(node) {
		return nil, nil
	}
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Kind != yaml.MappingNode {
		return nil, strictyaml.Fail(file, node, "tools: declare each tool under its name")
	}
	var tools Tools
	lines := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name := node.Content[i]
		if first, twice := lines[name.Value]; twice {
			return nil, strictyaml.Fail(file, name, "tools: %s stands in line %d already", name.Value, first)
		}
		lines[name.Value] = name.Line
		tools = append(tools, Tool{Name: name.Value, File: file, Line: name.Line, Node: node.Content[i+1]})
	}
	return tools, nil
}

// PagesTool is the tool that writes to the repositories of a configuration.
// No other has its name.
const PagesTool = "gitpages"

// toolName is the rule that a task's tools are named by, see workflows.Task.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

const maxToolName = 64

// CheckToolName refuses a name that no task could use, and the one that is
// taken.
func CheckToolName(name string) error {
	switch {
	case name == PagesTool:
		return fmt.Errorf("the name %s is that of the tool for repositories: choose another", name)
	case !toolName.MatchString(name) || len(name) > maxToolName:
		return fmt.Errorf("name %q: use at most %d letters, digits, '.', '_' and '-'", name, maxToolName)
	default:
		return nil
	}
}

func (t Tools) validate() error {
	var errs []error
	for _, tool := range t {
		if err := CheckToolName(tool.Name); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: tools: %w", tool.File, tool.Line, err))
		}
	}
	return errors.Join(errs...)
}
