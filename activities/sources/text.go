package sources

import (
	"strings"
	"unicode/utf8"
)

// Decoded is a document's text and what had to be done to get it.
type Decoded struct {
	// Text is valid UTF-8 without byte order mark and NUL; lines end in "\n".
	// Line N of it is line N of the file (see [Decode] for HTML).
	Text     string
	Replaced int // bytes that were no UTF-8, each now U+FFFD
	NULs     int // NUL characters removed
	Hidden   int // comments and hidden elements of HTML with text in them, left out
	// Problem says why there is no text at all; empty when there is.
	Problem string
}

// Decode turns the bytes of a document into text. Any encoding but UTF-8 comes
// out with replaced bytes.
//
// HTML becomes its readable text. Each heading, paragraph, list item and table
// row stands on the line of the file on which its text begins, marked as in
// Markdown ("## ", "- ", "| … | … |"); when one line of the file holds several
// of them, U+2028 parts them. A row of headers is followed by "| --- | … |",
// parted in the same way. Scripts, styles, comments and elements that the
// page hides by attribute or inline style are left out; what a style sheet
// hides is not known here and stays.
func Decode(mediaType string, data []byte) Decoded {
	d := decodeText(data)
	if mediaType == "text/html" {
		d.Text, d.Hidden, d.Problem = htmlText(d.Text)
	}
	return d
}

func decodeText(data []byte) Decoded {
	var d Decoded
	var b strings.Builder
	text := strings.TrimPrefix(string(data), "\uFEFF")
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			d.Replaced++
			b.WriteRune(utf8.RuneError)
		case r == 0:
			d.NULs++
		case r == '\r':
			b.WriteByte('\n')
			if strings.HasPrefix(text[i+1:], "\n") {
				size = 2
			}
		default:
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	d.Text = b.String()
	return d
}
