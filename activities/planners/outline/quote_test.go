package outline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/holdpoint/holdpoint/activities/planners"
)

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, 3 - 4 = 5 (really!) #1 + 2.": `plain text, 3 - 4 = 5 (really!) #1 + 2.`,
		"max_retry_count and _this_":              `max_retry_count and \_this\_`,
		"*a* `b` [c](d) ![e](f) <b> ~x~ | $y$":    "\\*a\\* \\`b\\` \\[c\\](d) !\\[e\\](f) \\<b> \\~x\\~ \\| \\$y\\$",
		"AT&T &amp; &#35; & co":                   `AT&T \&amp; \&#35; & co`,
		"https://evil.example and www.evil.com":   `https\://evil.example and www\.evil.com`,
		"mei@example.com":                         `mei\@example.com`,
		"mailto:mei":                              `mailto\:mei`,
		"{{ site.url }} {% raw %}":                `{\{ site.url }} {\% raw %}`,
		`C:\dir`:                                  `C:\\dir`,
		"# title #":                               `\# title \#`,
		"two\nlines  and\tblanks":                 "two lines and blanks",
		"zero\u200Bwidth\u202E":                   `zero\\u{200B}width\\u{202E}`,
		"⚠️ risk":                                 "⚠ risk",
		"\n":                                      `\\u{000A}`,
	} {
		require.Equal(t, want, quote(in, maxQuote, english), "%q", in)
	}
}

func TestQuote_StatesItsCuts(t *testing.T) {
	require.Equal(t, "aaaaa … (cut, characters left out: 3)", quote("aaaaaaaa", 5, english))
	require.Equal(t, "文文……（截断，省略 1 个字）", quote("文文文", 2, chinese))
	require.Equal(t, "one two … (cut, characters left out: 6)", quote("one two three", 10, english), "not in the middle of a word")
	require.Equal(t, "exact", quote("exact", 5, english))
}

func TestFirstSentence(t *testing.T) {
	for in, want := range map[string]string{
		"One. Two.":                  "One.",
		"这是第一句。第二句。":                 "这是第一句。",
		"See e.g. the docs. Then go": "See e.g. the docs.",
		"Version 2.3.1 is out. Good": "Version 2.3.1 is out.",
		"J. Weber decides. Yes":      "J. Weber decides.",
		"No end":                     "No end",
		"":                           "",
	} {
		require.Equal(t, want, firstSentence(in), in)
	}
}

func TestLinkPath(t *testing.T) {
	require.Equal(t, "notes/支付网关.md", linkPath("notes/支付网关.md"))
	require.Equal(t, "a%20b%28c%29%5C%23%3F%25%22%3C%3E%0A%E2%80%AE.md", linkPath("a b(c)\\#?%\"<>\n\u202E.md"))
}

// hostile is text that wants to be more than text, in every place from which
// pages quote.
const hostile = "\\ `x` *x* _x_ **x** [x](https://evil.example) ![x](https://evil.example/x.png) <img src=x onerror=alert(1)> <https://evil.example> " +
	"https://evil.example www.evil.example mei@evil.example &lt;b&gt; ~~x~~ | x | # x [^1] [x]: https://evil.example {{x}} \u202E\u200B\U000E0053"

func hostileDocuments() []planners.Document {
	cell := strings.ReplaceAll(hostile, "|", `\|`)
	return []planners.Document{
		markdown("a.md", "# "+hostile+"\n\n"+hostile+"\n\n## "+hostile+"\n\n- 2026-11-24: "+hostile+"\n\n> 2026-11-24: "+hostile+"\n\n| "+cell+" | date |\n|---|---|\n| "+cell+" | 2026-11-24 |\n"),
		markdown("b.txt", hostile+"\n\n=== 2026-11-24 ===\n"+hostile+"\n- "+hostile+"\n"),
		markdown("c.csv", "date,"+strings.ReplaceAll(hostile, ",", " ")+"\n2026-11-24,\""+hostile+"\"\n"),
		markdown("d.json", `{"title": "# x <b>", "[x](https://evil.example)": "</script>", "log": [{"date": "2026-11-24", "what": "![x](https://evil.example/x.png)"}]}`),
		markdown("e.yaml", "\"*x*\": \"[x](https://evil.example)\"\nlog:\n  - 2026-11-24: \"<b>x</b> https://evil.example\"\n"),
		markdown("[x](https:/evil.example).md", "# ok\n\n- 2026-11-24: x\n"),
		markdown("![x](y) <b> `c` \u202E.md", "- 2026-11-24: x\n"),
	}
}

func TestC073_NothingInADocumentIsMarkupOnAPage(t *testing.T) {
	documents := hostileDocuments()
	written := pages(t, request(documents))
	require.Len(t, written, len(documents)+2)
	require.NotZero(t, checkLinks(t, documents, written))
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser()
	for name, p := range written {
		require.NotContains(t, p.Content, "\u202E")
		require.NotContains(t, p.Content, "\u200B")
		require.NotContains(t, p.Content, "\U000E0053")
		require.NotContains(t, p.Title, "\u202E")
		source := []byte(p.Content)
		err := ast.Walk(parser.Parse(text.NewReader(source)), func(n ast.Node, _ bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *ast.Image, *ast.RawHTML, *ast.HTMLBlock, *ast.AutoLink, *ast.CodeBlock, *ast.FencedCodeBlock, *ast.Blockquote:
				require.Fail(t, "a document made markup", "%s: %s", name, n.Kind())
			case *ast.CodeSpan: // digests are the one code on a page
				require.Contains(t, string(n.FirstChild().(*ast.Text).Value(source)), "sha256:", name)
			case *ast.Link:
				to := string(n.Destination)
				require.True(t, strings.HasPrefix(to, "source:notes/") || !strings.Contains(to, ":"), "%s: a link to %s", name, to)
			case *ast.Emphasis:
				require.Equal(t, 2, n.Level, "%s: only labels are marked", name)
			}
			return ast.WalkContinue, nil
		})
		require.NoError(t, err)
	}
}
