package config

import (
	"errors"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// takeMisshapen takes the fields out of a file that are one text and have
// something else, such as a policy that is written out in its place. Its error
// says what each of them takes.
func takeMisshapen(file string, document *yaml.Node) error {
	var errs []error
	for _, field := range []struct{ name, takes string }{
		{"task_queue", "the name of a task queue"},
		{"policy", "the path of a policy file"},
		{"data", "the path of a folder"},
		{"ledger", "the address of a PostgreSQL database"},
		{"metrics", "HOST:PORT"},
	} {
		node := strictyaml.Field(document, field.name)
		if node == nil || node.Kind == yaml.ScalarNode {
			continue
		}
		takePart(document, field.name)
		errs = append(errs, strictyaml.Fail(file, node, "%s: %s is expected here, and not %s", field.name, field.takes, kindOf(node)))
	}
	return errors.Join(errs...)
}

func kindOf(node *yaml.Node) string {
	if node.Kind == yaml.SequenceNode {
		return "a list"
	}
	return "an object"
}
