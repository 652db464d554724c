package outline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDates(t *testing.T) {
	near := makeDay(2026, 11, 20)
	for text, want := range map[string][]string{
		"2026-11-24":                           {"2026-11-24"},
		"2026/11/24 and 2026.11.4":             {"2026-11-24", "2026-11-04"},
		"2026年11月24日":                          {"2026-11-24"},
		"2026 年 11 月 4 号":                      {"2026-11-04"},
		"11月24日（周二）":                           {"2026-11-24"},
		"24 November 2026":                     {"2026-11-24"},
		"the 1st of Dec 2026, Dec 3rd, 2026":   {"2026-12-01", "2026-12-03"},
		"Tue Nov 24":                           {"2026-11-24"},
		"until 4 December, then":               {"2026-12-04"},
		"2026-W48 and 2026w1 and 2026年第 49 周":  {"2026-W48", "2026-W01", "2026-W49"},
		"at 2026-11-24T09:12:00Z":              {"2026-11-24"},
		"standup-2026-11-24_berlin":            {"2026-11-24"},
		"于2026-11-24上线":                        {"2026-11-24"},
		"2026-11-23 – 2026-11-27":              {"2026-11-23", "2026-11-27"},
		"2026-02-30":                           nil,
		"2026-13-01":                           nil,
		"2026-W54":                             nil,
		"12026-11-24, 2026-11-245":             nil,
		"version 2026.11.24.1 and v2026.11.24": nil,
		"reports/2026/11/24/x.md":              nil,
		"2026-11/24":                           nil,
		"March 2028":                           nil,
		"may 3 of them":                        nil,
		"31月11日":                               nil,
		"":                                     nil,
	} {
		var got []string
		for _, m := range dates(text, near) {
			got = append(got, m.when.String())
			require.LessOrEqual(t, m.end, len(text))
		}
		require.Equal(t, want, got, "%q", text)
	}
	require.Empty(t, dates("11月24日, Nov 24", day{}), "no year anywhere")
}

func TestNearest_RunsOnOverNewYear(t *testing.T) {
	require.Equal(t, "2027-01-04", makeDay(2026, 12, 28).nearest(1, 4).String())
	require.Equal(t, "2026-12-28", makeDay(2027, 1, 4).nearest(12, 28).String())
	require.Equal(t, "2028-02-29", makeDay(2027, 6, 1).nearest(2, 29).String(), "only 2028 has the day")
	require.True(t, makeDay(2026, 6, 1).nearest(2, 30).isZero())
}

func TestWeek(t *testing.T) {
	require.Equal(t, "2026-11-23", makeWeek(2026, 48).monday().String())
	require.Equal(t, "2026-11-29", makeWeek(2026, 48).sunday().String())
	require.Equal(t, "2026-W53", makeDay(2027, 1, 3).week().String())
	require.Equal(t, "2025-12-29", makeWeek(2026, 1).monday().String())
	require.True(t, makeWeek(2025, 53).isZero(), "2025 has 52 weeks")
	require.True(t, makeWeek(2026, 0).isZero())
}

func TestSpan(t *testing.T) {
	require.Equal(t, "23 to 29 November 2026", english.span(makeWeek(2026, 48)))
	require.Equal(t, "30 November to 6 December 2026", english.span(makeWeek(2026, 49)))
	require.Equal(t, "28 December 2026 to 3 January 2027", english.span(makeWeek(2026, 53)))
	require.Equal(t, "2026年12月28日至2027年1月3日", chinese.span(makeWeek(2026, 53)))
	require.Equal(t, "2026年11月23日至11月29日", chinese.span(makeWeek(2026, 48)))
}

func TestDated(t *testing.T) {
	for text, want := range map[string]struct {
		at   stamp
		when string
		rest string
	}{
		"2026-11-24: shipped it":                {leading, "2026-11-24", "shipped it"},
		"2026-11-24 决定：用新网关":                    {leading, "2026-11-24", "决定：用新网关"},
		"[2026-11-24] shipped":                  {leading, "2026-11-24", "shipped"},
		"【2026-11-24】完成":                        {leading, "2026-11-24", "完成"},
		"2026-11-24 (Tue) – shipped":            {leading, "2026-11-24", "shipped"},
		"11月24日（周二）：修复":                         {leading, "2026-11-24", "修复"},
		"Tue, 24 Nov 2026: shipped":             {leading, "2026-11-24", "shipped"},
		"2026-11-24 09:30 started":              {leading, "2026-11-24", "started"},
		"2026-11-24T09:30:00+01:00 started":     {leading, "2026-11-24", "started"},
		"2026-11-24":                            {leading, "2026-11-24", ""},
		"2026-11-24 周二":                         {leading, "2026-11-24", ""},
		"2026-11-23 – 2026-11-27: sprint 12":    {leading, "2026-11-23", "2026-11-23 – 2026-11-27: sprint 12"},
		"crash on tablets (2026-11-23)":         {trailing, "2026-11-23", "crash on tablets"},
		"补齐报告（2026-11-27）。":                     {trailing, "2026-11-27", "补齐报告"},
		"crash (Mon 2026-11-23)":                {trailing, "2026-11-23", "crash"},
		"ask the store (due 2026-12-03)":        {inside, "2026-12-03", "ask the store (due 2026-12-03)"},
		"we are done on 2026-11-24, or so":      {inside, "2026-11-24", "we are done on 2026-11-24, or so"},
		"nothing":                               {unstamped, "2026-W00", "nothing"},
		"Monday is fine, so is 2026-11-24 then": {inside, "2026-11-24", "Monday is fine, so is 2026-11-24 then"},
	} {
		w, at, rest := dated(text, makeDay(2026, 11, 20))
		require.Equal(t, want.at, at, text)
		require.Equal(t, want.rest, rest, text)
		if at != unstamped {
			require.Equal(t, want.when, w.String(), text)
		}
	}
}

func TestDatedHeading(t *testing.T) {
	for text, want := range map[string]string{
		"2026-11-24":                            "2026-11-24",
		"2026-11-24 (Tue)":                      "2026-11-24",
		"2026-11-24 release 5.12":               "2026-11-24",
		"Minutes of 26 November 2026":           "2026-11-26",
		"Minutes (2026-11-26)":                  "2026-11-26",
		"11月30日（周一）":                            "2026-11-30",
		"Week 2026-W48":                         "2026-W48",
		"2026-11-23 – 2026-11-27":               "2026-W48",
		"Contacts (updated 2026-11-24)":         "",
		"Roadmap to 2026-12-31":                 "",
		"更新于 2026-11-24":                        "",
		"2026-11-23 – 2026-12-27":               "",
		"Why 2026-11-24 was a bad day for us":   "",
		"Search service":                        "",
		"What changed between 5.1 and 5.2":      "",
		"standup-2026-11-24":                    "2026-11-24",
		"2026-11-24-standup":                    "2026-11-24",
		"From 2026-11-24 to 2026-11-24, a day!": "",
	} {
		got := datedHeading(text, makeDay(2026, 11, 20))
		if want == "" {
			require.True(t, got.isZero(), "%q is of %v", text, got)
			continue
		}
		require.Equal(t, want, got.String(), text)
	}
}

// A text of many near-dates must not be read once for each of them.
func TestDates_StayFastOnHostileText(t *testing.T) {
	hostile := strings.Repeat("2026-11-242026年", 20_000)
	require.Empty(t, dates(hostile, makeDay(2026, 1, 1)))
}
