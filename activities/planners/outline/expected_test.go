package outline

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The list was worked out by hand, reading the notes: every dated entry of the
// week, and nothing of another. The report has just these, each once, in the
// section of its kind.
func TestWeeklyReport_EveryDatedEntryOfTheWeekOnce(t *testing.T) {
	list, err := os.ReadFile(filepath.Join("testdata", "expected-2026-W48.tsv"))
	require.NoError(t, err)
	expected := strings.Split(strings.TrimSpace(string(list)), "\n")[1:]
	require.Len(t, expected, 60)

	report := pages(t, request(example(t)))["weekly/2026-W48.md"].Content
	require.ElementsMatch(t, expected, readReport(t, report))
}

var reportLine = regexp.MustCompile(`^(?:  - |- \*\*(.+?)\*\*(?:: |：))(.*) \[(.*):([0-9-]+)\]\(source:notes/.*\)$`)

// readReport reads a weekly report back into lines of the list.
func readReport(t *testing.T, report string) []string {
	t.Helper()
	kindNames := map[string]string{}
	for name, k := range map[string]kind{"done": done, "decided": decided, "planned": planned, "blocked": blocked, "noted": noted} {
		kindNames[english.kinds[k]], kindNames[chinese.kinds[k]] = name, name
	}
	days := map[string]string{}
	for d := makeWeek(2026, 48).monday(); d.week() == makeWeek(2026, 48); d = (day{d.t.AddDate(0, 0, 1)}) {
		days[english.shortDay(onDay(d))], days[chinese.shortDay(onDay(d))] = d.String(), d.String()
	}
	var lines []string
	kind, day := "", ""
	for line := range strings.SplitSeq(report, "\n") {
		if name, ok := strings.CutPrefix(line, "### "); ok {
			kind = kindNames[name]
			require.NotEmpty(t, kind, line)
		}
		m := reportLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if m[1] != "" { // a detail is of the day of the entry above
			day = days[m[1]]
			require.NotEmpty(t, day, line)
		}
		lines = append(lines, strings.Join([]string{unescape(m[3]), m[4], day, kind, unescape(m[2])}, "\t"))
	}
	return lines
}

var backslashed = regexp.MustCompile(`\\([[:punct:]])`)

func unescape(markdown string) string { return backslashed.ReplaceAllString(markdown, "$1") }
