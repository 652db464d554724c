// Package actions is the document in which somebody outside proposes actions:
// holdpoint.actions/1. An agent hands one in as a file, and a model answers with
// one. actions.schema.json is the whole format.
//
// It says what is wanted and nothing about what that is worth: risk, delivery
// class, idempotency keys, approval and its limits come from tools and policy,
// and a document that has a field for them is refused. Reading is strict,
// because a mistake that is passed over is a mistake that somebody approves.
// Every mistake is a [Problem] with its place.
package actions

import (
	"bytes"
	_ "embed" // for the schema
	"encoding/json"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Format names the layout of a document.
const Format = "holdpoint.actions/1"

//go:embed actions.schema.json
var schemaJSON []byte

// Document is what somebody proposes.
type Document struct {
	Format  string   `json:"format"`
	Notes   []string `json:"notes,omitempty"` // for an approver; without effect
	Actions []Action `json:"actions"`
}

// Action is one proposed action.
type Action struct {
	ID         string          `json:"id"`
	Tool       string          `json:"tool"`
	Into       string          `json:"into,omitempty"` // one of the targets that the task allows the tool
	Parameters json.RawMessage `json:"parameters"`     // canonical JSON when Read returned it
	DependsOn  []string        `json:"depends_on,omitempty"`
	Documents  []string        `json:"documents,omitempty"` // "source/path" of those it was derived from
}

// Read reads one JSON document strictly: the format, nothing beside it, no
// member twice, ids that are unique, dependencies that exist and end. Its error
// is a *Problem, which wraps plan.ErrMalformed when raw is not one JSON value
// that means the same to every reader.
func Read(raw []byte) (Document, error) {
	var d Document
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return d, &Problem{Reason: err.Error(), cause: err}
	}
	if err := checkFormat(canonical); err != nil {
		return d, err
	}
	if err := json.Unmarshal(canonical, &d); err != nil {
		return d, problem(nil, "it cannot be decoded")
	}
	if err := d.checkOrder(); err != nil {
		return Document{}, err
	}
	return d, nil
}

// checkFormat compares a document with the schema and names the first place
// that does not fit.
func checkFormat(canonical []byte) error {
	schema, err := compile(schemaJSON)
	if err != nil {
		return problem(nil, "the format's own schema cannot be used: %s", err)
	}
	return mismatch(schema, canonical, nil)
}

func compile(raw []byte) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	const address = "urn:holdpoint:actions"
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(address, document); err != nil {
		return nil, err
	}
	return compiler.Compile(address)
}
