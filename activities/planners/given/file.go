package given

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// maxBytes bounds the file, like the plan that is made of it.
const maxBytes = plan.MaxBytes

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
func (f *file) name() string { return plan.Escape(plan.Clip(actions.Name(f.Document), 200)) }

func (f *file) digest() string {
	if f.Digest.IsZero() {
		return ""
	}
	return ", " + f.Digest.String()
}

// fail is a fault about the whole file.
func (f *file) fail(format string, args ...any) error {
	return f.at(&actions.Problem{Reason: fmt.Sprintf(format, args...)})
}

// at is a problem as a fault: with the file's name, and the line where it has
// lines that say something.
func (f *file) at(p *actions.Problem) error {
	where := f.name()
	if f.node != nil {
		where += fmt.Sprintf(":%d", strictyaml.Nearest(f.node, p.At...).Line)
	}
	return refuse("bad_actions", "%s: %s", where, p)
}

// read reads the file strictly.
func (f *file) read() (actions.Document, error) {
	switch {
	case len(f.Text) > maxBytes:
		return actions.Document{}, f.fail("the file has %d bytes; at most %d are read", len(f.Text), maxBytes)
	case strings.ContainsRune(f.Text, '\uFFFD'):
		return actions.Document{}, f.fail("the file is no clean UTF-8: it holds U+FFFD, the mark of a byte that could not be read")
	}
	raw, err := f.json()
	if err != nil {
		return actions.Document{}, err
	}
	d, err := actions.Read(raw)
	if errors.Is(err, plan.ErrMalformed) {
		return d, f.fail("the file is %s", err)
	}
	return d, f.fault(err)
}

// fault is what package actions found in the file, if anything.
func (f *file) fault(err error) error {
	if err == nil {
		return nil
	}
	if p, ok := errors.AsType[*actions.Problem](err); ok {
		return f.at(p)
	}
	return f.fail("the file cannot be checked")
}

// json is the file as JSON.
func (f *file) json() ([]byte, error) {
	if path.Ext(f.Path) != ".yaml" {
		return []byte(f.Text), nil
	}
	decoder := yaml.NewDecoder(strings.NewReader(f.Text))
	var node yaml.Node
	if err := decoder.Decode(&node); errors.Is(err, io.EOF) {
		return nil, f.fail("the file is empty")
	} else if err != nil {
		return nil, refuse("bad_actions", "%s", strictyaml.WithLine(f.name(), 1, err))
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, f.fail("the file holds more than one document")
	}
	f.node = &node
	raw, err := strictyaml.JSON(f.name(), &node)
	if err != nil {
		return nil, refuse("bad_actions", "%s", err)
	}
	return raw, nil
}
