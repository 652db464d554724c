package outline

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// tree is a JSON or YAML document with its lines.
type tree struct {
	kind        treeKind
	text        string // of a scalar
	first, last int    // lines
	keys        []tree // of a mapping, beside kids
	kids        []tree
}

type treeKind int

const (
	scalar treeKind = iota + 1
	mapping
	list
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

// readYAML returns the blocks of a YAML file, all its documents. Aliases are
// not followed: each thing is said once, where it stands.
func readYAML(document string) ([]block, error) {
	d := yaml.NewDecoder(strings.NewReader(document))
	var blocks []block
	for {
		var n yaml.Node
		err := d.Decode(&n)
		if errors.Is(err, io.EOF) {
			return blocks, nil
		}
		if err != nil {
			return nil, err
		}
		for _, content := range n.Content {
			blocks = append(blocks, treeBlocks(yamlTree(content))...)
		}
	}
}

func yamlTree(n *yaml.Node) tree {
	t := tree{kind: scalar, first: n.Line, last: n.Line, text: n.Value}
	switch n.Kind {
	case yaml.ScalarNode:
		t.last += strings.Count(strings.TrimSuffix(n.Value, "\n"), "\n")
		if n.Style == yaml.LiteralStyle || n.Style == yaml.FoldedStyle {
			t.last++ // the text begins on the line after its mark
		}
		if n.Tag == "!!null" {
			t.text = ""
		}
	case yaml.AliasNode:
		t.text = ""
	case yaml.MappingNode:
		t.kind = mapping
		for i := 0; i+1 < len(n.Content); i += 2 {
			t.keys = append(t.keys, yamlTree(n.Content[i]))
			t.kids = append(t.kids, yamlTree(n.Content[i+1]))
		}
	case yaml.SequenceNode:
		t.kind = list
		for _, kid := range n.Content {
			t.kids = append(t.kids, yamlTree(kid))
		}
	}
	for _, kid := range t.kids {
		t.last = max(t.last, kid.last)
	}
	return t
}

// treeBlocks turns a tree into blocks: a key with something in it is a heading
// over that, a key with a scalar a field, a mapping in a list a row, and
// anything else in a list an item.
func treeBlocks(t tree) []block {
	w := treeWriter{}
	w.write(t, 1)
	return w.blocks
}

type treeWriter struct{ blocks []block }

func (w *treeWriter) write(t tree, depth int) {
	switch t.kind {
	case mapping:
		w.mapping(t, depth)
	case list:
		for _, kid := range t.kids {
			w.element(kid, depth)
		}
	case scalar:
		w.add(block{kind: paragraph, first: t.first, last: t.last, text: t.text})
	}
}

func (w *treeWriter) mapping(t tree, depth int) {
	for i, key := range t.keys {
		kid := t.kids[i]
		if kid.kind == scalar {
			if kid.text != "" {
				w.add(block{kind: field, level: min(depth, 6), first: key.first, last: kid.last, header: []string{key.text}, cells: []string{kid.text}})
			}
			continue
		}
		before := len(w.blocks)
		w.add(block{kind: heading, level: min(depth, 6), first: key.first, last: key.first, text: key.text})
		w.write(kid, depth+1)
		if len(w.blocks) == before+1 { // nothing is in it
			w.blocks = w.blocks[:before]
		}
	}
}

func (w *treeWriter) element(t tree, depth int) {
	switch t.kind {
	case mapping:
		b := block{kind: row, first: t.first, last: t.last}
		for i, key := range t.keys {
			if kid := t.kids[i]; isFlat(kid) {
				b.header = append(b.header, key.text)
				b.cells = append(b.cells, flatten(kid))
			}
		}
		w.add(b)
		for _, kid := range t.kids {
			if !isFlat(kid) {
				w.write(kid, depth+1)
			}
		}
	case scalar:
		w.add(block{kind: item, first: t.first, last: t.last, text: t.text})
	case list:
		w.write(t, depth)
	}
}

func (w *treeWriter) add(b block) {
	if strings.TrimSpace(b.text+strings.Join(b.cells, "")) != "" {
		w.blocks = append(w.blocks, b)
	}
}

// isFlat reports whether t is a scalar or a list of scalars.
func isFlat(t tree) bool {
	for _, kid := range t.kids {
		if kid.kind != scalar {
			return false
		}
	}
	return t.kind != mapping
}

func flatten(t tree) string {
	if t.kind == scalar {
		return t.text
	}
	var parts []string
	for _, kid := range t.kids {
		parts = append(parts, kid.text)
	}
	return strings.Join(parts, ", ")
}
