package model

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// readable is a text without the letters that a model would read and a person
// would not see, such as tags, controls and those that reorder a line. They
// carry nothing for a document's readers, and are a way to talk past them. A
// joiner or a selector that follows a visible letter is part of how that one
// looks, and stays.
//
// Reading the documents has done the same and more; this is for whatever else
// goes into a prompt, and for a document that came another way.
func readable(text string) string {
	afterVisible := false
	return strings.Map(func(r rune) rune {
		keep := visible(r) || r == '\n' || r == '\t' || afterVisible && shapes(r)
		afterVisible = visible(r)
		if !keep {
			return -1
		}
		return r
	}, text)
}

func visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// shapes reports the joiners, and the selectors of text and emoji form.
func shapes(r rune) bool { return r == '\u200c' || r == '\u200d' || r == '\ufe0e' || r == '\ufe0f' }

// quoted is a name as a JSON string in which every letter can be seen, so that a
// model can repeat it letter by letter.
func quoted(name string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range name {
		switch {
		case r == '"', r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case visible(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
