package outline

import (
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// nestings are the ways in which a format nests: what opens a level, and what
// ends it.
func nestings() map[string][][2]string {
	trees := [][2]string{{"[", ""}, {"[", "]"}, {`{"a":`, "}"}, {`[{"a":`, "}]"}, {"[[],", "]"}}
	return map[string][][2]string{
		"json": trees,
		"yaml": append(trees, [][2]string{{"{a: ", "}"}, {"- ", ""}, {"? ", ""}, {"a: ", ""}, {"&a [", "]"}, {"!!seq [", "]"}}...),
		"md": {
			{"> ", ""}, {"1. ", ""}, {"- ", ""}, {"> - ", ""}, {"*", "*"}, {"**a ", "**"}, {"![", "](b)"}, {"[", "](b)"}, {"<div>", "</div>"}, {"<b>", "</b>"},
			{"`", "`"}, {"~~a ", "~~"}, {"|", ""}, {"# ", ""}, {"(", ")"},
		},
		"csv": {{"\"", "\""}, {",", ""}},
		"txt": {{"\t", ""}, {"- ", ""}, {"|", "|"}, {"(", ")"}},
	}
}

// stairs are texts that nest line by line. They grow with the square of their
// depth.
func stairs() []string {
	const most = 1 << 20
	var steps, bursts strings.Builder // a level on each line, and as many as a line may open
	for i := 0; steps.Len() < most; i++ {
		steps.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	for i := 0; bursts.Len() < most; i++ {
		bursts.WriteString(strings.Repeat(" ", 98*i) + strings.Repeat("- ", 49) + "a\n")
	}
	keys := strings.ReplaceAll(steps.String(), "- a", "a:")
	return []string{
		steps.String(), bursts.String(), keys, "---\n" + keys + "---\n",
		"a: &a [*a]\n", "a: &a {b: *a}\nc: *a\n", "a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]\n",
	}
}

const inChild = "HOLDPOINT_OUTLINE_CHILD"

// A stack that overflows ends the process, and no guard can keep it: with such a
// document every worker that tries would end. So this reads in a child process,
// whose stack may have a small part of what a worker's may.
func TestNestedDocumentsDoNotOverflowTheStack(t *testing.T) {
	if os.Getenv(inChild) == "" {
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		child.Env = append(os.Environ(), inChild+"=1")
		said, err := child.CombinedOutput()
		require.NoError(t, err, "%s", cut(string(said), 4000))
		require.Contains(t, string(said), "--- PASS: "+t.Name(), "it has run")
		return
	}
	debug.SetMaxStack(32 << 20)
	write := func(form, text string) {
		w := writer{}
		require.NoError(t, w.topic(markdown("a."+form, text)))
		require.LessOrEqual(t, len(w.bodies[0].content), maxPageBytes)
	}
	write("json", strings.Repeat("[", 2_000_000))
	const most = 1_000_000
	for form, ways := range nestings() {
		for _, level := range ways {
			n := most / len(level[0]+level[1])
			write(form, strings.Repeat(level[0], n)+"1"+strings.Repeat(level[1], n))
		}
	}
	for form := range nestings() {
		for _, text := range stairs() {
			write(form, text)
		}
	}
	write("md", "---\n"+strings.Repeat("[", most)+"\n---\n")
}

// The deepest tree that is read as one, and the first that is not.
func TestTreesAreReadDownToTheBound(t *testing.T) {
	for form, levels := range map[string][2]string{
		"json": {`{"a":`, "}"}, "yaml": {"{a: ", "}"},
	} {
		for depth, broken := range map[int]bool{plan.MaxDepth: false, plan.MaxDepth + 1: true} {
			text := strings.Repeat(levels[0], depth) + "1" + strings.Repeat(levels[1], depth)
			read := readTopic(markdown("a."+form, text), week{})
			require.Equal(t, broken, read.broken, "%s %d", form, depth)
			require.NotEmpty(t, read.blocks)
		}
	}
}

// Values beyond measure would fill the memory many times over.
func TestTreesOfManyValuesAreReadAsText(t *testing.T) {
	for name, text := range map[string]string{
		"a.json": "[" + strings.Repeat("1,", maxPieces) + "1]",
		"a.yaml": "[" + strings.Repeat("1,", 2*maxPieces) + "1]",
	} {
		read := readTopic(markdown(name, text), week{})
		require.True(t, read.broken, name)
		require.Len(t, read.blocks, 1, name)
	}
	read := readTopic(markdown("a.json", "["+strings.Repeat("1,", maxPieces-2)+"1]"), week{})
	require.False(t, read.broken)
	require.Len(t, read.blocks, maxPieces-1)
}

// So would cells, and they are counted before any is made.
func TestTablesOfManyCellsAreReadAsText(t *testing.T) {
	wide := strings.Repeat("a|", maxPieces)
	for name, text := range map[string]string{
		"a.csv":  strings.Repeat(",", maxCells+1),
		"a.md":   wide + "\n" + strings.Repeat("-|", maxPieces) + "\n",
		"b.md":   "> a|b\n> -" + strings.Repeat("|-", 400) + strings.Repeat("\n> x", 500),
		"c.md":   strings.Repeat("a|", 300_000) + "\n-\n",
		"a.txt":  "|" + strings.Repeat("a|", maxCells),
		"a.html": "|" + strings.Repeat("a|", maxCells),
	} {
		read := readTopic(markdown(name, text), week{})
		require.True(t, read.broken, name)
		require.Empty(t, rowsOf(read), name)
	}
	for name, text := range map[string]string{
		"a.csv": strings.Repeat(",a", maxCells/2) + "\n" + strings.Repeat(",a", maxCells/2),
		"a.md":  "a|b\n-|-\n" + strings.Repeat("a|b\n", 1000),
		"a.txt": "|" + strings.Repeat("a|", maxCells-1),
	} {
		read := readTopic(markdown(name, text), week{})
		require.False(t, read.broken, name)
		require.NotEmpty(t, rowsOf(read), name)
	}
	draft := planIt(t, request([]planners.Document{markdown("a.txt", "|"+strings.Repeat("a|", maxCells))}))
	require.Contains(t, draft.Notes, "not in the form that the name says, or beyond measure in it, and so read as plain text: notes/a.txt")
}

func rowsOf(t topic) []block {
	return slices.DeleteFunc(slices.Clone(t.blocks), func(b block) bool { return b.kind != row })
}

func TestLongFrontMatterIsText(t *testing.T) {
	front := func(size int) string {
		const head = "title: T\nb: "
		return "---\n" + head + strings.Repeat("x", size-len(head)) + "\n---\n# H\n"
	}
	draft := planIt(t, request([]planners.Document{markdown("a.md", front(maxFrontMatter)), markdown("b.md", front(maxFrontMatter+1))}))
	require.Contains(t, draft.Notes, "whose front matter has more than 65536 bytes, and so was read as a part of the text: notes/b.md")
	written := pagesOf(t, draft)
	require.Equal(t, "T", written["topics/a.md"].Title)
	require.NotEqual(t, "T", written["topics/b.md"].Title)
}

func TestLongDocumentsAreReadUpToTheBound(t *testing.T) {
	for _, line := range []string{"- x\n", "\n", "x" + blockBreak, "周\n"} {
		text := strings.Repeat(line, maxPieces)
		for more, cut := range map[string]bool{"": false, "x": true, "\n": true} {
			first, isCut := firstPieces(text + more)
			require.Equal(t, cut, isCut, "%q %q", line, more)
			require.Equal(t, text, first)
		}
	}
	text := strings.Repeat("x\n", maxPieces)
	draft := planIt(t, request([]planners.Document{markdown("a.txt", text+"2026-11-24: y"), markdown("b.txt", text[:len(text)-2]+"2026-11-24: y")}))
	require.Contains(t, draft.Notes, "read in the first 200000 lines alone (of HTML, headings, paragraphs, items and rows): notes/a.txt")
	written := pagesOf(t, draft)
	require.NotContains(t, written["topics/a.md"].Content, "2026-11-24")
	require.Contains(t, written["topics/b.md"].Content, "2026-11-24")
}
