package plan

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pageWidth is that of the narrowest terminal for which a page is laid out, in
// columns. What is longer is broken here: a terminal that breaks a line itself
// starts the next one with whatever a document says.
const pageWidth = 80

// WriteField writes a name and a text that somebody else may have chosen, as Show
// does and on as many lines as it needs. Each but the first is led by a bar, so that
// the text can draw no line of its own. The error is w's.
func WriteField(w io.Writer, name, text string) error {
	const lead = 16
	pieces := fold(Show(text), pageWidth-lead)
	if _, err := fmt.Fprintf(w, "   %-13s%s\n", name, pieces[0]); err != nil {
		return err
	}
	for _, piece := range pieces[1:] {
		if _, err := fmt.Fprintf(w, "%*s%s%s\n", lead, "┆ ", leading(piece), piece); err != nil {
			return err
		}
	}
	return nil
}

// fold cuts an escaped text of one line into pieces of at most width columns,
// behind a blank where one is near, and returns one at least. Nothing of it is
// left out.
func fold(text string, width int) []string {
	var pieces []string
	start, blank, column := 0, 0, 0 // blank is behind the last one that is worth a break
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if column+columns(r) > width && i > start {
			end := i
			if blank > start {
				end = blank
			}
			pieces = append(pieces, text[start:end])
			start, blank, column, i = end, 0, 0, end
			continue
		}
		column += columns(r)
		i += size
		if r == ' ' && column > width/2 {
			blank = i
		}
	}
	return append(pieces, text[start:])
}

// columns is how many of a terminal r may take. A tab takes eight at most. A mark
// stands with its letter, and is never parted from it. From U+1100 on (the first
// Hangul letters) most letters take two, and those that take less only make a line
// shorter than it could be.
func columns(r rune) int {
	switch {
	case r == '\t':
		return 8
	case unicode.Is(unicode.Mn, r):
		return 0
	case r >= 0x1100 && r != utf8.RuneError:
		return 2
	default:
		return 1
	}
}

// barred writes a text of several lines, each led by a bar, and what one of them
// has beyond the page's width by another.
func barred(w *strings.Builder, text string) {
	const lead = 5
	for l := range strings.SplitSeq(strings.TrimSuffix(ShowLines(text), "\n"), "\n") {
		for i, piece := range fold(l, pageWidth-lead) {
			bar := "│"
			if i > 0 {
				bar = "┆"
			}
			w.WriteString("   " + bar + " " + leading(piece) + piece + "\n")
		}
	}
}
