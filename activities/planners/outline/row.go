package outline

import (
	"regexp"
	"slices"
	"strings"
)

// Columns that mean something, by their names.
var (
	dateColumn  = regexp.MustCompile(`(?i)^(?:date|day|when|on|time|timestamp|(?:created|opened|started|deployed)(?:[ _-]at)?|日期|时间|创建时间|开始时间)$`)
	stateColumn = regexp.MustCompile(`(?i)^(?:state|status|result|outcome|kind|type|状态|结果|类型|类别|进展)$`)
	mainColumn  = regexp.MustCompile(`(?i)^(?:summary|title|subject|description|message|event|task|item|action|topic|what\b.*|摘要|标题|主题|事项|内容|描述|说明)$`)
)

// readRow reads a row of a table or a record: its date from a column of dates
// or its first cell, its kind from a column of states or a cell that begins
// with one, its text from all the other cells.
func (d *dating) readRow(b block) reading {
	near := d.calendar.near(b.first)
	p := reading{says: true}
	dateCell := -1
	for i, cell := range b.cells {
		if dateCell >= 0 || i > 0 && !dateColumn.MatchString(b.column(i)) {
			continue
		}
		if w, at, _ := dated(cell, near); at == leading {
			p.own, p.stamp, dateCell = w, leading, i
		}
	}
	if p.when = p.own; p.own.isZero() {
		p.when = d.scoped()
	}
	if p.when.isZero() {
		p.when, p.stamp = firstDate(b.cells, near), inside
	}
	if p.when.isZero() { // tables are long, and most rows have no date
		return p
	}
	p.label = rowKind(b)
	p.text = rowText(b, dateCell)
	p.kind = d.kind(p.label, p.text)
	p.says = hasWord(p.text)
	return p
}

func firstDate(cells []string, near day) when {
	for _, cell := range cells {
		if found := dates(cell, near); len(found) > 0 {
			return found[0].when
		}
	}
	return when{}
}

func rowKind(b block) kind {
	for i, cell := range b.cells {
		if stateColumn.MatchString(b.column(i)) {
			if k := kindOfLabel(cell); k != noKind {
				return k
			}
		}
	}
	for _, cell := range slices.Backward(b.cells) { // states stand to the right
		if k, at := kindOf(cell); k != noKind && at == 0 {
			return k
		}
	}
	return noKind
}

// pieceBreak parts the cells of a row in an entry's text.
const pieceBreak = " · "

// rowText puts what happened first and then the other cells, each with the
// name of its column when it is only a number. A cell that says no more than
// the kind is left out.
func rowText(b block, dateCell int) string {
	var main, others []string
	for i, cell := range b.cells {
		switch {
		case i == dateCell || cell == "" || plainLabels[strings.ToLower(cell)]:
		case len(main) == 0 && mainColumn.MatchString(b.column(i)):
			main = append(main, cell)
		case b.column(i) != "" && !hasLetter(cell):
			others = append(others, b.column(i)+" "+cell)
		default:
			others = append(others, cell)
		}
	}
	return oneLine(strings.Join(append(main, others...), pieceBreak))
}
