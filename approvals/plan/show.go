package plan

import (
	"fmt"
	"strings"
	"unicode"
)

// Show is Escape for a screen by which people decide. There, what looks like
// nothing, or like another character, stands as \u{XXXX} too: every blank but
// the space (no-break, thin, ideographic, the empty Braille cell), marks that
// draw through, around or under a letter, and those right-to-left letters that
// would carry digits away with them, see staysInPlace.
//
// What people sign, and what programs compare, is Escape's.
func Show(s string) string { return OnScreen(Escape(s)) }

// ShowLines is Show for a text of several lines: \n and \t stay.
func ShowLines(s string) string { return OnScreen(EscapeLines(s)) }

// OnScreen is Show for a text that is escaped already: the escapes in it stay as
// they are.
func OnScreen(escaped string) string {
	if isASCII(escaped) {
		return escaped
	}
	lines := strings.Split(escaped, "\n")
	for i, l := range lines {
		lines[i] = onOneLine([]rune(l))
	}
	return strings.Join(lines, "\n")
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// onOneLine shows one line, which is one paragraph to a terminal that orders
// letters by their direction. Sprintf is here as in escape.
func onOneLine(line []rune) string {
	hidden := make([]bool, len(line))
	hideBlanks(line, hidden)
	hideMarks(line, hidden)
	hideMovers(line, hidden)
	var b strings.Builder
	for i, r := range line {
		if hidden[i] {
			b.WriteString(fmt.Sprintf(`\u{%04X}`, r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hideBlanks hides what looks like a space, or like nothing, and is neither a
// space nor a tab.
func hideBlanks(line []rune, hidden []bool) {
	for i, r := range line {
		hidden[i] = r != ' ' && unicode.Is(unicode.Zs, r) || strings.ContainsRune(blankGlyphs, r)
	}
}

// blankGlyphs are graphic characters whose glyph is empty: the Braille cell
// without dots, the Khitan filler, the Egyptian blanks, the null notehead.
const blankGlyphs = "\u2800\U00016FE4\U00013441\U00013442\U0001D159"

// maxMarks is how many marks one letter bears, and no mark twice in a row: what
// Unicode Technical Standard 39, section 5.4, names as no part of any writing.
const maxMarks = 4

// hideMarks hides the marks that are no part of a letter.
func hideMarks(line []rune, hidden []bool) {
	letter, marks := false, 0
	for i, r := range line {
		if !unicode.In(r, unicode.Mn, unicode.Me) {
			letter, marks = unicode.IsLetter(r) || unicode.Is(unicode.Mc, r), 0
			continue
		}
		marks++
		hidden[i] = !letter || marks > maxMarks || line[i-1] == r || drawsOver(r)
	}
}

// drawsOver reports a mark that changes how any letter looks instead of making
// another one of it. Of the blocks whose marks belong to no script, those make
// letters with which Unicode composes some. Elsewhere, the overlays are named by
// their combining class, 1.
func drawsOver(r rune) bool {
	switch {
	case unicode.Is(unicode.Me, r), unicode.Is(overlays, r):
		return true
	case unicode.Is(commonMarks, r):
		return !unicode.Is(accents, r)
	default:
		return false
	}
}

// The tables are written out, for workflow code comes here, and what a Unicode
// library of another version says must not matter to it.
var (
	commonMarks = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x0300, Hi: 0x036F, Stride: 1}, {Lo: 0x1AB0, Hi: 0x1AFF, Stride: 1}, {Lo: 0x1DC0, Hi: 0x1DFF, Stride: 1},
		{Lo: 0x20D0, Hi: 0x20FF, Stride: 1}, {Lo: 0xFE20, Hi: 0xFE2F, Stride: 1},
	}}
	accents = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x0300, Hi: 0x0304, Stride: 1}, {Lo: 0x0306, Hi: 0x030C, Stride: 1}, {Lo: 0x030F, Hi: 0x0311, Stride: 2},
		{Lo: 0x0313, Hi: 0x0314, Stride: 1}, {Lo: 0x031B, Hi: 0x031B, Stride: 1}, {Lo: 0x0323, Hi: 0x0328, Stride: 1},
		{Lo: 0x032D, Hi: 0x032E, Stride: 1}, {Lo: 0x0330, Hi: 0x0331, Stride: 1}, {Lo: 0x0342, Hi: 0x0345, Stride: 3},
	}}
	overlays = &unicode.RangeTable{
		R16: []unicode.Range16{{Lo: 0x1CD4, Hi: 0x1CD4, Stride: 1}, {Lo: 0x1CE2, Hi: 0x1CE8, Stride: 1}},
		R32: []unicode.Range32{
			{Lo: 0x10A39, Hi: 0x10A39, Stride: 1}, {Lo: 0x16AF0, Hi: 0x16AF4, Stride: 1},
			{Lo: 0x1BC9E, Hi: 0x1BC9E, Stride: 1}, {Lo: 0x1D167, Hi: 0x1D169, Stride: 1},
		},
	}
)
