package outline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func planIt(t *testing.T, r planners.Request) planners.Draft {
	t.Helper()
	draft, err := Planner{}.Plan(t.Context(), r)
	require.NoError(t, err)
	return draft
}

func refused(t *testing.T, r planners.Request) *faults.Fault {
	t.Helper()
	_, err := Planner{}.Plan(t.Context(), r)
	var fault *faults.Fault
	require.ErrorAs(t, err, &fault)
	require.Equal(t, faults.Permanent, fault.Class)
	return fault
}

func TestPlan_SameDocumentsSameDraft(t *testing.T) {
	documents := example(t)
	first := planIt(t, request(documents))
	require.Equal(t, first, planIt(t, request(documents)))
	slices.Reverse(documents)
	require.Equal(t, first, planIt(t, request(documents)), "in whatever order they come")
}

func TestPlan_ActionsOfTheExample(t *testing.T) {
	draft := planIt(t, request(example(t)))
	require.Len(t, draft.Actions, 13)
	require.Equal(t, []string{"the weekly report is of 2026-W48, as asked; entries: 60"}, draft.Notes)
	var ids []string
	for _, a := range draft.Actions[:12] {
		require.Empty(t, a.DependsOn)
		ids = append(ids, a.ID)
	}
	index := draft.Actions[12]
	require.Equal(t, "index", index.ID)
	require.Equal(t, ids, index.DependsOn)
	require.Equal(t, "weekly-2026-w48", ids[0])
	require.Contains(t, ids, "topic-ops-incidents")
	require.Empty(t, draft.ModelID)
	checkDraft(t, draft)
}

// checkDraft checks what every draft must keep to.
func checkDraft(t *testing.T, draft planners.Draft) {
	t.Helper()
	id := regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	seen := map[string]bool{}
	for _, a := range draft.Actions {
		require.Regexp(t, id, a.ID)
		require.False(t, seen[a.ID], a.ID)
		for _, after := range a.DependsOn {
			require.True(t, seen[after], "%s depends on %s", a.ID, after)
		}
		seen[a.ID] = true
		require.Equal(t, "gitpages", a.Proposal.Tool)
		require.Equal(t, "kb", a.Proposal.AllowedTarget)
		_, err := plan.Canonicalize(a.Proposal.Parameters)
		require.NoError(t, err)
	}
	for name, p := range pagesOf(t, draft) {
		require.LessOrEqual(t, len(p.Content), maxPageBytes, name)
		require.True(t, strings.HasPrefix(p.Content, "# "), name)
		require.NotEmpty(t, p.Title, name)
		for segment := range strings.SplitSeq(name, "/") {
			require.Equal(t, plan.Escape(segment), segment)
			require.NotContains(t, "-. ", segment[:1], name)
			require.LessOrEqual(t, len(segment), 200)
		}
	}
}

func TestC064_CorporaGiveAPageForEachDocument(t *testing.T) {
	for name, count := range map[string]struct{ whole, sample int }{
		"k8s-keps-sig-cli": {76, 7}, "rocketmq-docs-cn": {40, 9}, "mixed-formats": {51, 11},
	} {
		t.Run(name, func(t *testing.T) {
			all, whole := corpus(t, name)
			documents := count.whole
			if !whole {
				documents = count.sample
			}
			r := request(all)
			r.BusinessID = "docs"
			draft := planIt(t, r)
			checkDraft(t, draft)
			topics := 0
			for page := range pagesOf(t, draft) {
				if strings.HasPrefix(page, "topics/") {
					topics++
				}
			}
			require.Equal(t, documents, topics)
			require.Equal(t, draft, planIt(t, r))
		})
	}
}

func TestC064_EveryNameGetsItsOwnPage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("names of any bytes, in two cases and two normal forms, need a file system of Linux")
	}
	dir := t.TempDir()
	contents := map[string]string{
		"README.md": "upper", "readme.md": "lower", "caf\u00e9.md": "NFC-FILE", "cafe\u0301.md": "NFD-FILE", "caf\xe9.md": "LATIN1-FILE",
		"with space & amp;.md": "space", "-rf.md": "dash", "line\nbreak.md": "newline in the name", strings.Repeat("文", 80) + ".md": "long name",
	}
	for name, content := range contents {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content+"\n"), 0o644))
	}
	documents := collect(t, "notes", dir)
	draft := planIt(t, request(documents))
	checkDraft(t, draft)
	written := pagesOf(t, draft)
	require.Len(t, written, len(contents)+1)
	require.Equal(t, len(contents), checkLinks(t, documents, written))
	folded := map[string]bool{}
	for page := range written {
		require.False(t, folded[strings.ToLower(page)], page)
		folded[strings.ToLower(page)] = true
	}
	for _, content := range contents {
		found := 0
		for page, p := range written {
			if page != indexPath && strings.Contains(p.Content, "\n"+content+" [") {
				found++
			}
		}
		require.Equal(t, 1, found, content)
	}
	for _, note := range draft.Notes {
		require.NotContains(t, note, "\n")
	}
}

func TestPlan_Refuses(t *testing.T) {
	doc := markdown("a.md", "# a\n")
	for name, c := range map[string]struct {
		change func(*planners.Request)
		code   string
	}{
		"no target":         {func(r *planners.Request) { r.Targets = []planners.Target{{Tool: "smtp", Name: "x"}} }, "outline_no_target"},
		"no such week":      {func(r *planners.Request) { r.Goal = "report of 2025-W53" }, "outline_no_such_week"},
		"no document":       {func(r *planners.Request) { r.Documents = nil }, "outline_empty"},
		"no text":           {func(r *planners.Request) { r.Documents = []planners.Document{markdown("a.md", " \n")} }, "outline_empty"},
		"too many":          {func(r *planners.Request) { r.Documents = many(999) }, "outline_too_many"},
		"too large for one": {func(r *planners.Request) { r.Documents = large(6) }, "outline_too_large"},
	} {
		r := request([]planners.Document{doc})
		c.change(&r)
		require.Equal(t, c.code, refused(t, r).Code, name)
	}
	r := request(many(998))
	require.Len(t, planIt(t, r).Actions, 999, "no weekly report among them")
}

func many(n int) []planners.Document {
	var documents []planners.Document
	for i := range n {
		documents = append(documents, markdown(fmt.Sprintf("%04d.md", i), "# a\n"))
	}
	return documents
}

// large returns documents each of which fills a page.
func large(n int) []planners.Document {
	text := strings.Repeat("- 2026-11-24: "+strings.Repeat("文", maxQuote)+"\n", 700)
	var documents []planners.Document
	for i := range n {
		documents = append(documents, markdown(fmt.Sprintf("%d.md", i), text))
	}
	return documents
}

func TestPlan_LongPagesAreCutAndSaySo(t *testing.T) {
	written := pages(t, request(large(1)))
	for _, name := range []string{"weekly/2026-W48.md", "topics/0.md"} {
		content := written[name].Content
		require.LessOrEqual(t, len(content), maxPageBytes)
		require.Greater(t, len(content), maxPageBytes-4000)
		require.Regexp(t, `页面到此截断：共 7\d\d 行，显示 5\d\d 行。`, content)
		require.Contains(t, content, "## 来源", "the cut leaves the sources standing")
	}
}

func TestPlan_Interrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Planner{}.Plan(ctx, request(example(t)))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, faults.Transient, faults.ClassOf(err))
}

func TestPlan_WeekOfTheReport(t *testing.T) {
	notes := []planners.Document{markdown("a.md", "- 2026-11-18: done a\n- 2026-11-25: b\n- 2026-12-02: planned c\n\nEnds on 2027-01-31.\n")}
	for name, c := range map[string]struct {
		goal, business string
		feedback       []string
		want           string
		note           string
	}{
		"goal":                   {"Report 2026-W47 please", "x-2026-W48", nil, "weekly/2026-W47.md", "as asked; entries: 1"},
		"business id":            {"Report", "weekly-2026-w48", nil, "weekly/2026-W48.md", "as asked; entries: 1"},
		"in Chinese":             {"写2026年第47周的周报", "x", nil, "weekly/2026-W47.md", "as asked"},
		"feedback":               {"Report 2026-W47", "x", []string{"week: 2026-W48", "week: 2026-W49"}, "weekly/2026-W49.md", "as asked"},
		"the latest with a deed": {"Report", "x", nil, "weekly/2026-W48.md", "the latest week"},
		"nothing in that week":   {"Report 2026-W30", "x", nil, "", "no weekly report: no document has an entry of 2026-W30"},
	} {
		r := request(notes)
		r.Goal, r.BusinessID, r.Feedback = c.goal, c.business, c.feedback
		draft := planIt(t, r)
		var weekly []string
		for page := range pagesOf(t, draft) {
			if strings.HasPrefix(page, "weekly/") {
				weekly = append(weekly, page)
			}
		}
		require.Equal(t, c.want, strings.Join(weekly, " "), name)
		require.Contains(t, draft.Notes[0], c.note, name)
	}
}

func TestPlan_NoWeeklyReportWithoutDays(t *testing.T) {
	r := request([]planners.Document{markdown("a.md", "# Guide\n\nRead it. It was written on 2026-11-24.\n")})
	r.BusinessID = "guide"
	draft := planIt(t, r)
	require.Equal(t, []string{"no weekly report: no document is written by days"}, draft.Notes)
	written := pagesOf(t, draft)
	require.Len(t, written, 2)
	require.NotContains(t, written[indexPath].Content, "weekly/")

	r.Documents = []planners.Document{markdown("a.md", "- 2026-12-02: planned: c\n")}
	require.Contains(t, planIt(t, r).Notes[0], "2026-W49", "plans alone are still something to report")
}

func TestPlan_Feedback(t *testing.T) {
	documents := []planners.Document{markdown("a.md", "a"), markdown("ops/b.md", "b"), markdown("ops/c.txt", "c")}
	for name, c := range map[string]struct {
		feedback []string
		pages    []string
		notes    []string
	}{
		"none":    {nil, []string{"topics/a.md", "topics/ops-b.md", "topics/ops-c.md"}, nil},
		"only":    {[]string{"only: ops\nonly: x/**"}, []string{"topics/ops-b.md", "topics/ops-c.md"}, nil},
		"exclude": {[]string{"Exclude: **/*.txt", "exclude: a.md"}, []string{"topics/ops-b.md"}, nil},
		"both":    {[]string{"only: ops", "exclude: ops/b.md"}, []string{"topics/ops-c.md"}, nil},
		"words": {[]string{"Please be kinder.\n\nexclude: a.md"}, []string{"topics/ops-b.md", "topics/ops-c.md"},
			[]string{"feedback that the outline planner cannot act on: Please be kinder."}},
		"mistakes": {[]string{"exclude: *.{md,txt}", "week: soon"}, []string{"topics/a.md", "topics/ops-b.md", "topics/ops-c.md"},
			[]string{"feedback that was not followed (glob", "feedback that names no week"}},
		"nothing left": {[]string{"exclude: **"}, []string{"topics/a.md", "topics/ops-b.md", "topics/ops-c.md"},
			[]string{"feedback that was not followed: only and exclude leave no document"}},
		"escapes": {[]string{"a\u202Eb"}, []string{"topics/a.md", "topics/ops-b.md", "topics/ops-c.md"}, []string{`act on: a\u{202E}b`}},
	} {
		r := request(documents)
		r.Feedback = c.feedback
		draft := planIt(t, r)
		var got []string
		for page := range pagesOf(t, draft) {
			if page != indexPath {
				got = append(got, page)
			}
		}
		require.ElementsMatch(t, c.pages, got, name)
		require.Len(t, draft.Notes, len(c.notes)+1, name)
		for i, note := range c.notes {
			require.Contains(t, draft.Notes[i+1], note, name)
		}
	}
}

func TestPlan_NotesWhatAReaderShouldKnow(t *testing.T) {
	draft := planIt(t, request([]planners.Document{
		markdown("a.md", "# 周报\n正文\U000E0053\U000E0059\n"), markdown("b.json", "{nonsense"), markdown("c.md", "\n"), markdown("d.md", "fine ⚠️\n"), markdown("e.md", ""),
	}))
	require.Equal(t, []string{
		"no weekly report: no document has an entry of 2026-W48",
		"without text, so without a page: notes/c.md, notes/e.md",
		"not in the form that the name says, or beyond measure in it, and so read as plain text: notes/b.json",
		"with invisible characters, which pages show as escapes: notes/a.md (2)",
	}, draft.Notes)
}

func TestPlan_LanguageOfThePages(t *testing.T) {
	written := pages(t, request([]planners.Document{
		markdown("a.md", "# 支付网关\n\n- 2026-11-24 完成：灰度发布\n"), markdown("b.md", "# 数据平台\n\n- 2026-11-24 决定：分层存储\n"), markdown("c.md", "# Search\n\n- 2026-11-24: done: cache\n"),
	}))
	require.Contains(t, written[indexPath].Content, "# 知识库")
	report := written["weekly/2026-W48.md"].Content
	require.Contains(t, report, "# 周报 2026-W48\n\n2026年11月23日至11月29日，共 3 条，3 个主题。\n")
	require.Contains(t, report, "### 完成\n\n- **周二 11月24日**：灰度发布 [a.md:3](source:notes/a.md#L3)")
	require.Contains(t, report, "### Done\n\n- **Tue 24 Nov**: cache [c.md:3](source:notes/c.md#L3)")
}

func TestPlan_SourceURLs(t *testing.T) {
	p := Planner{SourceURLs: map[string]string{"notes": "https://git.example.com/notes/blob/main/"}}
	draft, err := p.Plan(t.Context(), request([]planners.Document{markdown("a b.md", "- 2026-11-24: x\n")}))
	require.NoError(t, err)
	for _, page := range pagesOf(t, draft) {
		require.NotContains(t, page.Content, "source:")
	}
	require.Contains(t, pagesOf(t, draft)["topics/a-b.md"].Content, "x [a b.md:1](https://git.example.com/notes/blob/main/a%20b.md#L1)")
}

// Deep nesting and unclosed markup take quadratic time in careless parsers.
func TestPlan_StaysFastOnHostileDocuments(t *testing.T) {
	n := 20_000
	var documents []planners.Document
	for i, text := range []string{
		strings.Repeat("> ", n), strings.Repeat("[", n), strings.Repeat("*a ", n), strings.Repeat("- ", n/10), strings.Repeat("`", n),
		strings.Repeat("<", n), strings.Repeat("|", n), strings.Repeat("![](", n), strings.Repeat("2026-11-24 (", n), strings.Repeat("x: ", n),
	} {
		documents = append(documents, markdown(fmt.Sprintf("%d.md", i), text), markdown(fmt.Sprintf("%d.txt", i), text))
	}
	documents = append(documents, markdown("a.json", strings.Repeat("[", 5000)), markdown("a.yaml", strings.Repeat("[", 5000)), markdown("b.yaml", "a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]\n"))
	checkDraft(t, planIt(t, request(documents)))
}
