package httpapi

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/template"
)

// answerVars are the variables of an expression over an answer, besides those
// of package template.
//
//	status   the status code, an int
//	headers  a map of texts, by lower-case name
//	body     the body as JSON; null when it is none
//	text     the body as a text
var answerVars = []string{"status", "headers", "body", "text"}

// expression is a CEL expression over an answer. The zero expression was not
// given.
type expression struct{ compiled *template.Expression }

// UnmarshalYAML implements yaml.Unmarshaler.
func (e *expression) UnmarshalYAML(node *yaml.Node) error {
	var source string
	if err := node.Decode(&source); err != nil {
		return err
	}
	compiled, err := template.Compile(source, answerVars...)
	if err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	e.compiled = compiled
	return nil
}

func (e expression) given() bool { return e.compiled != nil }

func (e expression) String() string {
	if !e.given() {
		return ""
	}
	return e.compiled.String()
}

// test is the expression's truth. An expression that was not given has none.
func (e expression) test(v template.Vars, a *answer) (bool, error) {
	if !e.given() {
		return false, errors.New("no expression was given")
	}
	truth, err := e.compiled.Test(v, a.vars())
	return truth, e.explain(err)
}

// explain says why the expression has no value, in words of ours: those of CEL
// quote what the target has answered.
func (e expression) explain(err error) error {
	if err == nil {
		return nil
	}
	why := "it does not fit the answer"
	switch text := err.Error(); {
	case strings.Contains(text, "no such key"):
		why = "a member is not there"
	case strings.Contains(text, "no such overload"):
		why = "a value is of another type"
	}
	return fmt.Errorf("the expression %q has no value: %s", e.compiled, why)
}

// says reports whether the expression is given and true. One that has no value
// on this answer, such as a member that is not there, does not say so.
func (e expression) says(v template.Vars, a *answer) bool {
	truth, err := e.test(v, a)
	return err == nil && truth
}

// orSays is says, with the answer's plain rule for an expression that was not
// given.
func (e expression) orSays(v template.Vars, a *answer, rule bool) bool {
	if !e.given() {
		return rule
	}
	return e.says(v, a)
}

// line is the expression's value as a text: a text or a number.
func (e expression) line(v template.Vars, a *answer) (string, error) {
	value, err := e.compiled.Eval(v, a.vars())
	if err != nil {
		return "", e.explain(err)
	}
	switch v := value.(type) {
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case uint64:
		return strconv.FormatUint(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	default:
		return "", fmt.Errorf("the expression %q is no text and no number", e.compiled)
	}
}

// number is the expression's value as a count.
func (e expression) number(v template.Vars, a *answer) (int, error) {
	value, err := e.compiled.Eval(v, a.vars())
	if err != nil {
		return 0, e.explain(err)
	}
	whole, ok := value.(int64)
	if !ok || whole < 0 {
		return 0, fmt.Errorf("the expression %q is no count", e.compiled)
	}
	return int(whole), nil
}
