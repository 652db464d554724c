package outline

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Limits of what is quoted of one place, in characters.
const (
	maxQuote    = 600
	maxSentence = 240
	maxTitle    = 120
)

// emojiForms choose between the text and the emoji form of a symbol. They say
// nothing, and as escapes they would only be in the way.
var emojiForms = strings.NewReplacer("\uFE0E", "", "\uFE0F", "")

// quote returns a document's words as Markdown that shows just these words:
// nothing in them is markup, a link, HTML or a mention of a heading, and what
// cannot be seen stands there as an escape. A cut is stated.
func quote(text string, limit int, w words) string {
	if line := oneLine(emojiForms.Replace(text)); line != "" {
		text = line // a text of blanks alone is shown as such
	}
	kept := shorten(text, limit)
	escaped := escapeMarkdown(plan.Escape(kept))
	if rest := utf8.RuneCountInString(text[len(kept):]); rest > 0 {
		escaped += fmt.Sprintf(w.cutQuote, rest)
	}
	return escaped
}

// shorten keeps at most limit characters, up to the end of a word when one
// ends soon before.
func shorten(text string, limit int) string {
	const longestWord = 30
	kept := text[:runeOffset(text, limit)]
	if len(kept) == len(text) {
		return text
	}
	if at := strings.LastIndexByte(kept, ' '); at > 0 && utf8.RuneCountInString(kept[at:]) < longestWord {
		return kept[:at]
	}
	return kept
}

// runeOffset is where the character of a number, from 0, begins: the end of a
// text that has none of it.
func runeOffset(text string, number int) int {
	for i := range text {
		if number == 0 {
			return i
		}
		number--
	}
	return len(text)
}

// escapeMarkdown puts a backslash before every character that could begin
// markup where it stands: in CommonMark and GitHub's additions to it, and in
// templates that site generators expand. What cannot is left as it is, because
// approvers read the source of these pages.
func escapeMarkdown(text string) string {
	runes := []rune(text)
	var b strings.Builder
	for i, r := range runes {
		if needsBackslash(runes[:i], r, runes[i+1:]) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func needsBackslash(before []rune, r rune, after []rune) bool {
	if strings.ContainsRune("\\`*[]<|~$@", r) {
		return true
	}
	switch r {
	case '_':
		return !endsInWord(before) || len(after) == 0 || !isWord(after[0])
	case '&':
		return isEntity(after)
	case ':':
		return len(after) > 1 && after[0] == '/' && after[1] == '/' || endsIn(before, "mailto")
	case '.':
		return endsIn(before, "www")
	case '#':
		return len(before) == 0 || len(after) == 0 || endsIn(before, "{")
	case '{', '%':
		return endsIn(before, "{")
	default:
		return false
	}
}

func endsInWord(text []rune) bool { return len(text) > 0 && isWord(text[len(text)-1]) }

// endsIn reports whether text ends in the ASCII word end, in any case.
func endsIn(text []rune, end string) bool {
	return len(text) >= len(end) && strings.EqualFold(string(text[len(text)-len(end):]), end)
}

// isEntity reports whether what follows an ampersand makes it an HTML entity.
func isEntity(runes []rune) bool {
	for i, r := range runes {
		if r == ';' {
			return i > 0
		}
		if r != '#' && !isASCIIWord(r) {
			return false
		}
	}
	return false
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// linkPath writes a path for a link's destination. Letters of any script stay
// readable; whatever could end the destination or hide in it is encoded.
func linkPath(p string) string {
	var b strings.Builder
	for _, r := range p {
		switch {
		case r == '/' || r == '-' || r == '_' || r == '.' || r == '+' || r == ',' || r == '=' || isWord(r),
			unicode.IsMark(r) && plan.Escape(string(r)) == string(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.ReplaceAll(url.QueryEscape(string(r)), "+", "%20"))
		}
	}
	return b.String()
}

// firstSentence returns the first sentence of a text, which has more than
// three characters when it ends in a full stop.
func firstSentence(text string) string {
	var last, beforeLast rune // the characters before r
	before := 0               // how many those are
	for rest := text; rest != ""; before++ {
		r, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		ends := strings.ContainsRune(".!?", r) && before > 2 && strings.HasPrefix(rest, " ") && !isInitial(beforeLast, last, rest[1:])
		if ends || strings.ContainsRune("。！？", r) {
			return text[:len(text)-len(rest)]
		}
		last, beforeLast = r, last
	}
	return text
}

// isInitial reports whether a full stop belongs to an abbreviation: it follows
// a single letter ("e.g.", "J. Weber") or stands before a small one.
func isInitial(beforeLast, last rune, after string) bool {
	single := unicode.IsLetter(last) && !unicode.IsLetter(beforeLast)
	next, _ := utf8.DecodeRuneInString(after)
	return single || unicode.IsLower(next)
}
