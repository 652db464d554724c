package outline

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// readJSON returns the blocks of a JSON document. Its error says that it is
// none, or beyond the bounds of a tree.
func readJSON(document string) ([]block, error) {
	d := json.NewDecoder(strings.NewReader(document))
	d.UseNumber()
	r := jsonReader{tokens: d, lines: indexLines(document)}
	t, err := r.value(1)
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
	values int // read so far
}

// value reads one value, which is that deep in others; the outermost is at 1.
func (r *jsonReader) value(depth int) (tree, error) {
	token, err := r.tokens.Token()
	if err != nil {
		return tree{}, err
	}
	if r.values++; r.values > maxPieces {
		return tree{}, errTooLarge
	}
	line := r.line()
	t := tree{kind: scalar, first: line, last: line}
	switch v := token.(type) {
	case json.Delim:
		if depth > maxTreeDepth {
			return tree{}, errTooDeep
		}
		t.kind = mapping
		if v == '[' {
			t.kind = list
		}
		err := r.inside(&t, depth)
		return t, err
	case string:
		t.text = v
	case json.Number:
		t.text = v.String()
	case bool:
		t.text = map[bool]string{true: "true", false: "false"}[v]
	}
	return t, nil
}

// inside reads what an object or array holds, up to its end.
func (r *jsonReader) inside(t *tree, depth int) error {
	for r.tokens.More() {
		if t.kind == mapping {
			key, err := r.value(depth + 1)
			if err != nil {
				return err
			}
			t.keys = append(t.keys, key)
		}
		kid, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		t.kids = append(t.kids, kid)
	}
	_, err := r.tokens.Token()
	t.last = r.line()
	return err
}

// line is the line on which the last token ends. A token of JSON has no line
// break in it, so it begins there too.
func (r *jsonReader) line() int {
	return r.lines.at(int(r.tokens.InputOffset()) - 1)
}
