package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/regularfile"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
	"github.com/holdpoint/holdpoint/workflows"
)

// readTask reads a task from a YAML or JSON file. Unknown fields, and names in
// another letter case, are errors.
func readTask(path string) (workflows.Task, error) {
	raw, err := regularfile.Read(path)
	if err != nil {
		return workflows.Task{}, fmt.Errorf("task: %w", err)
	}
	return parseTask(path, raw)
}

// parseTask reads a task by the field names that the history and the temporal
// CLI have. Its errors have the form "file:line: reason".
func parseTask(file string, raw []byte) (task workflows.Task, err error) {
	isJSON := json.Valid(raw)
	if isJSON {
		if raw, err = asYAML(file, raw); err != nil {
			return task, err
		}
	}
	document, err := strictyaml.Document(file, raw)
	switch {
	case err != nil:
		return task, err
	case strictyaml.Absent(document):
		return task, strictyaml.Fail(file, document, "the file is empty")
	case isJSON:
		err = onlyTexts(file, document)
	default:
		asTexts(document)
	}
	if err != nil {
		return task, err
	}
	return task, strictyaml.Decode(file, document, &task)
}

// asTexts lets every scalar stand for what is written. A task has nothing but
// texts, and YAML would make a time of the business id 2026-11-24 and the
// number 7 of 007.
func asTexts(node *yaml.Node) {
	if node.Kind == yaml.ScalarNode && node.ShortTag() != "!!null" {
		node.Tag = "!!str"
	}
	for _, child := range node.Content {
		asTexts(child)
	}
}

// onlyTexts refuses what JSON has for other values: 7 is no text there.
func onlyTexts(file string, node *yaml.Node) error {
	if tag := node.ShortTag(); node.Kind == yaml.ScalarNode && tag != "!!str" && tag != "!!null" {
		return strictyaml.Fail(file, node, "%s is no text: write it in quotes", node.Value)
	}
	for _, child := range node.Content {
		if err := onlyTexts(file, child); err != nil {
			return err
		}
	}
	return nil
}

// asYAML writes JSON, line by line, in the part of it that the YAML reader
// knows: without tabs, without JSON's own escapes, and with each colon in the
// line of its name.
func asYAML(file string, raw []byte) ([]byte, error) {
	var out, blanks strings.Builder
	line := 1
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '\n':
			line++
			blanks.WriteByte(c)
		case ' ', '\t', '\r':
			blanks.WriteByte(' ')
		case ':':
			out.WriteString(": " + blanks.String())
			blanks.Reset()
		case '"':
			end := endOfText(raw, i)
			text, err := yamlText(raw[i:end])
			if err != nil {
				return nil, strictyaml.Fail(file, &yaml.Node{Line: line}, "%s", err)
			}
			out.WriteString(blanks.String() + text)
			blanks.Reset()
			i = end - 1
		default:
			out.WriteString(blanks.String())
			blanks.Reset()
			out.WriteByte(c)
		}
	}
	return []byte(out.String()), nil
}

// endOfText is behind the closing quote of the JSON text that begins at i.
func endOfText(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// yamlText writes a JSON text as one of YAML. Halves of a letter are refused,
// where JSON's own reader puts U+FFFD.
func yamlText(quoted []byte) (string, error) {
	if _, err := plan.Canonicalize(quoted); err != nil {
		return "", err
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteByte('"')
	for _, c := range text {
		switch {
		case c == '"', c == '\\':
			out.WriteString(`\` + string(c))
		case unicode.IsPrint(c):
			out.WriteRune(c)
		default:
			fmt.Fprintf(&out, `\U%08X`, c)
		}
	}
	out.WriteByte('"')
	return out.String(), nil
}
