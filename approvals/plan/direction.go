package plan

import (
	"strings"

	"golang.org/x/text/unicode/bidi"
)

// leftToRight is U+200E, a mark of no width. A line that begins with somebody
// else's text has it before a right-to-left letter, so that the line itself runs
// from left to right: without it, rules P2 and P3 of Unicode Standard Annex 9
// let the first letter decide.
const leftToRight = "\u200e"

// leading is what stands before a piece that begins a line, and behind one that
// others follow on its line.
func leading(piece string) string {
	if strings.ContainsFunc(piece, isRightToLeft) {
		return leftToRight
	}
	return ""
}

// hideMovers hides right-to-left letters that would not stay in place, each
// together with all up to the next left-to-right letter, or to the line's end;
// and Arabic digits, which move one another.
func hideMovers(line []rune, hidden []bool) {
	for i, r := range line {
		hidden[i] = hidden[i] || classOf(r) == bidi.AN
	}
	for i := 0; i < len(line); i++ {
		if hidden[i] || !isRightToLeft(line[i]) {
			continue
		}
		end := i
		for end < len(line) && !hidden[end] && classOf(line[end]) != bidi.L {
			end++
		}
		for j, stays := i, staysInPlace(line[i:end]); j < end; j++ {
			hidden[j] = !stays && isRightToLeft(line[j])
		}
		i = end
	}
}

// staysInPlace reports whether a run of right-to-left letters, from the first up
// to the next left-to-right letter, moves nothing but itself when it is ordered
// by Unicode Standard Annex 9: words with blanks between them, each after one
// mark of prose at most, and then no digit. In a line that runs from left to
// right, the letters of such a run change places among themselves (rule L2);
// what follows the last of them is neutral and takes the line's direction (N2),
// and digits before it are read with the letter before them (W7). A digit after
// it would be ordered with it (W2, N1): "א 100 200" is shown as "200 100 א".
// Unicode Technical Report 36 says what is made of that ("Bidirectional Text
// Spoofing").
func staysInPlace(run []rune) bool {
	last := 0
	for i, r := range run {
		switch {
		case isRightToLeft(r):
			if between := run[last+1 : max(i, last+1)]; !separatesWords(between) {
				return false
			}
			last = i
		case classOf(r) == bidi.NSM && last == i-1:
			last = i // a mark belongs to its letter
		case classOf(r) == bidi.EN:
			return false
		}
	}
	return true
}

// separatesWords reports whether that is all between two letters of one word, or
// of two.
func separatesWords(between []rune) bool {
	switch len(between) {
	case 0:
		return true
	case 1:
		return between[0] == ' '
	case 2:
		return strings.ContainsRune(".,;:!?\u060C", between[0]) && between[1] == ' '
	default:
		return false
	}
}

func isRightToLeft(r rune) bool {
	class := classOf(r)
	return class == bidi.R || class == bidi.AL
}

func classOf(r rune) bidi.Class {
	properties, _ := bidi.LookupRune(r)
	return properties.Class()
}
