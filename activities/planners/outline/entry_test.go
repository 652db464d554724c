package outline

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/sources/text"
)

// entriesOf returns a document's entries, one line each: lines, date, kind and
// text, a detail with ">" before it.
func entriesOf(ctx context.Context, path, content string) []string {
	decoded, err := text.Decode(ctx, text.MediaType(path), []byte(content))
	if err != nil {
		return []string{err.Error()}
	}
	var got []string
	for _, e := range readTopic(planners.Document{Path: path, Source: "notes", MediaType: text.MediaType(path), Text: decoded.Text}, week{}).entries {
		lines := fmt.Sprint(e.first)
		if e.last > e.first {
			lines += fmt.Sprintf("-%d", e.last)
		}
		detail := ""
		if e.parent >= 0 {
			detail = "> "
		}
		got = append(got, fmt.Sprintf("%s %s %s: %s%s", lines, e.when, english.kinds[e.kind], detail, e.text))
	}
	return got
}

func TestEntries(t *testing.T) {
	for name, c := range map[string]struct {
		path, text string
		want       []string
	}{
		"headings of days, sections of kinds": {"a.md", `# Notes
## 2026-11-24
### Done
- a
### Risks
- b
## Elsewhere
- c
`, []string{"4 2026-11-24 Done: a", "6 2026-11-24 Blocked or at risk: b"}},

		"a deeper heading stays under the day": {"a.md", "## 2026-11-24\n#### x\n- a\n### y\nb\n## z\nc\n",
			[]string{"3 2026-11-24 Noted: a", "5 2026-11-24 Noted: b"}},

		"a list of days with details": {"a.md", `- 2026-11-24:
  - done: a
    - b
  - c
- 2026-11-25: shipped d
  - e

  f
- g
`, []string{
			"2 2026-11-24 Done: a", "3 2026-11-24 Done: > b", "4 2026-11-24 Noted: c",
			"5 2026-11-25 Done: shipped d", "6 2026-11-25 Done: > e", "8 2026-11-25 Done: > f",
		}},

		"labels in a list": {"a.md", "## 2026-11-24\n- Blockers:\n  - fixed by nobody\n- Present:\n  - Mei\n",
			[]string{"3 2026-11-24 Blocked or at risk: fixed by nobody", "4 2026-11-24 Noted: Present:", "5 2026-11-24 Noted: > Mei"}},

		"labels in bold": {"a.md", "## 2026-11-24\n\n**Decisions**\n\n- a\n- b\n\nc\n\n**Present**\n\nMei\n",
			[]string{"5 2026-11-24 Decided: a", "6 2026-11-24 Decided: b", "8 2026-11-24 Noted: c", "12 2026-11-24 Noted: Mei"}},

		"check boxes": {"a.md", "- [x] a (2026-11-24)\n- [ ] b (2026-11-25)\n- [ ] fixed: c (2026-11-25)\n",
			[]string{"1 2026-11-24 Done: a", "2 2026-11-25 Planned: b", "3 2026-11-25 Done: fixed: c"}},

		"a log in one paragraph": {"a.md", "2026-11-24: a\nmore of a\n2026-11-25: **b**\n",
			[]string{"1-2 2026-11-24 Noted: a more of a", "3 2026-11-25 Noted: b"}},

		"a heading is all there is": {"a.md", "## 2026-11-24 Cache switched on, merged\n## 2026-11-25 Stand-up\n- a\n## 2026-11-26 Minutes\n### Done\n- b\n",
			[]string{"1 2026-11-24 Done: Cache switched on, merged", "3 2026-11-25 Noted: a", "6 2026-11-26 Done: b"}},

		"the day of the report, not the one it names": {"a.md", "## 2026-11-24\n- we meet on 2026-12-01\n- moved from 2026-11-20: a\n",
			[]string{"2 2026-11-24 Noted: we meet on 2026-12-01", "3 2026-11-24 Noted: moved from 2026-11-20: a"}},

		"dates in passing": {"a.md", "The contract ends on 2027-01-31.\n", []string{"1 2027-01-31 Noted: The contract ends on 2027-01-31."}},

		"no code, no comments, no images": {"a.md", "## 2026-11-24\n```\n2026-11-24: code\n```\n\n    2026-11-24: code\n\n<!-- 2026-11-24: hidden -->\n\n![2026-11-24](x.png)\n\na <!-- hidden --> b\n",
			[]string{"12 2026-11-24 Noted: a b"}},

		"HTML in Markdown": {"a.md", "## 2026-11-24\n\n<ul>\n<li>done: a</li>\n<li hidden>b</li>\n</ul>\n\n- c\n",
			[]string{"4-6 2026-11-24 Done: a", "8 2026-11-24 Noted: c"}}, // an element reaches to the next

		"tables": {"a.md", `## 2026-11-24

| what | state | by |
|------|-------|----|
| a | done | Mei |
| b | | |
| 2026-11-25 | c | open |
`, []string{"5 2026-11-24 Done: a · Mei", "6 2026-11-24 Noted: b", "7 2026-11-25 Noted: c · open"}},

		"years come from near by": {"a.md", "# 2026\n\n- 12月30日：a\n- 1月2日：b\n\n## 2027-01-04\n\n- c\n\n## 12月31日\n\n- d\n",
			[]string{"3 2026-12-30 Noted: a", "4 2027-01-02 Noted: b", "8 2027-01-04 Noted: c", "12 2026-12-31 Noted: d"}},

		"a year in the path": {"2025/a.md", "- 11月24日：a\n", []string{"1 2025-11-24 Noted: a"}},
		"no year at all":     {"a.md", "- 11月24日：a\n", nil},

		"the file's name": {"2026-11-24-standup.md", "# Stand-up\n\n- a\n", []string{"3 2026-11-24 Noted: a"}},
		"front matter":    {"a.md", "---\ntitle: T\ndate: 2026-11-24\n---\n\n- a\n", []string{"6 2026-11-24 Noted: a"}},
		"weeks":           {"a.md", "## 2026-W48\n- a\n", []string{"2 2026-W48 Noted: a"}},

		"plain text": {"a.txt", `Log
===

2026-11-24
Mei: shipped a
  and more of it
* b
1) c

--- 2026-11-25 ---
Risks:
- d
A line of many words that was broken because it came to the end of the
window here
e
`, []string{
			"5-6 2026-11-24 Done: Mei: shipped a and more of it", "7 2026-11-24 Noted: b", "8 2026-11-24 Noted: c",
			"12 2026-11-25 Blocked or at risk: d",
			"13-14 2026-11-25 Noted: A line of many words that was broken because it came to the end of the window here",
			"15 2026-11-25 Noted: e",
		}},

		"CSV": {"a.csv", "when;what;n;status\n2026-11-24;\"a; b\n c\";2;done\n;no date;3;done\n2026-11-25T10:00Z;d;;todo\n",
			[]string{"2-3 2026-11-24 Done: a; b c · n 2", "5 2026-11-25 Planned: d"}},
		"CSV without a header": {"a.csv", "2026-11-24,a\n2026-11-25,b\n", []string{"1 2026-11-24 Noted: a", "2 2026-11-25 Noted: b"}},

		"JSON": {"a.json", "{\"until\": \"2026-11-30\",\n \"log\": [\n  {\"date\": \"2026-11-24\", \"title\": \"a\\nb\", \"n\": 1,\n   \"tags\": [\"x\", \"y\"], \"sub\": [{\"date\": \"2026-11-25\", \"text\": \"c\"}]},\n  \"2026-11-26: d\"]}",
			[]string{"3-4 2026-11-24 Noted: a b · n 1 · x, y", "4 2026-11-25 Noted: c", "5 2026-11-26 Noted: d"}},

		"YAML": {"a.yaml", "until: 2026-11-30\n2026-11-24:\n  - done a\n  - who: Mei\n    what: >\n      b\n      c\n\n  # a comment\nstatus: 2026-11-25\n---\n- 2026-11-26: d\n",
			[]string{"3 2026-11-24 Done: done a", "4-7 2026-11-24 Noted: b c · Mei"}},

		"YAML that is none": {"a.yaml", "- 2026-11-24: a: b: c\n- 2026-11-25 d }\n", []string{"1 2026-11-24 Noted: a: b: c", "2 2026-11-25 Noted: d }"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, strings.Join(c.want, "\n"), strings.Join(entriesOf(t.Context(), c.path, c.text), "\n"))
		})
	}
}
