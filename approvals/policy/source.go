package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// source is a file that is read strictly: every mistake is reported as
// "file:line: reason", and what stands in the file is what holds, without
// aliases, merged mappings or a second document.
type source struct{ name string }

func (s source) fail(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", s.name, max(line, 1), fmt.Sprintf(format, args...))
}

// document reads the file's one document.
func (s source) document(raw []byte, limit int) (*yaml.Node, error) {
	if len(raw) > limit {
		return nil, s.fail(1, "the file has %d bytes; at most %d are allowed", len(raw), limit)
	}
	var document, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, s.fail(1, "the file is empty")
		}
		return nil, s.syntax(raw, err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, s.fail(second.Line, "more follows after the end of the document")
	}
	return document.Content[0], nil
}

// syntax takes the line out of the YAML reader's error text, which is the only
// place where it has it. Of a tab it may name the line before, and may say only
// that a character cannot stand there.
func (s source) syntax(raw []byte, err error) error {
	reason := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if _, scanErr := fmt.Sscanf(reason, "line %d:", &line); scanErr == nil {
		_, reason, _ = strings.Cut(reason, ": ")
	}
	if tab := indentedByTab(raw, line); tab > 0 && (strings.Contains(reason, "tab") || tab == line) {
		line, reason = tab, "a tab at the beginning of the line; YAML is indented with blanks"
	}
	return s.fail(line, "no YAML: %s", reason)
}

// indentedByTab is the first of a line and those behind it that has a tab in
// its indentation; 0 when none has.
func indentedByTab(raw []byte, line int) int {
	lines := strings.Split(string(raw), "\n")
	for i := line - 1; i < len(lines); i++ {
		indentation := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " \t"))]
		if strings.Contains(indentation, "\t") {
			return i + 1
		}
	}
	return 0
}

// entry is one name of a mapping and what stands behind it.
type entry struct{ key, value *yaml.Node }

// entries are those of a mapping, with different names.
func (s source) entries(node *yaml.Node, what string) ([]entry, error) {
	if node.Kind != yaml.MappingNode {
		return nil, s.fail(node.Line, "%s", expected(node, what))
	}
	var all []entry
	lines := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Kind != yaml.ScalarNode {
			return nil, s.fail(key.Line, "a name must be a text")
		}
		if first, ok := lines[key.Value]; ok {
			return nil, s.fail(key.Line, "%s stands in line %d already", shorten(key.Value), first)
		}
		lines[key.Value] = key.Line
		all = append(all, entry{key: key, value: node.Content[i+1]})
	}
	return all, nil
}

// expected says what should stand at a node, and why an alias is not taken for it.
func expected(node *yaml.Node, what string) string {
	if node.Kind == yaml.AliasNode {
		return what + ", not an alias: what stands in the file is what holds"
	}
	return what
}

// whole reads a number without a sign, a fraction or leading zeros.
func whole(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || strconv.Itoa(n) != text {
		return 0, errors.New("is not a whole number")
	}
	return n, nil
}
