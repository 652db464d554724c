package plan

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape returns s for one line of a text that is signed, compared or logged; what
// people decide by is shown with Show, which goes further. Every character that a
// reader cannot see, or that moves or reorders what she sees, stands there as
// \u{XXXX}, line ends and tabs included. Signatures are over it: it must not change. That is each one that Unicode does not
// class as graphic (controls, bidi controls, zero-width and tag characters,
// line separators, private use) or that it lets a renderer ignore (variation
// selectors, fillers). A byte that is no UTF-8 stands there as \x{XX}. A
// backslash that would look like the start of such an escape is written as one
// itself, so that no text can pretend to be another one's escape.
func Escape(s string) string { return escape(s, "") }

// EscapeLines is Escape for a text of several lines: \n and \t stay.
func EscapeLines(s string) string { return escape(s, "\n\t") }

// escape keeps the characters of keep. Summary, which workflow code may call,
// comes here, and the determinism check accepts Sprintf where it refuses
// Fprintf.
func escape(s, keep string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(fmt.Sprintf(`\x{%02X}`, s[i]))
		case visible(r) && !startsEscape(s[i:]), strings.ContainsRune(keep, r):
			b.WriteRune(r)
		default:
			b.WriteString(fmt.Sprintf(`\u{%04X}`, r))
		}
		i += size
	}
	return b.String()
}

// visible reports whether r leaves a mark, or a plain space, where it stands.
func visible(r rune) bool {
	return unicode.IsGraphic(r) &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

func startsEscape(s string) bool {
	return strings.HasPrefix(s, `\u{`) || strings.HasPrefix(s, `\x{`)
}
