package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// visible returns text without the characters that leave no mark on a screen,
// and how many they were. The package comment states the rule.
func visible(text string) (seen string, removed int) {
	var b strings.Builder
	kept := 0         // text[:kept] is in b, or left out
	last := rune(' ') // the last character that stays
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		next := i + size
		if leavesMark(r) || isSpelled(last, r, text[next:]) {
			last = r
		} else {
			b.WriteString(text[kept:i])
			kept = next
			removed++
		}
		i = next
	}
	if removed == 0 {
		return text, 0
	}
	b.WriteString(text[kept:])
	return b.String(), removed
}

// leavesMark reports whether r can be seen, as ink or as a gap.
func leavesMark(r rune) bool {
	switch {
	case ' ' <= r && r <= '~', r == '\n', r == '\t':
		return true
	case unicode.IsControl(r), isNoncharacter(r):
		return false
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return false
	case unicode.Is(unicode.Cf, r):
		// Signs that enclose digits, and hieroglyphs in a group, are drawn.
		return unicode.Is(unicode.Prepended_Concatenation_Mark, r) || 0x13430 <= r && r <= 0x1345F
	}
	return true
}

// isNoncharacter reports whether r is reserved for inside programs (Unicode
// 17.0, section 23.7).
func isNoncharacter(r rune) bool { return 0xFDD0 <= r && r <= 0xFDEF || r&0xFFFE == 0xFFFE }

const (
	nonJoiner, joiner       = '\u200C', '\u200D'
	textStyle, pictureStyle = '\uFE0E', '\uFE0F'
	keycap                  = '\u20E3'
)

// isSpelled reports whether a script or an emoji is spelled with r between the
// character before it and what follows.
func isSpelled(before, r rune, rest string) bool {
	switch r {
	case joiner:
		after, _ := utf8.DecodeRuneInString(rest)
		return isVirama(before) || isCursive(before) || endsPicture(before) && isPicture(after)
	case nonJoiner:
		after, _ := utf8.DecodeRuneInString(rest)
		return isVirama(before) || isCursive(before) && isCursive(after)
	case textStyle, pictureStyle:
		after, _ := utf8.DecodeRuneInString(rest)
		return isPicture(before) || strings.ContainsRune("0123456789#*", before) && after == keycap
	case '\u180B', '\u180C', '\u180D', '\u180F':
		return unicode.Is(unicode.Mongolian, before) && unicode.IsLetter(before)
	}
	return false
}

// isVirama reports whether r is the sign that joins consonants in the scripts
// of India, which have canonical combining class 9.
func isVirama(r rune) bool {
	const virama = 9
	return r >= 0x094D && norm.NFC.PropertiesString(string(r)).CCC() == virama
}

// isCursive reports whether r is of a script whose letters join.
func isCursive(r rune) bool {
	return r >= 0x0600 && (unicode.IsLetter(r) || unicode.IsMark(r)) && unicode.In(r,
		unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Mongolian, unicode.Phags_Pa, unicode.Adlam)
}

func isPicture(r rune) bool {
	return unicode.In(r, unicode.So, unicode.Sm) || strings.ContainsRune("‼⁉ℹ〰〽", r)
}

// endsPicture reports whether r ends a pictograph: the sign itself, its style,
// or a tone of skin.
func endsPicture(r rune) bool {
	return isPicture(r) || r == pictureStyle || 0x1F3FB <= r && r <= 0x1F3FF
}
