package outline

import (
	"strings"
	"unicode"
)

// isChinese reports whether a text is for readers of Chinese: when at least
// one letter in five is a Han character. Technical Chinese is full of Latin
// names, and English hardly ever of Han.
func isChinese(text string) bool {
	han, letters := 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
			letters++
		case unicode.IsLetter(r):
			letters++
		}
	}
	// A Chinese word is two characters where an English one is five letters.
	return han > 0 && han*5 >= letters
}

// hasLetter reports whether a cell has a letter, other than those of versions
// ("v1.2") and times ("…T09:00Z").
func hasLetter(s string) bool {
	for _, r := range s {
		if unicode.IsLetter(r) && r != 'v' && r != 'T' && r != 'Z' {
			return true
		}
	}
	return false
}

// hasWord reports whether a text says anything: rules and ornaments do not.
func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
