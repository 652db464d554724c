package strictyaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// What an alias may make of a small file.
const (
	maxDepth = 100
	maxNodes = 1_000_000
)

// JSON writes node as JSON, so that what is written in YAML means what it would
// mean in JSON, and refuses what JSON cannot say: names that are no texts, two
// members of one name, merge keys, binary data, numbers that JSON has no form
// for. A number keeps its digits, and a date is the text that it is written as.
// Errors have the form "file:line: reason".
func JSON(file string, node *yaml.Node) ([]byte, error) {
	if node != nil && node.Kind == yaml.DocumentNode && len(node.Content) > 0 {
		node = node.Content[0]
	}
	if node == nil || node.Kind == 0 || node.Kind == yaml.DocumentNode {
		return []byte("null"), nil
	}
	w := jsonWriter{file: file}
	if err := w.write(node, 1); err != nil {
		return nil, err
	}
	return w.out.Bytes(), nil
}

type jsonWriter struct {
	file  string
	out   bytes.Buffer
	nodes int
}

func (w *jsonWriter) write(node *yaml.Node, depth int) error {
	w.nodes++
	switch {
	case depth > maxDepth:
		return Fail(w.file, node, "more than %d levels of nesting", maxDepth)
	case w.nodes > maxNodes:
		return Fail(w.file, node, "more than %d values", maxNodes)
	}
	switch node.Kind {
	case yaml.AliasNode:
		return w.write(node.Alias, depth+1)
	case yaml.MappingNode:
		return w.object(node, depth)
	case yaml.SequenceNode:
		w.out.WriteByte('[')
		for i, item := range node.Content {
			if i > 0 {
				w.out.WriteByte(',')
			}
			if err := w.write(item, depth+1); err != nil {
				return err
			}
		}
		w.out.WriteByte(']')
		return nil
	default:
		return w.scalar(node)
	}
}

func (w *jsonWriter) object(node *yaml.Node, depth int) error {
	lines := map[string]int{}
	w.out.WriteByte('{')
	for i := 0; i+1 < len(node.Content); i += 2 {
		name := node.Content[i]
		if name.Kind != yaml.ScalarNode || name.ShortTag() == "!!merge" {
			return Fail(w.file, name, "a member's name must be a text")
		}
		if first, twice := lines[name.Value]; twice {
			return Fail(w.file, name, "%s stands in line %d already", name.Value, first)
		}
		lines[name.Value] = name.Line
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.text(name.Value)
		w.out.WriteByte(':')
		if err := w.write(node.Content[i+1], depth+1); err != nil {
			return err
		}
	}
	w.out.WriteByte('}')
	return nil
}

func (w *jsonWriter) scalar(node *yaml.Node) error {
	switch tag := node.ShortTag(); tag {
	case "!!str", "!!timestamp":
		w.text(node.Value)
	case "!!null":
		w.out.WriteString("null")
	case "!!bool":
		var truth bool
		if err := node.Decode(&truth); err != nil {
			return WithLine(w.file, node.Line, err)
		}
		w.out.WriteString(strconv.FormatBool(truth))
	case "!!int", "!!float":
		digits, err := number(node)
		if err != nil {
			return Fail(w.file, node, "%s", err)
		}
		w.out.WriteString(digits)
	default:
		return Fail(w.file, node, "JSON has no value of type %s", strings.TrimPrefix(tag, "!!"))
	}
	return nil
}

// number is a number as JSON writes it: as it stands there when that is JSON,
// else the whole number that it is (0x1F, 1_000, 0o17).
func number(node *yaml.Node) (string, error) {
	if json.Valid([]byte(node.Value)) {
		return node.Value, nil
	}
	var whole int64
	if node.ShortTag() != "!!int" || node.Decode(&whole) != nil {
		return "", errors.New("JSON has no number " + node.Value)
	}
	return strconv.FormatInt(whole, 10), nil
}

func (w *jsonWriter) text(s string) {
	encoder := json.NewEncoder(&w.out)
	encoder.SetEscapeHTML(false)
	encoder.Encode(s)               //nolint:errcheck,errchkjson // a text into a buffer
	w.out.Truncate(w.out.Len() - 1) // the line end
}
