package outline

import (
	"strings"
	"unicode"
)

// block is one piece of a document with the lines it stands on. Every format
// is brought into blocks, and only blocks are read from there on.
type block struct {
	kind        blockKind
	level       int    // of a heading or field, from 1; of an item, its depth from 0
	first, last int    // lines, from 1
	text        string // plain, on one line; of a heading, paragraph or item
	task        task   // of an item with a check box
	strong      bool   // a paragraph all in bold
	header      []string
	cells       []string // of a row, beside its header; header may be shorter
}

type blockKind int

const (
	heading blockKind = iota + 1
	paragraph
	item
	row   // of a table, or a record in a list
	field // a name with its value that stands in no list
)

type task int

const (
	noTask task = iota
	openTask
	doneTask
)

// all is everything that the block says.
func (b block) all() string {
	switch b.kind {
	case row: // cells of records may run over lines
		return strings.Join(b.cells, " · ")
	case field:
		return b.header[0] + ": " + b.cells[0]
	default:
		return b.text
	}
}

// column returns the head of a cell, or "".
func (b block) column(i int) string {
	if i < len(b.header) {
		return b.header[i]
	}
	return ""
}

// oneLine puts a text on one line, with single blanks. A document may be one
// line of millions of words, so no list of them is made.
func oneLine(s string) string {
	if isOneLine(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for word := range strings.FieldsSeq(s) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

func isOneLine(s string) bool {
	blank := true // a blank here would be the first, or the second in a row
	for _, r := range s {
		if unicode.IsSpace(r) && (r != ' ' || blank) {
			return false
		}
		blank = r == ' '
	}
	return s == "" || !blank
}
