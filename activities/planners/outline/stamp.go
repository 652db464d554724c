package outline

import (
	"regexp"
	"strings"
)

// stamp is where an item carries its date.
type stamp int

const (
	unstamped stamp = iota
	leading         // "2026-11-24: …"
	trailing        // "… (2026-11-24)"
	inside          // "… until 2026-11-24 …"
)

var (
	opening = regexp.MustCompile(`^[\s\[(（【*_]*$`)
	// What may stand between a date and the text it dates: closing brackets, a
	// weekday, a time of day, and a colon or dash.
	afterDate = regexp.MustCompile(`^[\])）】*_]*(?:\s*[(（,，]?\s*(?:` + weekdays + `)\.?\s*[)）]?)?(?:` + timeOfDay + `)?[\])）】*_]*\s*[:：\-–—,，、|]*\s*`)
	weekday   = regexp.MustCompile(`(?i)^(?:` + weekdays + `)[,，]?\s*$`)
	lastPart  = regexp.MustCompile(`[(（\[【]([^()（）\[\]【】]+)[)）\]】][\s.。!！]*$`)
)

const timeOfDay = `[T\s]+\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?`

const weekdays = `(?i:mon|tue|wed|thu|fri|sat|sun)[a-z]*|(?:周|星期|礼拜)[一二三四五六日天]`

// dated finds the date that a text carries, and the text without it when the
// date only dates it.
func dated(text string, near day) (when, stamp, string) {
	found := dates(text, near)
	if len(found) == 0 {
		return when{}, unstamped, text
	}
	if rest, ok := cutLeading(text, found); ok {
		return found[0].when, leading, rest
	}
	last := found[len(found)-1]
	if rest, ok := cutTrailing(text, last); ok {
		return last.when, trailing, rest
	}
	return found[0].when, inside, text
}

// cutLeading cuts a date at the front. Of a range nothing is cut.
func cutLeading(text string, found []mention) (string, bool) {
	first := found[0]
	before := text[:first.start]
	if !opening.MatchString(before) && !weekday.MatchString(strings.TrimLeft(before, "[(（【*_ ")) {
		return text, false
	}
	rest := text[first.end:]
	rest = rest[len(afterDate.FindString(rest)):]
	if len(found) > 1 && found[1].start == len(text)-len(rest) {
		return text, true
	}
	return rest, true
}

// cutTrailing cuts a date that stands alone in brackets at the end.
func cutTrailing(text string, last mention) (string, bool) {
	at := lastPart.FindStringSubmatchIndex(text)
	if at == nil || last.start < at[2] || last.end > at[3] {
		return text, false
	}
	around := text[at[2]:last.start] + text[last.end:at[3]]
	if around = strings.TrimSpace(around); around != "" && !weekday.MatchString(around) {
		return text, false
	}
	return strings.TrimSpace(text[:at[0]]), true
}

// datedHeading returns the date under which everything below a heading stands.
// A heading has one when a date begins or ends it, and no word says that the
// date is another thing's, as in "Contacts (updated 2026-11-24)". A heading
// that runs from one day to another of the same week stands for that week.
func datedHeading(text string, near day) when {
	found := dates(text, near)
	if len(found) == 0 {
		return when{}
	}
	first, last := found[0], found[len(found)-1]
	_, leads := cutLeading(text, found)
	ends := strings.Trim(text[last.end:], " \t)）]】。.:：*_=-") == "" || weekday.MatchString(strings.Trim(text[last.end:], " (（)）,，"))
	switch {
	case len(found) > 1 && ends && first.when.inWeek() == last.when.inWeek():
		if first.when == last.when {
			return first.when
		}
		return inWeek(first.when.inWeek())
	case leads && len(found) == 1:
		return first.when
	case ends && len(found) == 1 && !ofAnother(text[:first.start]):
		return first.when
	default:
		return when{}
	}
}

var anothers = regexp.MustCompile(
	`(?i)(?:\b(?:updated?|modified|changed|until|till|to|due|by|before|after|since|from|as of)|更新于?|更新日期|截至|截止|直到|修改于?)[\s:：(（]*$`)

func ofAnother(before string) bool { return anothers.MatchString(before) }
