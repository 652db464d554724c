// Package misfit picks, of all that a JSON Schema validator has to say about a
// value, the one mistake that is told.
package misfit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// First is the mistake of a report that comes first: a missing property before
// everything else, then by place, keyword and words. It has no causes. The same
// value has the same first mistake every time, though the validator walks over an
// object's members as Go's maps do: whoever makes a question of the text finds
// what was stored for that question.
//
// The place of a misfit name of a property, or of content within a string, is not
// known, and is that of the whole value: the validator's own is overwritten by what
// it looks at next.
func First(report *jsonschema.ValidationError) *jsonschema.ValidationError {
	switch k := report.ErrorKind.(type) {
	case *kind.PropertyNames, *kind.ContentSchema:
		return &jsonschema.ValidationError{SchemaURL: report.SchemaURL, ErrorKind: k}
	case *kind.AdditionalProperties:
		sorted := *report
		sorted.ErrorKind = &kind.AdditionalProperties{Properties: slices.Sorted(slices.Values(k.Properties))}
		return &sorted
	}
	if len(report.Causes) == 0 {
		return report
	}
	first := First(report.Causes[0])
	for _, cause := range report.Causes[1:] {
		if next := First(cause); compare(next, first) < 0 {
			first = next
		}
	}
	return first
}

// compare orders mistakes; those that are equal read alike.
func compare(a, b *jsonschema.ValidationError) int {
	return cmp.Or(
		cmp.Compare(rank(a), rank(b)),
		slices.CompareFunc(a.InstanceLocation, b.InstanceLocation, compareSteps),
		slices.Compare(a.ErrorKind.KeywordPath(), b.ErrorKind.KeywordPath()),
		strings.Compare(words(a), words(b)),
	)
}

func rank(e *jsonschema.ValidationError) int {
	if _, missing := e.ErrorKind.(*kind.Required); missing {
		return 0
	}
	return 1
}

// compareSteps has indexes in the order of their numbers, and before names.
func compareSteps(a, b string) int {
	switch x, y := isIndex(a), isIndex(b); {
	case x && y:
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	case x:
		return -1
	case y:
		return 1
	default:
		return strings.Compare(a, b)
	}
}

func isIndex(step string) bool { return step != "" && strings.Trim(step, "0123456789") == "" }

func words(e *jsonschema.ValidationError) string {
	return e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
}
