package outline

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// mention is a date or a week where a text names it.
type mention struct {
	when       when
	start, end int  // in bytes
	full       bool // its year is written there
}

const monthNames = `(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)`

// The forms of dates: y, m and d are numbers, mon is a month's name, w a week's
// number. What may stand beside them is for cleanCut, because expressions do
// not look around here.
var dateForms = []*regexp.Regexp{
	regexp.MustCompile(`^(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})`),
	regexp.MustCompile(`^(?P<y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})`),
	regexp.MustCompile(`^(?P<y>\d{4})\.(?P<m>\d{1,2})\.(?P<d>\d{1,2})`),
	regexp.MustCompile(`^(?P<y>\d{4})-?[Ww](?P<w>\d{1,2})`),
	regexp.MustCompile(`^(?P<y>\d{4})\s?年\s?第\s?(?P<w>\d{1,2})\s?周`),
	regexp.MustCompile(`^(?:(?P<y>\d{4})\s?年\s?)?(?P<m>\d{1,2})\s?月\s?(?P<d>\d{1,2})\s?[日号]`),
	regexp.MustCompile(`^(?P<d>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<mon>` + monthNames + `)(?:\.?,? (?P<y>\d{4})\b)?`),
	regexp.MustCompile(`^(?P<mon>` + monthNames + `)\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?\b(?:,? (?P<y>\d{4})\b)?`),
}

const longestDate = 48 // bytes

// maxDated bounds the part of a text in which dates are sought, in bytes. What
// dates a text stands at its front, or the text is short.
const maxDated = 4096

// dates returns the dates that text names, in order. near is the day to which
// a date without a year lies nearest; without one such dates are not dates.
func dates(text string, near day) []mention {
	text = cut(text, maxDated)
	var found []mention
	for at := dateStart(text, 0); at < len(text); {
		m, ok := dateAt(text, at, near)
		if ok {
			found = append(found, m)
			at = m.end
		} else {
			at++
		}
		at = dateStart(text, at)
	}
	return found
}

// dateStart returns the next place, at or after one, where a date can begin:
// at a number, or at a capital letter that begins a month.
func dateStart(text string, at int) int {
	for ; at < len(text); at++ {
		c := text[at]
		number := isDigit(c) && (at == 0 || !isDigit(text[at-1]))
		month := strings.IndexByte("JFMASOND", c) >= 0
		if number || month {
			break
		}
	}
	return at
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// dateAt returns the longest date that begins at a place.
func dateAt(text string, at int, near day) (mention, bool) {
	var best []int
	var form *regexp.Regexp
	window := cut(text[at:], longestDate)
	for _, re := range dateForms {
		if groups := re.FindStringSubmatchIndex(window); groups != nil && (best == nil || groups[1] > best[1]) {
			form, best = re, groups
		}
	}
	if best == nil || !cleanCut(text, at, at+best[1]) {
		return mention{}, false
	}
	m, ok := read(form, window, best, near)
	m.start, m.end = at, at+best[1]
	return m, ok
}

// read turns one match into a day or a week of the calendar.
func read(form *regexp.Regexp, text string, groups []int, near day) (mention, bool) {
	value := func(name string) string {
		i := form.SubexpIndex(name)
		if i < 0 || groups[2*i] < 0 {
			return ""
		}
		return text[groups[2*i]:groups[2*i+1]]
	}
	number := func(name string) int { n, _ := strconv.Atoi(value(name)); return n }
	if value("w") != "" {
		w := makeWeek(number("y"), number("w"))
		return mention{when: inWeek(w), full: true}, !w.isZero()
	}
	month := number("m")
	if name := value("mon"); name != "" {
		month = int(monthOf(name))
	}
	var d day
	switch {
	case value("y") != "":
		d = makeDay(number("y"), month, number("d"))
	case !near.isZero():
		d = near.nearest(month, number("d"))
	}
	return mention{when: onDay(d), full: value("y") != ""}, !d.isZero()
}

func monthOf(name string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if strings.HasPrefix(m.String(), name[:3]) {
			return m
		}
	}
	return 0
}

// cleanCut refuses a date that is a piece of something longer: of a number, a
// version, a path or a word.
func cleanCut(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, size := utf8.DecodeRuneInString(text[end:])
	afterNext, _ := utf8.DecodeRuneInString(text[end+size:])
	if start > 0 && (isASCIIWord(before) && before != '_' || before == '.' || before == '/') {
		return false
	}
	if end == len(text) {
		return true
	}
	time := (after == 'T' || after == 't') && unicode.IsDigit(afterNext)
	if isASCIIWord(after) && after != '_' && !time {
		return false
	}
	return !(strings.ContainsRune("-/.", after) && unicode.IsDigit(afterNext))
}

func isASCIIWord(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
