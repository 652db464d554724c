package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSummaryIsWholeWhenThereIsRoom(t *testing.T) {
	p := samplePlan()
	require.Equal(t, strings.Join([]string{
		"**Actions**: 2 to be carried out, 1 already done and not repeated",
		"",
		"**Goal**: `Weekly report of 2026-W48`",
		"",
		"- `topics` `kb/topics/search.md` by `gitpages`, class `conditional`, risk `low`",
		"- `report` `kb/weekly/2026-W48.md` by `gitpages`, class `conditional`, risk `low`",
		"- `index` `kb/index.md`: already done, receipt `3f2c9a1`",
		"- note `two files were skipped`",
		"",
		"`topics` `kb/topics/search.md`",
		"",
		"```diff", "+# <R&D>", "```",
		"",
		"`report` `kb/weekly/2026-W48.md`",
		"",
		"```diff", "+# <R&D>", "```",
		"", "",
	}, "\n"), Summary(p, 4096))
}

func TestSummaryKeepsItsLimitAndSaysWhatIsLeftOut(t *testing.T) {
	p := samplePlan()
	p.Goal = strings.Repeat("目标", 200)
	p.Actions = nil
	for i := range 300 {
		a := samplePage(fmt.Sprintf("a%d", i), fmt.Sprintf("kb/%d.md", i))
		a.Preview = strings.Repeat(fmt.Sprintf("+line of %d\u202e\n", i), 1+i%7)
		p.Actions = append(p.Actions, a)
	}
	whole := len(Summary(p, 1<<20))
	require.NotContains(t, Summary(p, whole), "Left out")
	for limit := 0; limit < whole; limit += 1 + limit/10 {
		text := Summary(p, limit)
		require.LessOrEqual(t, len(text), limit)
		if text == "" {
			require.Less(t, limit, 200)
			continue
		}
		// Every line and preview is there or is counted.
		_, counts, ok := strings.Cut(text, "**Left out here for length** (")
		require.True(t, ok)
		lines := strings.Count(text, "risk `low`") + counted(counts, "actions: ")
		previews := strings.Count(text, "```diff") + counted(counts, "previews: ")
		require.Equal(t, []int{300, 300}, []int{lines, previews}, text)
	}
}

// counted reads the number after label.
func counted(text, label string) int {
	var n int
	if _, after, ok := strings.Cut(text, label); ok {
		fmt.Sscan(strings.TrimRight(strings.Fields(after)[0], ",)."), &n)
	}
	return n
}

func TestSummaryShowsTheBeginningOfALongPreview(t *testing.T) {
	p := samplePlan()
	p.Actions = p.Actions[:1]
	p.Actions[0].Preview = strings.Repeat("+0123456789\n", 1000)
	text := Summary(p, 2000)
	require.LessOrEqual(t, len(text), 2000)
	shown := strings.Count(text, "+0123456789\n")
	require.Greater(t, shown, 100)
	require.Contains(t, text, fmt.Sprintf("`kb/topics/search.md`, the first %d of 1000 lines\n", shown))
	require.Contains(t, text, "the end of a preview: 1")
}

func TestC073_NoTextOfAPlanIsMarkup(t *testing.T) {
	p := samplePlan()
	p.Goal = "see [here](http://evil.test) ![x](http://evil.test/p) `` ` <b>"
	p.Notes = []string{"`", "", "a\n# heading\u202e"}
	p.Actions[0].Preview = "+a\n````\n# heading\n```\n[l](http://evil.test)\n"
	text := Summary(p, 1<<16)
	require.Contains(t, text, "**Goal**: ```see [here](http://evil.test) ![x](http://evil.test/p) `` ` <b>```\n")
	require.Contains(t, text, "- note `` ` ``\n- note (empty)\n- note `a\\u{000A}# heading\\u{202E}`\n")
	require.Contains(t, text, "`````diff\n+a\n````\n# heading\n```\n[l](http://evil.test)\n`````\n")
}

// A span of right-to-left letters takes nothing of the next one with it.
func TestACodeSpanMovesNothingElse(t *testing.T) {
	require.Equal(t, "`שלום`\u200e", CodeSpan("שלום"))
	require.Equal(t, "`\\u{05D0} 100 200`", CodeSpan("א 100 200"))
	require.Equal(t, "`a\\u{00A0}b`", CodeSpan("a\u00a0b"))
	require.Empty(t, moved("- "+CodeSpan("a שלום")+" "+CodeSpan("5")+" "+CodeSpan("7")))
}
