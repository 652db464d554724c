package outline

import "slices"

// entry is one thing that a document reports of a day or a week.
type entry struct {
	when        when
	kind        kind
	text        string // verbatim, without date and label; pieces of a row parted by " · "
	first, last int    // lines
	passing     bool   // its date stands in the middle of the text, and may be another thing's
	parent      int    // place, in the list of entries, of the one that it details, or -1
}

// dating goes through the blocks of one document and keeps what the date and
// the kind of the next block rest upon.
type dating struct {
	calendar calendar
	base     when    // of the whole document
	headings []scope // that the next block stands under, outermost first
	items    []scope // list items that it stands under
	local    scope   // of a line above it that is only a date or a label
	sawItem  bool    // since that line
	bare     *entry  // a dated heading with words, while nothing stands under it

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
	if len(d.headings) > 0 && b.level <= d.headings[len(d.headings)-1].level {
		d.keepBare()
	}
	d.bare = nil
	d.leaveHeadings(b.level)
	near := d.calendar.near(b.first)
	_, at, text := dated(b.text, near)
	s := scope{level: b.level, when: datedHeading(b.text, near)}
	if !title || b.level > 1 {
		s.kind = kindOfHeading(text)
	}
	d.headings = append(d.headings, s)
	d.items, d.local, d.sawItem = nil, scope{}, false
	if at == leading && hasWord(text) && !s.when.isZero() {
		d.bare = &entry{when: s.when, kind: d.kind(noKind, text), text: text, first: b.first, last: b.last, parent: -1}
	}
}

// keepBare makes an entry of a dated heading that nothing stands under: then
// the heading is all that is reported.
func (d *dating) keepBare() {
	if d.bare != nil {
		d.keep(*d.bare)
		d.bare = nil
	}
}

func (d *dating) keep(e entry) {
	if e.kind == noKind {
		e.kind = noted
	}
	d.entries = append(d.entries, e)
}

func (d *dating) block(b block) {
	d.bare = nil
	d.leave(b)
	p := d.read(b)
	if b.kind == item {
		d.items = append(d.items, scope{level: b.level, when: p.own, kind: p.kind, rules: p.opens && p.label != noKind, entry: -1})
		d.sawItem = true
	} else if p.opens {
		d.local, d.sawItem = scope{when: p.when, kind: p.label}, false
	}
	if p.when.isZero() || !p.says {
		return
	}
	e := entry{when: p.when, kind: p.kind, text: p.text, first: b.first, last: b.last, passing: p.stamp == inside, parent: -1}
	if n := len(d.items); b.kind == item {
		if n > 1 {
			e.parent = d.items[n-2].entry
		}
		d.items[n-1].entry = len(d.entries)
	}
	d.keep(e)
}

// leave closes the scopes that end before b.
func (d *dating) leave(b block) {
	if b.kind == item {
		for len(d.items) > 0 && d.items[len(d.items)-1].level >= b.level {
			d.items = d.items[:len(d.items)-1]
		}
		return
	}
	d.items = nil
	if b.kind == paragraph && d.sawItem { // a label holds for the list below it
		d.local.kind, d.sawItem = noKind, false
	}
	if b.kind == field { // it is beside a heading of its level, not below it
		d.leaveHeadings(b.level)
	}
}

// leaveHeadings closes the scopes of headings at a level and below.
func (d *dating) leaveHeadings(level int) {
	for len(d.headings) > 0 && d.headings[len(d.headings)-1].level >= level {
		d.headings = d.headings[:len(d.headings)-1]
	}
}

// scoped is the date of the innermost scope that has one.
func (d *dating) scoped() when {
	for _, s := range slices.Backward(d.items) {
		if !s.when.isZero() {
			return s.when
		}
	}
	if !d.local.when.isZero() {
		return d.local.when
	}
	for _, s := range slices.Backward(d.headings) {
		if !s.when.isZero() {
			return s.when
		}
	}
	return d.base
}

// kind weighs what an entry states of itself, what it stands under, and the
// words in it, in this order.
func (d *dating) kind(stated kind, text string) kind {
	if stated != noKind {
		return stated
	}
	for _, s := range slices.Backward(d.items) {
		if s.rules {
			return s.kind
		}
	}
	if d.local.kind != noKind {
		return d.local.kind
	}
	for _, s := range slices.Backward(d.headings) {
		if s.kind != noKind {
			return s.kind
		}
	}
	if k, _ := kindOf(text); k != noKind {
		return k
	}
	for _, s := range slices.Backward(d.items) {
		if s.kind != noKind {
			return s.kind
		}
	}
	return noKind
}
