package outline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/peak"
)

// heavyDocuments are as heavy as a format can be made: the largest that is read
// in its form, and larger ones that are not.
func heavyDocuments() map[string]func() (path, text string) {
	const large = 4 << 20
	repeated := func(path, front, piece string, times int, end string) func() (string, string) {
		return func() (string, string) { return path, front + strings.Repeat(piece, times) + end }
	}
	line := "2026-11-24: some words of a line, as long as they are\n"
	bars, dashes := strings.Repeat("a|", 400), strings.Repeat("-|", 400)
	table := strings.Repeat("a|", large/4) + "\n" + strings.Repeat("-|", large/4) + "\n"
	return map[string]func() (string, string){
		"CSV, too many cells":      repeated("a.csv", "", ",", large, ""),
		"CSV, rows":                repeated("a.csv", "", "2026-11-24,1,2,3,4,5,6,7,8,done\n", maxCells/9-10, ""),
		"CSV, one record":          repeated("a.csv", "", ",a", maxCells, ""),
		"CSV, one cell":            repeated("a.csv", `"`, "a ", large/2, `"`),
		"Markdown, too wide":       repeated("a.md", table, "", 0, ""),
		"Markdown, rows too short": repeated("a.md", bars+"\n"+dashes+"\n", "x\n", 20_000, ""),
		"Markdown, cells":          repeated("a.md", "a|b\n-|-\n", "a|b\n", maxNodes/7-10, ""),
		"Markdown, items":          repeated("a.md", "", "- 2026-11-24: x\n", maxNodes/4-10, ""),
		"Markdown, items in items": repeated("a.md", "", "- - - - a\n", maxNodes/7-10, ""),
		"Markdown, headings":       repeated("a.md", "", "# a\n", maxNodes/3-10, ""),
		"Markdown, one paragraph":  repeated("a.md", "", "2026-11-24: x\n", maxNodes/3-10, ""),
		"Markdown, HTML in text":   repeated("a.md", "", strings.Repeat("a <b> ", 70)+"\n\n", maxNodes/74, ""),
		"Markdown, escaped bars":   repeated("a.md", "a|b\n-|-\n", "`\\|`|x\n", maxEscapedBars, ""),
		"Markdown, front matter":   repeated("a.md", "---\na: [", "1,", large/2, "1]\n---\n# x\n"),
		"Markdown, HTML":           repeated("a.md", "<div>\n", "<b>"+line, 30_000, ""),
		"text, a row":              repeated("a.txt", "", "|a", large/2, "|"),
		"text, rows":               repeated("a.txt", "", "|"+strings.Repeat("a|", 7)+"\n", maxCells/8-10, ""),
		"text, words":              repeated("a.txt", "", "word ", large/5, ""),
		"text, lines":              repeated("a.txt", "", "2026-11-24: x\n", maxPieces, ""),
		"HTML, blocks":             repeated("a.html", "", "2026-11-24 a"+blockBreak, maxPieces, ""),
		"YAML, too many values":    repeated("a.yaml", "[", "1,", large/2, "1]"),
		"YAML, items":              repeated("a.yaml", "", "- a\n", maxPieces-10, ""),
		"YAML, items in brackets":  repeated("a.yaml", "[", "a,", maxPieces/2-10, "a]"),
		"YAML, a long text":        repeated("a.yaml", "a: |\n", "  "+line, 60_000, ""),
		"JSON, values":             repeated("a.json", "[", "1,", maxPieces-2, "1]"),
		"JSON, objects":            repeated("a.json", "[", `{"a":1},`, maxPieces/3-2, "1]"),
		"JSON, a long text":        repeated("a.json", `["`, "word ", large/5, `"]`),
		"JSON, too many values":    repeated("a.json", "[", "1,", large/2, "1]"),
	}
}

// Beside what a worker has without a document, and the document itself. Large
// ones with lines of common length take a little more than these.
func TestMemoryOfOneDocument(t *testing.T) {
	const most = 200 << 20
	for name, document := range heavyDocuments() {
		t.Run(name, func(t *testing.T) {
			require.Less(t, peak.Of(t, name, func() func() {
				d := markdown(document())
				return func() {
					w := writer{}
					require.NoError(t, w.topic(d))
					require.Len(t, w.topics, 1)
				}
			}), most)
		})
	}
}

// What is kept of each document while the others are read is bounded too.
func TestEntriesOfAllDocumentsAreBounded(t *testing.T) {
	w := writer{dated: maxEntries - 2}
	two := "- 2026-11-24: x\n- 2026-11-24: y\n"
	require.NoError(t, w.topic(markdown("a.md", two)))
	require.ErrorContains(t, w.topic(markdown("b.md", two)), "2 documents have more than the 500000 dated entries that one plan is made of; narrow the task's include")
}
