package outline

import (
	"fmt"
	"time"
)

// day is a calendar day, at midnight UTC; the zero day is none. Documents name
// days without a time zone, and nothing here asks a clock.
type day struct{ t time.Time }

// makeDay returns the day, or none when the calendar has no such day.
func makeDay(year, month, dayOfMonth int) day {
	if year < 1970 || year > 2199 {
		return day{}
	}
	t := time.Date(year, time.Month(month), dayOfMonth, 0, 0, 0, 0, time.UTC)
	if t.Month() != time.Month(month) || t.Day() != dayOfMonth {
		return day{}
	}
	return day{t}
}

func (d day) isZero() bool      { return d.t.IsZero() }
func (d day) before(e day) bool { return d.t.Before(e.t) }
func (d day) String() string    { return d.t.Format(time.DateOnly) }

func (d day) week() week {
	year, number := d.t.ISOWeek()
	return week{year, number}
}

// nearest returns the day of that month that lies nearest to d, so that notes
// written without years run on over New Year.
func (d day) nearest(month, dayOfMonth int) day {
	var best day
	for _, year := range []int{d.t.Year(), d.t.Year() - 1, d.t.Year() + 1} {
		candidate := makeDay(year, month, dayOfMonth)
		if !candidate.isZero() && (best.isZero() || candidate.t.Sub(d.t).Abs() < best.t.Sub(d.t).Abs()) {
			best = candidate
		}
	}
	return best
}

// week is an ISO 8601 week; the zero week is none.
type week struct{ year, number int }

// makeWeek returns the week, or none when the year has no such week.
func makeWeek(year, number int) week {
	w := week{year, number}
	if year < 1970 || year > 2199 || number < 1 || number > 53 || w.monday().week() != w {
		return week{}
	}
	return w
}

func (w week) isZero() bool { return w == week{} }

func (w week) String() string { return fmt.Sprintf("%04d-W%02d", w.year, w.number) }

// monday is the first day: the week of 4 January is each year's first.
func (w week) monday() day {
	fourth := makeDay(w.year, 1, 4)
	sinceMonday := (int(fourth.t.Weekday()) + 6) % 7
	return day{fourth.t.AddDate(0, 0, 7*(w.number-1)-sinceMonday)}
}

func (w week) sunday() day { return day{w.monday().t.AddDate(0, 0, 6)} }

func (w week) before(v week) bool {
	return w.year < v.year || w.year == v.year && w.number < v.number
}

// when is a day, or a whole week for what stands under a heading that names
// only the week; the zero when is none.
type when struct {
	day  day
	week week
}

func onDay(d day) when   { return when{day: d} }
func inWeek(w week) when { return when{week: w} }

func (w when) isZero() bool { return w == when{} }

func (w when) inWeek() week {
	if w.day.isZero() {
		return w.week
	}
	return w.day.week()
}

// first is the first day of it, for sorting.
func (w when) first() day {
	if w.day.isZero() && !w.week.isZero() {
		return w.week.monday()
	}
	return w.day
}

func (w when) String() string {
	if w.day.isZero() {
		return w.week.String()
	}
	return w.day.String()
}
