package httpapi

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

// headerText is a header's value: secrets or expressions, and not both, so
// that no parameter stands beside a secret.
type headerText struct {
	secret secrets.Text
	text   template.Text
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (h *headerText) UnmarshalYAML(node *yaml.Node) error {
	var source string
	if err := node.Decode(&source); err != nil {
		return err
	}
	if !strings.Contains(source, "${") {
		return h.text.UnmarshalYAML(node)
	}
	if strings.Contains(source, "{{") {
		return fmt.Errorf("line %d: a header holds secrets or {{ }}, not both", node.Line)
	}
	return h.secret.UnmarshalYAML(node)
}

func (h headerText) render(v template.Vars, reveal revealer) (string, error) {
	if h.secret.IsZero() {
		return h.text.Render(v, nil)
	}
	return reveal(h.secret)
}

// revealer turns a text with references into what is sent, or, for people,
// into what may be shown.
type revealer func(secrets.Text) (string, error)

// secretError says that a secret could not be read.
type secretError struct{ error }

func revealed(t secrets.Text) (string, error) {
	value, err := t.Resolve()
	if err != nil {
		return "", secretError{err}
	}
	return value, nil
}

func hidden(t secrets.Text) (string, error) { return t.String(), nil }

// auth is how a request says who sends it. One of its fields is given, or none.
type auth struct {
	Bearer secrets.Text `yaml:"bearer"`
	Basic  *basicAuth   `yaml:"basic"`
	Header *headerAuth  `yaml:"header"`
}

// basicAuth is HTTP Basic authentication (RFC 7617).
type basicAuth struct {
	User     secrets.Text `yaml:"user"`
	Password secrets.Text `yaml:"password"`
}

// headerAuth is a header of the API's own.
type headerAuth struct {
	Name  string       `yaml:"name"`
	Value secrets.Text `yaml:"value"`
}

func (a auth) given() bool { return !a.Bearer.IsZero() || a.Basic != nil || a.Header != nil }

// check refuses what cannot work, and credentials that stand in the file.
func (a auth) check() error {
	given := 0
	for _, is := range []bool{!a.Bearer.IsZero(), a.Basic != nil, a.Header != nil} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return errors.New("give one of bearer, basic and header")
	case !a.Bearer.IsZero() && !a.Bearer.HasReference():
		return errors.New("bearer must be a reference: ${env:NAME} or ${file:PATH}")
	case a.Basic != nil && (a.Basic.User.IsZero() || !a.Basic.Password.HasReference()):
		return errors.New("basic needs a user, and a password that is a reference: ${env:NAME} or ${file:PATH}")
	case a.Header != nil && (!isToken(a.Header.Name) || !a.Header.Value.HasReference()):
		return errors.New("header needs a name, and a value that is a reference: ${env:NAME} or ${file:PATH}")
	default:
		return nil
	}
}

// header returns the header that carries the credentials; "" when there are
// none.
func (a auth) header(reveal revealer, show bool) (name, value string, err error) {
	switch {
	case !a.Bearer.IsZero():
		value, err = reveal(a.Bearer)
		return "Authorization", "Bearer " + value, err
	case a.Basic != nil:
		user, err := reveal(a.Basic.User)
		if err != nil {
			return "", "", err
		}
		password, err := reveal(a.Basic.Password)
		value := user + ":" + password
		if !show {
			value = base64.StdEncoding.EncodeToString([]byte(value))
		}
		return "Authorization", "Basic " + value, err
	case a.Header != nil:
		value, err = reveal(a.Header.Value)
		return a.Header.Name, value, err
	default:
		return "", "", nil
	}
}

// isToken reports a name that HTTP allows for a header (RFC 9110, 5.6.2).
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// isFieldValue reports a value that every server gets as it was sent:
// printable ASCII, without blanks at the ends (RFC 9110, 5.5).
func isFieldValue(value string) bool {
	return value == strings.TrimSpace(value) &&
		!strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
}
