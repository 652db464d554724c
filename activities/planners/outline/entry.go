package outline

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// entry is one thing that a document reports of a day or a week.
type entry struct {
	when        when
	kind        kind
	text        string // verbatim, without date and label; pieces of a row parted by " · "
	first, last int    // lines
	passing     bool   // the date stands somewhere in the text and only may be the day of the entry
	parent      int    // place of the entry it details in the list of entries, or -1
}

// dating goes through the blocks of one document and keeps what the date and
// the kind of the next block rest upon.
type dating struct {
	calendar calendar
	headings []scope // that the block stands under, outermost first
	items    []scope // list items that it stands under
	local    scope   // of a line that is only a date or a label
	sawItem  bool    // since that line
	base     when    // of the whole document
	bare     *entry  // a dated heading with words, as long as nothing stands under it

	entries []entry
}

// scope is what a heading, an item or a line says about what follows it.
type scope struct {
	level int
	when  when
	kind  kind
	rules bool // an item that is only a label: its kind holds for all below it
	entry int  // of an item, or -1
}

// findEntries returns the dated entries of a document, in the order of lines.
func findEntries(blocks []block, c calendar, base when) []entry {
	d := dating{calendar: c, base: base}
	title := true
	for _, b := range blocks {
		if b.kind == heading {
			d.heading(b, title)
			title = false
			continue
		}
		d.block(b)
	}
	d.keepBare()
	return d.entries
}

// heading opens a scope. The title of a document says what the document is,
// not what kind its entries are.
func (d *dating) heading(b block, title bool) {
	d.leaveHeadings(b.level)
	if n := len(d.headings); n == 0 || d.headings[n-1].when.isZero() || d.bare == nil || b.level <= d.bare.parent {
		d.keepBare()
	}
	d.bare = nil
	near := d.calendar.near(b.first)
	s := scope{level: b.level, when: datedHeading(b.text, near)}
	_, at, text := dated(b.text, near)
	if !title || b.level > 1 {
		s.kind = kindOfHeading(text)
	}
	d.headings = append(d.headings, s)
	d.items, d.local, d.sawItem = nil, scope{}, false
	if at == leading && !s.when.isZero() && hasWord(text) {
		d.bare = &entry{when: s.when, kind: s.kind, text: text, first: b.first, last: b.last}
	}
}

// leaveHeadings closes the scopes of headings at a level and below.
func (d *dating) leaveHeadings(level int) {
	for len(d.headings) > 0 && d.headings[len(d.headings)-1].level >= level {
		d.headings = d.headings[:len(d.headings)-1]
	}
}

func (d *dating) block(b block) {
	if b.kind == field { // it is beside a heading of its level, not below it
		d.leaveHeadings(b.level)
	}
	d.leaveItems(b)
	p := d.read(b)
	if b.kind == item {
		d.items = append(d.items, scope{level: b.level, when: p.own, kind: p.kind, rules: p.opens && p.label != noKind, entry: -1})
		d.sawItem = true
	}
	if p.opens {
		if b.kind != item {
			d.local, d.sawItem = scope{when: p.own, kind: p.label}, false
			if p.own.isZero() {
				d.local.when = p.when
			}
		}
		return
	}
	if p.when.isZero() || p.text == "" || b.kind == field && p.stamp != unstamped {
		return
	}
	e := entry{when: p.when, kind: p.kind, text: p.text, first: b.first, last: b.last, passing: p.stamp == inside, parent: -1}
	if n := len(d.items); b.kind == item && n > 1 {
		e.parent = d.items[n-2].entry
	}
	if e.kind == noKind {
		e.kind = noted
	}
	d.entries = append(d.entries, e)
	if b.kind == item {
		d.items[len(d.items)-1].entry = len(d.entries) - 1
	}
}

// leaveItems closes the scopes that end before b.
func (d *dating) leaveItems(b block) {
	if b.kind != item {
		d.items = nil
		if b.kind == paragraph && d.sawItem { // a label holds for the list below it
			d.local.kind, d.sawItem = noKind, false
		}
		return
	}
	for len(d.items) > 0 && d.items[len(d.items)-1].level >= b.level {
		d.items = d.items[:len(d.items)-1]
	}
}

// reading is what a block says, in the scopes that it stands in.
type reading struct {
	own   when // its own date
	stamp stamp
	when  when // the date that counts
	label kind // that it states itself
	kind  kind // the kind that counts
	text  string
	opens bool // it says nothing itself and opens a scope
}

func (d *dating) read(b block) reading {
	if b.kind == row {
		return d.readRow(b)
	}
	var p reading
	p.own, p.stamp, p.text = dated(b.all(), d.calendar.near(b.first))
	if p.stamp == inside && !d.scoped().isZero() {
		p.own, p.stamp = when{}, unstamped // the scope's day is the one of the report
	}
	p.when = p.own
	if p.own.isZero() {
		p.when = d.scoped()
	}
	p.opens = p.stamp == leading && p.text == "" || d.isLabel(b, p.text)
	p.label, p.text = statedKind(b, p.text)
	if p.opens && p.label == noKind {
		p.label = kindOfLabel(p.text)
	}
	p.kind = d.kind(p.label, p.text)
	return p
}

// scoped is the date of the innermost scope that has one.
func (d *dating) scoped() when {
	for i := len(d.items) - 1; i >= 0; i-- {
		if !d.items[i].when.isZero() {
			return d.items[i].when
		}
	}
	if !d.local.when.isZero() {
		return d.local.when
	}
	for i := len(d.headings) - 1; i >= 0; i-- {
		if !d.headings[i].when.isZero() {
			return d.headings[i].when
		}
	}
	return d.base
}

// kind weighs what an entry states against what it stands under, and both
// against the words in it.
func (d *dating) kind(stated kind, text string) kind {
	if stated != noKind {
		return stated
	}
	for i := len(d.items) - 1; i >= 0; i-- {
		if d.items[i].rules {
			return d.items[i].kind
		}
	}
	if d.local.kind != noKind {
		return d.local.kind
	}
	for i := len(d.headings) - 1; i >= 0; i-- {
		if d.headings[i].kind != noKind {
			return d.headings[i].kind
		}
	}
	if k, _ := kindOf(text); k != noKind {
		return k
	}
	for i := len(d.items) - 1; i >= 0; i-- {
		if d.items[i].kind != noKind {
			return d.items[i].kind
		}
	}
	return noKind
}

// isLabel reports whether a paragraph, line or item is only a label over what
// follows: all in bold, or ending in a colon.
func (d *dating) isLabel(b block, text string) bool {
	if b.kind == field || utf8.RuneCountInString(text) > 3*maxLabel {
		return false
	}
	return b.strong && utf8.RuneCountInString(text) <= 2*maxLabel || strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// statedKind returns the kind that a block states by check box or label, and
// its text without a label that says no more than the kind.
func statedKind(b block, text string) (kind, string) {
	if label, rest := cutLabel(text); label != "" {
		if k := kindOfLabel(label); k != noKind {
			if plainLabels[strings.ToLower(label)] {
				text = rest
			}
			return k, text
		}
	}
	switch b.task {
	case doneTask:
		return done, text
	case openTask:
		return planned, text
	default:
		return noKind, text
	}
}

var (
	dateColumn  = regexp.MustCompile(`(?i)^(?:date|day|when|on|created|created[ _-]at|opened|opened[ _-]at|started|started[ _-]at|deployed[ _-]at|time|timestamp|日期|时间|创建时间|开始时间)$`)
	stateColumn = regexp.MustCompile(`(?i)^(?:state|status|result|outcome|kind|type|状态|结果|类型|类别|进展)$`)
	mainColumn  = regexp.MustCompile(`(?i)^(?:summary|title|subject|description|message|event|task|item|action|topic|what\b.*|摘要|标题|主题|事项|内容|描述|说明)$`)
)

// readRow reads a row of a table or a record: its date from a column of dates
// or its first cell, its kind from a column of states or a cell that begins
// with one, its text from all the other cells.
func (d *dating) readRow(b block) reading {
	near := d.calendar.near(b.first)
	var p reading
	dateCell := -1
	for i, cell := range b.cells {
		w, at, _ := dated(cell, near)
		if at == leading && (dateColumn.MatchString(b.column(i)) || i == 0) && dateCell < 0 {
			p.own, p.stamp, dateCell = w, leading, i
		}
	}
	p.when = p.own
	if p.own.isZero() {
		p.when = d.scoped()
	}
	if p.when.isZero() {
		p.when = firstDate(b.cells, near)
		p.stamp = inside
	}
	if p.when.isZero() { // tables are long, and most rows have no date
		return p
	}
	p.label = rowKind(b)
	p.text = rowText(b, dateCell)
	p.kind = d.kind(p.label, p.text)
	return p
}

func firstDate(cells []string, near day) when {
	for _, cell := range cells {
		if w, at, _ := dated(cell, near); at != unstamped {
			return w
		}
	}
	return when{}
}

func rowKind(b block) kind {
	for i := range b.cells {
		if stateColumn.MatchString(b.column(i)) {
			if k := kindOfLabel(b.cells[i]); k != noKind {
				return k
			}
		}
	}
	for i := len(b.cells) - 1; i >= 0; i-- { // states stand to the right
		if k, at := kindOf(b.cells[i]); k != noKind && at == 0 {
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
	return strings.Join(append(main, others...), pieceBreak)
}
