package sources

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// textOf is the text of a document, as a planner gets it.
func textOf(t *testing.T, s shelf, e Entry) string {
	t.Helper()
	if e.Text.IsZero() {
		return s[e.Digest]
	}
	require.Len(t, s[e.Text], int(e.TextSize))
	return s[e.Text]
}

// kept collects all of root into a shelf.
func kept(t *testing.T, root string) (shelf, map[string]Entry, Manifest) {
	t.Helper()
	s := shelf{}
	m, err := Collector{Limits: wide, Store: s}.Collect(t.Context(), []Selection{notes(root)})
	require.NoError(t, err)
	entries := map[string]Entry{}
	for _, e := range m.Entries {
		entries[e.Path] = e
	}
	return s, entries, m
}

func TestC060_NULBytes(t *testing.T) {
	root := t.TempDir()
	for i := range 20 {
		write(t, root, fmt.Sprintf("clean/%02d.md", i), "clean\n")
	}
	write(t, root, "nul/nul.txt", "before\x00after\n")
	write(t, root, "nul/escaped.json", `{"s":"before\u0000after"}`)
	s, entries, m := kept(t, root)
	require.Equal(t, 22, m.Read)
	require.Zero(t, m.Skipped)
	require.Equal(t, "beforeafter\n", textOf(t, s, entries["nul/nul.txt"]))
	require.Equal(t, 1, entries["nul/nul.txt"].NULs)
	require.Equal(t, "before\x00after\n", s[entries["nul/nul.txt"].Digest], "the bytes themselves are kept")
	require.Equal(t, `{"s":"before\u0000after"}`, textOf(t, s, entries["nul/escaped.json"]), "an escape is text")
	require.Zero(t, entries["nul/escaped.json"].NULs)
}

func TestC061_LongLinesAndALetterAcrossABlock(t *testing.T) {
	const tail = "## TAIL SECTION AFTER THE LONG LINE\n"
	root := t.TempDir()
	oneLine := `{"rows": [` + strings.Join(slices.Repeat([]string{`"` + strings.Repeat("x", 63) + `"`}, 45_000), ", ") + `]}`
	write(t, root, "big/longline.md", "# head\n"+strings.Repeat("y", 70_000)+"\n"+tail)
	write(t, root, "big/oneline.json", oneLine)
	write(t, root, "big/multibyte-boundary.txt", strings.Repeat("a", 65_535)+strings.Repeat("周报", 10))
	s, entries, m := kept(t, root)
	require.Equal(t, 3, m.Read)
	require.True(t, strings.HasSuffix(textOf(t, s, entries["big/longline.md"]), "y\n"+tail))
	require.Equal(t, oneLine, textOf(t, s, entries["big/oneline.json"]))
	boundary := textOf(t, s, entries["big/multibyte-boundary.txt"])
	require.True(t, strings.HasSuffix(boundary, "a"+strings.Repeat("周报", 10)))
	require.NotContains(t, boundary, string(utf8.RuneError))

	rss, says := peak(t, root)
	require.Contains(t, says, "3 read")
	require.Less(t, rss, int64(limit), says)
}

// Text that is its bytes is kept once; any other has an address of its own, and
// the entry says how it was got.
func TestTextsAreKeptBesideTheirBytes(t *testing.T) {
	root := t.TempDir()
	write(t, root, "crlf.md", "a\r\nb\r\n")
	write(t, root, "plain.md", "a\nb\n")
	write(t, root, "utf16.csv", "\xff\xfe\x16\x7f\xf7\x53,\x00a\x00\r\x00\n\x00") // 编号,a
	write(t, root, "bad.md", "ok \xff\xfe\x80 x\n")
	write(t, root, "page.html", "<p>shown</p><p hidden>not</p>")
	s, entries, m := kept(t, root)
	require.Equal(t, 5, m.Read)
	require.Equal(t, entries["plain.md"].Digest, entries["crlf.md"].Text)
	require.True(t, entries["plain.md"].Text.IsZero())
	require.Equal(t, "utf-8", entries["plain.md"].Encoding)
	require.Equal(t, "编号,a\n", textOf(t, s, entries["utf16.csv"]))
	require.Equal(t, "utf-16le", entries["utf16.csv"].Encoding)
	require.Equal(t, 3, entries["bad.md"].Replaced)
	require.Equal(t, 1, entries["page.html"].Hidden)
	require.NotContains(t, textOf(t, s, entries["page.html"]), "not")
	for _, e := range m.Entries {
		require.Equal(t, plan.Sum([]byte(s[e.Digest])), e.Digest)
	}
}

// What no text can be made of is skipped, and says why.
func TestDocumentsWithoutText(t *testing.T) {
	root := t.TempDir()
	write(t, root, "deep.html", strings.Repeat("<div>", 600)+"x")
	write(t, root, "a.md", "a")
	_, entries, m := kept(t, root)
	require.Equal(t, 1, m.Read)
	require.NotEmpty(t, entries["deep.html"].Skipped)
}
