package actions

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/misfit"
)

// Problem is a mistake in a document. Its text may be shown to anybody: names
// that the document made up are shortened, with their controls visible.
type Problem struct {
	At     []string // the members and indexes that lead to the place; nil is the whole document
	Reason string   // one line
	cause  error
}

func (p *Problem) Error() string {
	if len(p.At) == 0 {
		return p.Reason
	}
	return p.Pointer() + ": " + p.Reason
}

func (p *Problem) Unwrap() error { return p.cause }

// Pointer writes the place as a JSON Pointer (RFC 6901), for people.
func (p *Problem) Pointer() string {
	var b strings.Builder
	for _, step := range p.At {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(plan.Escape(plan.Clip(step, 100))))
	}
	return b.String()
}

func problem(at []string, format string, args ...any) error {
	return &Problem{At: at, Reason: fmt.Sprintf(format, args...)}
}

// inAction is the place of an action's field.
func inAction(i int, field string) []string { return []string{"actions", fmt.Sprint(i), field} }

// mismatch is the first mistake of a JSON value, which stands at a place of the
// document, by a schema. A model is told of it, so the text is the same each time.
func mismatch(schema *jsonschema.Schema, raw []byte, at []string) error {
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err == nil {
		err = schema.Validate(instance)
	}
	if err == nil {
		return nil
	}
	report, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return problem(at, "it cannot be checked")
	}
	first := misfit.First(report)
	reason := first.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	if pattern, ok := first.ErrorKind.(*kind.Pattern); ok {
		reason = "does not match the pattern " + pattern.Want // and is not repeated at any length
	}
	return problem(slices.Concat(at, first.InstanceLocation), "%s", plan.Escape(plan.Clip(reason, 700)))
}
