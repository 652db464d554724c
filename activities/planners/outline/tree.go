package outline

import "strings"

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
	for i, cell := range b.cells {
		b.cells[i] = oneLine(cell)
	}
	if b.kind != heading { // a key of blanks is still a key
		b.text = oneLine(b.text)
	}
	if b.text+strings.Join(b.cells, "") != "" {
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
