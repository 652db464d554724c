package outline

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// blockBreak parts the blocks that one line of a decoded HTML file holds; see
// text.Decode.
const blockBreak = "\u2028"

// The forms of lines in plain text, and in HTML after decoding.
var (
	numberSigns = regexp.MustCompile(`^(#{1,6})\s+(.*?)[\s#]*$`)
	framed      = regexp.MustCompile(`^([=*~-])[=*~-]+\s+(.*\S)\s+[=*~-]{2,}$`)
	underline   = regexp.MustCompile(`^(?:={3,}|-{3,})$`)
	bullet      = regexp.MustCompile(`^(\s*)(?:[-*+•·]|\d{1,3}[.)]|\d{1,3}、)\s+(.*)$`)
	checkbox    = regexp.MustCompile(`^\[([ xX])\]\s+(.*)$`)
	tableRow    = regexp.MustCompile(`^\|.*\|$`)
	delimiters  = regexp.MustCompile(`^[|\s:-]*-[|\s:-]*$`)
)

// readPlain returns the blocks of plain text, as people write it: headings are
// underlined, framed ("=== 2026-11-24 ===") or marked with number signs; a line
// that begins with a bullet or a number is an item; every other line is a
// paragraph of its own, unless it goes on with the line before. It does when
// it is indented more, or when the line before is as long as a line that was
// broken for its length and this one does not begin with a date or a label.
// No line is a table's row where there would be too many cells.
func readPlain(document string) []block {
	r := plainReader{untabled: hasManyBars(document)}
	lines := strings.Split(document, "\n")
	for i, line := range lines {
		next := ""
		if i+1 < len(lines) {
			next = strings.TrimSpace(lines[i+1])
		}
		r.line(i+1, line, next)
	}
	r.close()
	return r.blocks
}

// readLines returns the blocks of decoded HTML, in which every line or part of
// a line is a whole block.
func readLines(document string) []block {
	r := plainReader{whole: true, untabled: hasManyBars(document)}
	for i, line := range strings.Split(document, "\n") {
		for part := range strings.SplitSeq(line, blockBreak) {
			r.line(i+1, part, "")
		}
	}
	r.close()
	return r.blocks
}

// hasManyBars reports whether a document's tables could have more than maxCells.
func hasManyBars(document string) bool { return strings.Count(document, "|") > maxCells }

type plainReader struct {
	whole    bool // every line is a block
	untabled bool // no line is a table's row
	blocks   []block
	open     bool     // the last block may go on
	more     []string // lines of the last block after its first
	indent   int      // of its first line
	width    int      // of its last line, in columns
	table    int      // how many rows of a table stand before
	header   []string
}

func (r *plainReader) line(number int, line, next string) {
	trimmed := strings.TrimSpace(line)
	if !tableRow.MatchString(trimmed) && !(r.whole && trimmed == "") {
		r.table, r.header = 0, nil // HTML's rows stand apart, other tables' do not
	}
	wasUnderline := !r.whole && underline.MatchString(trimmed)
	switch {
	case trimmed == "" || wasUnderline:
		r.close()
	case r.heading(number, trimmed, next), r.row(number, trimmed), r.item(number, line), r.goesOn(number, line, trimmed):
	default:
		r.begin(line, block{kind: paragraph, first: number, last: number, text: oneLine(trimmed)})
	}
}

func (r *plainReader) heading(number int, line, next string) bool {
	b := block{kind: heading, first: number, last: number}
	if m := numberSigns.FindStringSubmatch(line); m != nil {
		b.level, b.text = len(m[1]), oneLine(m[2])
	} else if m := framed.FindStringSubmatch(line); m != nil && !r.whole {
		b.level, b.text = 2, oneLine(m[2])
	} else if !r.whole && underline.MatchString(next) && !underline.MatchString(line) && !bullet.MatchString(line) {
		b.level, b.text = 1, oneLine(line)
		if next[0] == '-' {
			b.level = 2
		}
	}
	if b.text == "" {
		return false
	}
	r.close()
	r.blocks = append(r.blocks, b)
	return true
}

// row reads a table's row. Rows before a line of dashes are its header.
func (r *plainReader) row(number int, line string) bool {
	if r.untabled || !tableRow.MatchString(line) || line == "|" {
		return false
	}
	r.close()
	if delimiters.MatchString(line) {
		if r.table == 1 {
			r.header = r.blocks[len(r.blocks)-1].cells
			r.blocks = r.blocks[:len(r.blocks)-1]
		}
		return true
	}
	r.table++
	b := block{kind: row, first: number, last: number, header: r.header, cells: splitRow(line)}
	if strings.Join(b.cells, "") == "" {
		r.table = 0
		return true
	}
	r.blocks = append(r.blocks, b)
	return true
}

// splitRow returns the cells between the bars; a bar in a cell has a backslash.
func splitRow(line string) []string {
	const bar = "\x00"
	line = strings.ReplaceAll(strings.Trim(line, "|"), `\|`, bar)
	cells := make([]string, 0, strings.Count(line, "|")+1)
	for cell := range strings.SplitSeq(line, "|") {
		cells = append(cells, oneLine(strings.ReplaceAll(cell, bar, "|")))
	}
	return cells
}

func (r *plainReader) item(number int, line string) bool {
	m := bullet.FindStringSubmatch(line)
	if m == nil || strings.TrimSpace(m[2]) == "" {
		return false
	}
	b := block{kind: item, level: columns(m[1]) / 2, first: number, last: number, text: oneLine(m[2])}
	if c := checkbox.FindStringSubmatch(b.text); c != nil {
		b.task, b.text = doneTask, c[2]
		if c[1] == " " {
			b.task = openTask
		}
	}
	r.begin(line, b)
	return true
}

// goesOn adds a line to the block before it.
func (r *plainReader) goesOn(number int, line, trimmed string) bool {
	const broken = 60 // columns; shorter lines were ended on purpose
	if r.whole || !r.open {
		return false
	}
	indented := columns(line[:len(line)-len(strings.TrimLeft(line, " \t"))]) > r.indent
	wrapped := r.width >= broken && !beginsAnew(trimmed)
	if !indented && !wrapped {
		return false
	}
	r.more = append(r.more, trimmed)
	r.blocks[len(r.blocks)-1].last = number
	r.width = columns(trimmed)
	return true
}

// close puts the last block's lines together.
func (r *plainReader) close() {
	r.open = false
	if len(r.more) > 0 {
		last := &r.blocks[len(r.blocks)-1]
		last.text = oneLine(last.text + " " + strings.Join(r.more, " "))
		r.more = nil
	}
}

func (r *plainReader) begin(line string, b block) {
	r.close()
	r.blocks = append(r.blocks, b)
	r.open = true
	r.indent = columns(line[:len(line)-len(strings.TrimLeft(line, " \t"))])
	r.width = columns(strings.TrimSpace(line))
}

// beginsAnew reports whether a line starts with a date or a label.
func beginsAnew(line string) bool {
	if label, _ := cutLabel(line); label != "" {
		return true
	}
	return beginsWithDate(line)
}

// beginsWithDate reports whether a line's first word is a date, with or
// without a year.
func beginsWithDate(line string) bool {
	const longest = 60 // bytes
	found := dates(cut(line, longest), makeDay(2000, 1, 1))
	return len(found) > 0 && found[0].start == 0
}

// columns is the width of a text on a screen: Chinese characters are two wide.
func columns(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		switch {
		case r == '\t':
			n += 3
		case unicode.In(r, unicode.Han) || 0x3000 <= r && r <= 0x303F || 0xFF00 <= r && r <= 0xFF60:
			n++
		}
	}
	return n
}
