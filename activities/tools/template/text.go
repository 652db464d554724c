package template

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Text is a text with expressions in {{ }}. The text {{ itself is written
// {{"{{"}}; an expression with }} in it is written with a blank between the two.
type Text struct {
	source string
	parts  []part
}

// part is a literal, or an expression when it is not nil.
type part struct {
	literal    string
	expression *Expression
}

// Parse reads a text with expressions.
func Parse(source string) (Text, error) {
	t := Text{source: source}
	rest := source
	for {
		literal, after, found := strings.Cut(rest, "{{")
		t.parts = append(t.parts, part{literal: literal})
		if !found {
			return t, nil
		}
		inner, behind, closed := strings.Cut(after, "}}")
		if !closed {
			return Text{}, errors.New("an expression begins with {{ and does not end with }}")
		}
		expression, err := Compile(strings.TrimSpace(inner))
		if err != nil {
			return Text{}, err
		}
		t.parts = append(t.parts, part{expression: expression})
		rest = behind
	}
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (t *Text) UnmarshalYAML(node *yaml.Node) error {
	var source string
	if err := node.Decode(&source); err != nil {
		return err
	}
	parsed, err := Parse(source)
	if err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	*t = parsed
	return nil
}

// Prefix is what the text says before its first expression; all says that this
// is the whole text.
func (t Text) Prefix() (literal string, all bool) {
	if len(t.parts) == 0 {
		return "", true
	}
	return t.parts[0].literal, len(t.parts) == 1
}

// IsZero reports a text that was not given.
func (t Text) IsZero() bool { return t.source == "" }

// String is the text as it was written.
func (t Text) String() string { return t.source }

// Render fills the expressions in. escape is applied to each value, so that
// one cannot become more than a value where it stands; nil applies nothing.
// Only texts, numbers, true and false can stand in a text.
func (t Text) Render(v Vars, escape func(string) string) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expression == nil {
			b.WriteString(p.literal)
			continue
		}
		value, err := p.expression.Eval(v, nil)
		if err != nil {
			return "", err
		}
		text, err := scalar(value)
		if err != nil {
			return "", fmt.Errorf("the expression %q %w", p.expression, err)
		}
		if escape != nil {
			text = escape(text)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func scalar(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case uint64:
		return strconv.FormatUint(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	default:
		return "", errors.New("is no text, number, true or false, and cannot stand in a text")
	}
}

// whole returns the expression that is all of the text, if one is.
func (t Text) whole() *Expression {
	if len(t.parts) == 3 && t.parts[0].literal == "" && t.parts[2].literal == "" {
		return t.parts[1].expression
	}
	return nil
}
