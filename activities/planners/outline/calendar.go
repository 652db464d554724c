package outline

import (
	"regexp"
	"slices"
	"strconv"
)

// Where a year without a day may stand.
var (
	anyYear     = regexp.MustCompile(`(?:^|\D)((?:19|20)\d\d)(?:\D|$)`)
	chineseYear = regexp.MustCompile(`((?:19|20)\d\d)\s?年`)
)

// midYear returns the middle of the first year that s names, or none. Every
// date of that year lies nearest to it.
func midYear(s string, form *regexp.Regexp) day {
	groups := form.FindStringSubmatch(s)
	if groups == nil {
		return day{}
	}
	year, _ := strconv.Atoi(groups[1])
	return makeDay(year, 7, 2)
}

// calendar answers, for a line of one document, which day is near it.
type calendar struct {
	lines []int // of the full dates, ascending
	days  []day
	hint  day // when the document has no full date
}

// near prefers the last full date before the line to the first one after it.
func (c calendar) near(line int) day {
	i, _ := slices.BinarySearch(c.lines, line+1)
	switch {
	case i > 0:
		return c.days[i-1]
	case i < len(c.lines):
		return c.days[i]
	default:
		return c.hint
	}
}

// add takes the next full date. Of those on one line the last counts, and the
// very first of all for the lines before it; no other is kept.
func (c *calendar) add(line int, d day) {
	if n := len(c.lines); n > 1 && c.lines[n-1] == line {
		c.days[n-1] = d
		return
	}
	c.lines = append(c.lines, line)
	c.days = append(c.days, d)
}

// makeCalendar gathers the full dates of a document's blocks. Without any, a
// year in the path, in a heading or before 年 serves, and at last the week that
// was asked for.
func makeCalendar(path string, blocks []block, asked week) calendar {
	var c calendar
	for _, b := range blocks {
		for _, m := range dates(b.all(), day{}) {
			if m.full {
				c.add(b.first, m.when.first())
			}
		}
	}
	if len(c.days) > 0 {
		return c
	}
	c.hint = midYear(path, anyYear)
	for _, b := range blocks {
		if !c.hint.isZero() {
			return c
		}
		c.hint = midYear(b.all(), chineseYear)
		if b.kind == heading && c.hint.isZero() {
			c.hint = midYear(b.text, anyYear)
		}
	}
	if c.hint.isZero() && !asked.isZero() {
		c.hint = asked.monday()
	}
	return c
}
