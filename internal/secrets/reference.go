// Package secrets resolves references to secrets. A configuration holds only
// the references; the values are read when they are used, inside an activity,
// and reach no history, blob, plan, log or error text.
package secrets

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/regularfile"
)

// Text is a text in which ${env:NAME} stands for an environment variable and
// ${file:PATH} for the content of a file of at most 64 KiB, without the line
// ends at its end. A relative path is one from the folder that the program was
// started in, and not, as other paths of a configuration, from the
// configuration's: a tool's declaration is held to its references as they are
// written, wherever its file lies. An empty secret is none: it is refused when it is resolved. Any
// other ${ is refused when the text is parsed.
type Text struct {
	source string
	parts  []part
}

// part is a literal, or a reference when kind is set.
type part struct{ kind, text string }

var reference = regexp.MustCompile(`\$\{([^{}]*)\}`)

// Parse reads a text with references.
func Parse(source string) (Text, error) {
	t := Text{source: source}
	rest := source
	for {
		at := reference.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		kind, name, _ := strings.Cut(rest[at[2]:at[3]], ":")
		if strings.Contains(rest[:at[0]], "${") {
			return Text{}, errors.New("a reference to a secret stands in another one")
		}
		if kind != "env" && kind != "file" || name == "" {
			return Text{}, fmt.Errorf("%q is no reference to a secret; write ${env:NAME} or ${file:PATH}", rest[at[0]:at[1]])
		}
		t.parts = append(t.parts, part{text: rest[:at[0]]}, part{kind, name})
		rest = rest[at[1]:]
	}
	if strings.Contains(rest, "${") {
		return Text{}, errors.New("a reference to a secret is not closed")
	}
	t.parts = append(t.parts, part{text: rest})
	return t, nil
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

// IsZero reports a text that was not given.
func (t Text) IsZero() bool { return t.source == "" }

// HasReference reports whether a part of the text is a secret.
func (t Text) HasReference() bool { return len(t.parts) > 1 }

// String is the text with its references unresolved: it may be shown.
func (t Text) String() string { return t.source }

// Resolve reads the secrets now. Its error names the reference, never a value.
func (t Text) Resolve() (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		value, err := p.resolve()
		if err != nil {
			return "", err
		}
		b.WriteString(value)
	}
	return b.String(), nil
}

func (p part) resolve() (string, error) {
	switch p.kind {
	case "env":
		value, ok := os.LookupEnv(p.text)
		if !ok || value == "" {
			return "", fmt.Errorf("the environment variable %s is not set", p.text)
		}
		return value, nil
	case "file":
		return readFile(p.text)
	default:
		return p.text, nil
	}
}

// maxFileBytes bounds a secret: a larger file is another one than was meant.
const maxFileBytes = 64 << 10

func readFile(path string) (string, error) {
	name := filepath.Base(path)
	file, err := regularfile.Open(filepath.Clean(path))
	switch {
	case err != nil && !filepath.IsAbs(path):
		return "", fmt.Errorf("the file %s of a secret cannot be read: its path is relative, "+
			"which is from the folder that the program was started in; write an absolute one", name)
	case err != nil:
		return "", fmt.Errorf("the file %s of a secret cannot be read", name)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	switch value := strings.TrimRight(string(raw), "\r\n"); {
	case err != nil:
		return "", fmt.Errorf("the file %s of a secret cannot be read", name)
	case len(raw) > maxFileBytes:
		return "", fmt.Errorf("the file %s of a secret has more than %d bytes", name, maxFileBytes)
	case value == "":
		return "", fmt.Errorf("the file %s of a secret is empty", name)
	default:
		return value, nil
	}
}
