package strictyaml

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document reads the one document of a file. One of nothing but comments is
// Absent. The error has the form "file:line: reason".
func Document(file string, raw []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	document, second := new(yaml.Node), new(yaml.Node)
	switch err := decoder.Decode(document); {
	case errors.Is(err, io.EOF):
		return document, nil
	case err != nil:
		return nil, syntax(file, raw, err)
	}
	switch err := decoder.Decode(second); {
	case errors.Is(err, io.EOF):
		return document, nil
	case err != nil:
		return nil, syntax(file, raw, err)
	default:
		return nil, Fail(file, second, "more follows after the end of the document")
	}
}

// syntax names the line of a mistake. Of a tab the YAML reader may name the
// line before, and may say only that a character cannot stand there.
func syntax(file string, raw []byte, err error) error {
	line, reason := split(1, err)
	if tab := indentedByTab(raw, line); tab > 0 && (strings.Contains(reason, "tab") || tab == line) {
		line, reason = tab, "a tab at the beginning of the line: YAML is indented with blanks"
	}
	return Fail(file, &yaml.Node{Line: line}, "%s", reason)
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
