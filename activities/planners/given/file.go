package given

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// maxBytes bounds the file, like the plan that is made of it.
const maxBytes = plan.MaxBytes

// document is what the file says, see actions.schema.json.
type document struct {
	Notes   []string `json:"notes"`
	Actions []action `json:"actions"`
}

type action struct {
	ID         string          `json:"id"`
	Tool       string          `json:"tool"`
	Into       string          `json:"into"`
	Parameters json.RawMessage `json:"parameters"`
	DependsOn  []string        `json:"depends_on"`
}

// file is the document that holds the actions.
type file struct {
	planners.Document
	node *yaml.Node // of a YAML file, for its lines
}

// find returns the one document that holds actions.
func find(documents []planners.Document) (*file, error) {
	var found []*file
	for _, d := range documents {
		if base := path.Base(d.Path); base == "actions.json" || base == "actions.yaml" {
			found = append(found, &file{Document: d})
		}
	}
	switch {
	case len(found) == 0:
		return nil, refuse("no_actions", "none of the task's %d documents is named actions.json or actions.yaml", len(documents))
	case len(found) > 1:
		return nil, refuse("ambiguous_actions", "%d documents hold actions, among them %s and %s: name one of them in the task's context",
			len(found), found[0].name(), found[1].name())
	}
	return found[0], nil
}

// name is the file's for people, in one line.
func (f *file) name() string { return plan.Escape(plan.Clip(f.Source+"/"+f.Path, 200)) }

func (f *file) digest() string {
	if f.Digest.IsZero() {
		return ""
	}
	return ", " + f.Digest.String()
}

// fail is a fault at a place in the file.
func (f *file) fail(at []string, format string, args ...any) error {
	where := f.name()
	if f.node != nil {
		where += fmt.Sprintf(":%d", strictyaml.Nearest(f.node, at...).Line)
	}
	if len(at) > 0 {
		where += ": " + pointer(at)
	}
	return refuse("bad_actions", "%s: %s", where, fmt.Sprintf(format, args...))
}

// pointer writes a place as a JSON Pointer (RFC 6901), for people: names that
// somebody made up are shortened and shown with their controls visible.
func pointer(at []string) string {
	var b strings.Builder
	for _, step := range at {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(plan.Escape(plan.Clip(step, 100))))
	}
	return b.String()
}

// read reads the file strictly.
func (f *file) read() (document, error) {
	var d document
	switch {
	case len(f.Text) > maxBytes:
		return d, f.fail(nil, "the file has %d bytes; at most %d are read", len(f.Text), maxBytes)
	case strings.ContainsRune(f.Text, '\uFFFD'):
		return d, f.fail(nil, "the file is no clean UTF-8: it holds U+FFFD, the mark of a byte that could not be read")
	}
	raw, err := f.json()
	if err != nil {
		return d, err
	}
	if err := f.validate(raw); err != nil {
		return d, err
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return d, f.fail(nil, "it cannot be decoded")
	}
	return d, nil
}

// json is the file as JSON that means one thing to every reader.
func (f *file) json() ([]byte, error) {
	raw := []byte(f.Text)
	if path.Ext(f.Path) == ".yaml" {
		var err error
		if raw, err = f.yamlAsJSON(); err != nil {
			return nil, err
		}
	}
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return nil, f.fail(nil, "the file is %s", err)
	}
	return canonical, nil
}

func (f *file) yamlAsJSON() ([]byte, error) {
	decoder := yaml.NewDecoder(strings.NewReader(f.Text))
	var node yaml.Node
	if err := decoder.Decode(&node); errors.Is(err, io.EOF) {
		return nil, f.fail(nil, "the file is empty")
	} else if err != nil {
		return nil, refuse("bad_actions", "%s", strictyaml.WithLine(f.name(), 1, err))
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, f.fail(nil, "the file holds more than one document")
	}
	f.node = &node
	raw, err := strictyaml.JSON(f.name(), &node)
	if err != nil {
		return nil, refuse("bad_actions", "%s", err)
	}
	return raw, nil
}

// validate checks the file against its schema, and names the first place that
// does not fit.
func (f *file) validate(raw []byte) error {
	schema, err := compileSchema()
	if err != nil {
		return refuse("bad_actions", "the format's own schema cannot be used: %s", err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err == nil {
		err = schema.Validate(instance)
	}
	if err == nil {
		return nil
	}
	problem, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return f.fail(nil, "the file cannot be checked")
	}
	for len(problem.Causes) > 0 {
		problem = problem.Causes[0]
	}
	reason := problem.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	if pattern, ok := problem.ErrorKind.(*kind.Pattern); ok {
		reason = "does not match the pattern " + pattern.Want // and is not repeated at any length
	}
	return f.fail(problem.InstanceLocation, "%s", plan.Escape(reason))
}

func compileSchema() (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaJSON))
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
