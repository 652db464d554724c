package declared

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/holdpoint/holdpoint/internal/misfit"
)

// firstProblem is one line of the validator's report, which has many: where,
// and which rule does not hold.
func firstProblem(err error) string {
	problem, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return "they cannot be checked"
	}
	deepest := deepestCause(problem)
	var pointer strings.Builder
	for _, step := range deepest.InstanceLocation {
		pointer.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step))
	}
	at := pointer.String()
	if at == "" {
		at = "the object"
	}
	return fmt.Sprintf("%.200s: %.300s", at, describe(deepest))
}

// deepestCause is the one mistake that is told of a report, the same each time: a
// model that is told of it is asked the same question.
func deepestCause(report *jsonschema.ValidationError) *jsonschema.ValidationError {
	return misfit.First(report)
}

// describeInSchema is describe for a value that stands in a schema, and so in the
// operator's own file: it says why a pattern is none.
func describeInSchema(problem *jsonschema.ValidationError) string {
	if k, ok := problem.ErrorKind.(*kind.Format); ok && k.Err != nil {
		return fmt.Sprintf("is no valid %s: %.200s", k.Want, k.Err)
	}
	return describe(problem)
}

// describe says which rule does not hold, and quotes the schema only: what the
// value is may be as long as it likes, and nobody has looked at it yet.
func describe(problem *jsonschema.ValidationError) string {
	switch k := problem.ErrorKind.(type) {
	case *kind.Pattern:
		return fmt.Sprintf("does not match the pattern %q", k.Want)
	case *kind.Format:
		return fmt.Sprintf("is no valid %s", k.Want)
	default:
		return problem.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	}
}
