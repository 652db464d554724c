package outline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// maxContents bounds the headings and fields that a topic's page lists.
const maxContents = 200

func topicPath(t topic) string { return "topics/" + t.slug + ".md" }

// topicPage says what one document is about and lists all its dated entries. It
// links to no other page, so it need not know where it goes.
func topicPage(t topic, l links) *page {
	ws := wordsFor(t.chinese)
	title := plan.Escape(cutRunes(oneLine(t.title), maxTitle))
	p := &page{title: title, words: ws, links: l}
	p.head(1, quote(t.title, maxTitle, ws))
	p.overview(t)
	p.contents(t)
	p.fields(t)
	p.dated(t)
	p.blank()
	p.sources([]topic{t})
	return p
}

// overview quotes what the document says before its first section.
func (p *page) overview(t topic) {
	reported := map[int]bool{} // the lines on which entries begin
	for _, e := range t.entries {
		reported[e.first] = true
	}
	for _, b := range t.blocks {
		if t.isTitle(b) {
			continue
		}
		if b.kind == heading || b.kind == row || b.kind == field {
			return
		}
		if b.kind != paragraph || reported[b.first] || !hasWord(b.text) {
			continue
		}
		p.blank()
		p.add(quote(b.text, maxQuote, p.words) + " " + p.links.at(t, b.first, b.last, true))
		return
	}
}

// isTitle reports whether b is the document's title, or says it again.
func (t topic) isTitle(b block) bool {
	return b.first == t.titleLine || b.kind == heading && b.text == t.title
}

// contents lists the headings, each with the first sentence below it. Headings
// of days are left to the dated entries.
func (p *page) contents(t topic) {
	var above []int // the levels of the headings over it
	listed, more := 0, 0
	underDate := t.underDates()
	for i, b := range t.blocks {
		if b.kind != heading || t.isTitle(b) || underDate[i] {
			continue
		}
		if listed == maxContents {
			more++
			continue
		}
		if listed == 0 {
			p.head(2, p.words.contents)
		}
		listed++
		for len(above) > 0 && above[len(above)-1] >= b.level {
			above = above[:len(above)-1]
		}
		p.add(strings.Repeat("  ", len(above)) + p.headingLine(t, i))
		above = append(above, b.level)
	}
	if more > 0 {
		p.add("- " + fmt.Sprintf(p.words.cutList, more))
	}
}

// headingLine quotes a heading and the first sentence of what follows it.
func (p *page) headingLine(t topic, i int) string {
	h := t.blocks[i]
	line, last := "- **"+quote(h.text, maxTitle, p.words)+"**", h.last
	if i+1 < len(t.blocks) {
		if next := t.blocks[i+1]; next.kind != heading && !(next.kind == field && next.level <= h.level) && hasWord(next.all()) {
			line += p.words.colon + quote(firstSentence(next.all()), maxSentence, p.words)
			last = next.last
		}
	}
	return line + " " + p.links.at(t, h.first, last, true)
}

// underDates reports, for each block, whether it is the heading of a day or
// stands under one.
func (t topic) underDates() []bool {
	under := make([]bool, len(t.blocks))
	level := 0 // of the day's heading that is open, 0 when none is
	for i, b := range t.blocks {
		if b.kind == heading && (level == 0 || b.level <= level) {
			level = 0
			if !datedHeading(b.text, makeDay(2000, 1, 1)).isZero() {
				level = b.level
			}
		}
		under[i] = level > 0
	}
	return under
}

// fields lists the named values of a record at its top, and for a table its columns and
// the number of its rows.
func (p *page) fields(t topic) {
	var lines []string
	more, rows := 0, 0
	var table block
	for _, b := range t.blocks {
		switch {
		case b.kind == row:
			if rows == 0 {
				table = b
			}
			rows++
		case b.kind == field && b.level > 1:
		case b.kind == field && len(lines) == maxContents:
			more++
		case b.kind == field:
			lines = append(lines, "- **"+quote(b.header[0], maxTitle, p.words)+"**"+p.words.colon+
				quote(b.cells[0], maxSentence, p.words)+" "+p.links.at(t, b.first, b.last, true))
		}
	}
	if more > 0 {
		lines = append(lines, "- "+fmt.Sprintf(p.words.cutList, more))
	}
	if rows > 0 && t.doc.MediaType == "text/csv" && len(table.header) > 0 {
		lines = append(lines, "- **"+fmt.Sprintf(p.words.rows, rows)+"**"+p.words.colon+
			quote(strings.Join(table.header, pieceBreak), maxQuote, p.words)+" "+p.links.at(t, 1, 1, true))
	}
	if len(lines) > 0 {
		p.head(2, p.words.fields)
		p.add(lines...)
	}
}

// dated lists all dated entries, newest day first.
func (p *page) dated(t topic) {
	if len(t.entries) == 0 {
		return
	}
	p.head(2, p.words.dated)
	order := make([]int, len(t.entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := t.entries[a].when, t.entries[b].when
		return cmp.Or(-cmp.Compare(x.first().t.Unix(), y.first().t.Unix()), strings.Compare(x.String(), y.String()))
	})
	var day when
	for _, i := range order {
		e := t.entries[i]
		if e.when != day {
			day = e.when
			p.head(3, p.words.longDay(day))
		}
		indent := ""
		if e.parent >= 0 && t.entries[e.parent].when == day {
			indent = "  "
		}
		p.add(indent + "- **" + p.words.kinds[e.kind] + "**" + p.words.colon +
			quote(e.text, maxQuote, p.words) + " " + p.links.at(t, e.first, e.last, true))
	}
}

func cutRunes(s string, limit int) string {
	if runeOffset(s, limit) < len(s) {
		return s[:runeOffset(s, limit-1)] + "…"
	}
	return s
}
