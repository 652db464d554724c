package outline

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// readJSON returns the blocks of a JSON document.
func readJSON(document string) ([]block, error) {
	d := json.NewDecoder(strings.NewReader(document))
	d.UseNumber()
	r := jsonReader{tokens: d, lines: indexLines([]byte(document))}
	t, err := r.value()
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON value")
	}
	return treeBlocks(t), nil
}

type jsonReader struct {
	tokens *json.Decoder
	lines  lineIndex
}

func (r jsonReader) value() (tree, error) {
	token, err := r.tokens.Token()
	if err != nil {
		return tree{}, err
	}
	line := r.line()
	t := tree{kind: scalar, first: line, last: line}
	switch v := token.(type) {
	case json.Delim:
		t.kind = mapping
		if v == '[' {
			t.kind = list
		}
		for r.tokens.More() {
			if t.kind == mapping {
				key, err := r.value()
				if err != nil {
					return tree{}, err
				}
				t.keys = append(t.keys, key)
			}
			kid, err := r.value()
			if err != nil {
				return tree{}, err
			}
			t.kids = append(t.kids, kid)
		}
		if _, err := r.tokens.Token(); err != nil {
			return tree{}, err
		}
		t.last = r.line()
	case string:
		t.text = v
	case json.Number:
		t.text = v.String()
	case bool:
		t.text = map[bool]string{true: "true", false: "false"}[v]
	}
	return t, nil
}

// line is the line on which the last token ends. A token of JSON has no line
// break in it, so it begins there too.
func (r jsonReader) line() int {
	return r.lines.at(int(r.tokens.InputOffset()) - 1)
}
