package declared

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// schema is a parameter schema, ready to check.
type schema struct {
	canonical json.RawMessage
	compiled  *jsonschema.Schema
	// names are the parameters that there are; nil when others may come.
	names []string
	types map[string]template.Type
}

const draft = "https://json-schema.org/draft/2020-12/schema"

// compileSchema reads a schema written in YAML. It is zero when there is none:
// that is said elsewhere.
func (s source) compileSchema(node *yaml.Node) (schema, error) {
	if strictyaml.Absent(node) {
		return schema{}, nil
	}
	written, err := strictyaml.JSON(s.file, node)
	if err != nil {
		return schema{}, err
	}
	canonical, err := plan.Canonicalize(written)
	if err != nil {
		return schema{}, s.fail("schema", "schema: %s", err)
	}
	if err := s.checkKeywords(node, 1); err != nil {
		return schema{}, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if err != nil {
		return schema{}, s.fail("schema", "schema: %s", err)
	}
	compiled, err := compile(document)
	if err != nil {
		return schema{}, s.schemaError(node, err)
	}
	if kind := strictyaml.Field(node, "type"); kind == nil || kind.Value != "object" {
		return schema{}, s.schemaFail(strictyaml.Nearest(node, "type"), "its type must be object")
	}
	if loop := findLoop(compiled); loop != nil {
		return schema{}, s.schemaFail(strictyaml.Nearest(node, pointer(loop)...),
			"%s", located(pointer(loop), "it leads back to itself before it looks at any part of a value"))
	}
	return schema{canonical: canonical, compiled: compiled, names: closedNames(document), types: typesIn(document)}, nil
}

// compile uses draft 2020-12 whatever the schema says, checks formats, and
// loads nothing.
func compile(document any) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(address, document); err != nil {
		return nil, err
	}
	return compiler.Compile(address)
}

// address is the schema's own, and leads nowhere.
const address = "urn:holdpoint:parameters"

// noLoader keeps the compiler from the network and from files.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("a schema refers to nothing outside itself")
}

// schemaError says what is wrong with a schema and, where the compiler tells
// it, in which line.
func (s source) schemaError(node *yaml.Node, err error) error {
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		err = invalid.Err
	}
	if problem, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		deepest := deepestCause(problem)
		return s.schemaFail(strictyaml.Nearest(node, deepest.InstanceLocation...), "%s", located(deepest.InstanceLocation, describeInSchema(deepest)))
	}
	reason, _, _ := strings.Cut(err.Error(), "\n")
	return s.schemaFail(node, "%.300s", strings.ReplaceAll(reason, address, ""))
}

func (s source) schemaFail(node *yaml.Node, format string, args ...any) error {
	return strictyaml.Fail(s.file, node, "tool "+s.tool+": schema: "+format, args...)
}

// closedNames lists a schema's parameters when it allows no others.
func closedNames(document any) []string {
	object, ok := document.(map[string]any)
	if !ok {
		return nil
	}
	_, patterns := object["patternProperties"]
	if closed, ok := object["additionalProperties"].(bool); !ok || closed || patterns {
		return nil
	}
	names := []string{}
	properties, _ := object["properties"].(map[string]any)
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// typesIn says of which type all values of a parameter are, where the schema
// says it in one word.
func typesIn(document any) map[string]template.Type {
	object, _ := document.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	types := map[string]template.Type{}
	for name, property := range properties {
		keywords, _ := property.(map[string]any)
		word, _ := keywords["type"].(string)
		types[name] = typeWords[word]
	}
	return types
}

var typeWords = map[string]template.Type{
	"string": template.TextType, "boolean": template.TruthType, "array": template.ListType, "object": template.ObjectType,
}
