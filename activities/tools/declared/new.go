package declared

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// New makes the tool of a declaration, which stands at node in file. Whatever
// is wrong with the declaration is an error with file and line. The caller
// closes the tool (io.Closer).
func New(name, file string, node *yaml.Node, kinds []Kind) (tools.Tool, error) {
	var d Declaration
	if err := strictyaml.Decode(file, node, &d); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name() == d.Kind })
	if at < 0 {
		return nil, strictyaml.Fail(file, node, "tool %s: there is no kind %q", name, d.Kind)
	}
	kind := kinds[at]
	if !slices.Contains(kind.Classes(), d.Class) {
		return nil, strictyaml.Fail(file, node, "tool %s: kind %s cannot keep the delivery class %q; it can keep %v", name, d.Kind, d.Class, kind.Classes())
	}
	canonical, schema, err := compile(file, &d.Schema)
	if err != nil {
		return nil, err
	}
	t := &Tool{
		schema: schema, target: d.Target, item: d.Item,
		spec: tools.Spec{
			Name: name, Version: d.Version, Class: d.Class, Risk: d.Risk,
			Schema: canonical, SchemaDigest: plan.Sum(canonical),
			CallTimeout: cmp.Or(d.CallTimeout, 30*time.Second), Settle: d.Settle, KeyWindow: d.KeyWindow,
			MaxAttempts: cmp.Or(d.Retry.Attempts, 10),
			Retry: faults.Retry{
				Base: cmp.Or(d.Retry.Base, 200*time.Millisecond), Max: cmp.Or(d.Retry.Max, 10*time.Second),
				MaxAfter: cmp.Or(d.Retry.MaxAfter, time.Minute), Budget: cmp.Or(d.Retry.Budget, 30*time.Minute),
			},
			Concurrency: cmp.Or(d.Concurrency, 8), Rate: d.Rate,
		},
	}
	if t.sender, err = kind.Open(t.spec, Settings{File: file, Node: d.settings()}); err != nil {
		return nil, err
	}
	if finder, ok := t.sender.(Finder); ok {
		return findingTool{t, finder}, nil
	}
	return t, nil
}

// settings are those of the declaration's kind.
func (d *Declaration) settings() *yaml.Node {
	switch d.Kind {
	case "http":
		return &d.HTTP
	case "postgres":
		return &d.Postgres
	case "nats":
		return &d.NATS
	case "smtp":
		return &d.SMTP
	default:
		return &d.Object
	}
}

// compile turns a schema written in YAML into its canonical JSON and its
// validator.
func compile(file string, node *yaml.Node) (json.RawMessage, *jsonschema.Schema, error) {
	var value any
	if err := node.Decode(&value); err != nil {
		return nil, nil, strictyaml.WithLine(file, node.Line, err)
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, nil, strictyaml.Fail(file, node, "schema: %s", err)
	}
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return nil, nil, strictyaml.Fail(file, node, "schema: %s", err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(canonical))
	if err != nil {
		return nil, nil, strictyaml.Fail(file, node, "schema: %s", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	const address = "parameters.schema.json"
	if err := compiler.AddResource(address, document); err != nil {
		return nil, nil, strictyaml.Fail(file, node, "schema: %s", err)
	}
	schema, err := compiler.Compile(address)
	if err != nil {
		return nil, nil, strictyaml.Fail(file, node, "schema: %s", err)
	}
	return canonical, schema, nil
}
