package outline

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/holdpoint/holdpoint/activities/planners"
)

var weekNames = regexp.MustCompile(`(?:^|[^0-9A-Za-z])(?:(\d{4})-?[Ww](\d{1,2})|(\d{4})\s?年\s?第\s?(\d{1,2})\s?周)(?:$|[^0-9])`)

// namedWeek returns the first week that a text names, or the zero week. Naming
// a week that its year does not have is a mistake, and an error.
func namedWeek(text string) (week, error) {
	groups := weekNames.FindStringSubmatch(text)
	if groups == nil {
		return week{}, nil
	}
	year, _ := strconv.Atoi(groups[1] + groups[3])
	number, _ := strconv.Atoi(groups[2] + groups[4])
	w := makeWeek(year, number)
	if w.isZero() {
		return week{}, refuse("outline_no_such_week", fmt.Sprintf("the year %d has no week %d", year, number))
	}
	return w, nil
}

// askedWeek returns the week that the task wants reported, or the zero week:
// that of the approvers' last word, else of the goal, else of the business id.
func askedWeek(r planners.Request, w wishes) (week, error) {
	if !w.week.isZero() {
		return w.week, nil
	}
	for _, text := range []string{r.Goal, r.BusinessID} {
		if named, err := namedWeek(text); err != nil || !named.isZero() {
			return named, err
		}
	}
	return week{}, nil
}

// chooseWeek returns the week to report, or the zero week when there is
// nothing to report, and a note that says why. Without a week asked for it is
// the latest of which anything but plans is reported, because notes run ahead
// of time with what people mean to do; and dates that a text names only in
// passing ask for no report.
func chooseWeek(asked week, topics []topic) (week, string) {
	var latest, latestPlan week
	count := map[week]int{}
	for _, t := range topics {
		for _, e := range t.entries {
			w := e.when.inWeek()
			count[w]++
			if e.passing {
				continue
			}
			if e.kind != planned && latest.before(w) {
				latest = w
			}
			if latestPlan.before(w) {
				latestPlan = w
			}
		}
	}
	if latest.isZero() {
		latest = latestPlan
	}
	switch {
	case !asked.isZero() && count[asked] == 0:
		return week{}, fmt.Sprintf("no weekly report: no document has an entry of %s", asked)
	case !asked.isZero():
		return asked, fmt.Sprintf("the weekly report is of %s, as asked; entries: %d", asked, count[asked])
	case latest.isZero():
		return week{}, "no weekly report: no document is written by days"
	default:
		return latest, fmt.Sprintf("the weekly report is of %s, the latest week that the documents report of; entries: %d", latest, count[latest])
	}
}
