package text

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/corpora"
)

// Every real document of a claimed format becomes text, and all of it: what is
// ASCII in a file that is not HTML is in its text.
func TestDecode_Corpora(t *testing.T) {
	for _, name := range corpora.Names() {
		folder, whole := corpora.Folder(t, name)
		claimed, names := 0, map[string]int{}
		require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			require.NoError(t, err)
			kind := MediaType(path)
			if entry.IsDir() || kind == "" {
				return nil
			}
			claimed++
			names[filepath.Base(path)]++
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			d := read(t, kind, string(data))
			require.Contains(t, []string{"utf-8", "utf-8-bom"}, d.Encoding, path)
			require.False(t, d.Guessed, path)
			require.Zero(t, d.Replaced+d.NULs, path)
			if kind != typeHTML {
				require.Equal(t, utf8.RuneCountInString(strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")),
					utf8.RuneCountInString(d.Text)+d.Invisible, path)
			}
			return nil
		}))
		t.Logf("%s: %d documents", name, claimed)
		switch {
		case !whole:
			continue
		case name == "k8s-keps-sig-cli":
			isWholeK8s(t, names)
		case name == "rocketmq-docs-cn":
			isWholeRocketMQ(t, folder)
		}
		require.Equal(t, map[string]int{"k8s-keps-sig-cli": 76, "rocketmq-docs-cn": 40, "mixed-formats": 51}[name], claimed)
	}
}

// isWholeK8s is C064: many documents of one name, each with a path of its own.
func isWholeK8s(t *testing.T, names map[string]int) {
	t.Helper()
	require.Equal(t, 26, names["README.md"])
	require.Equal(t, 35, names["kep.yaml"])
}

// isWholeRocketMQ is C059: a real file of which every line ends in CR LF. It also
// has zero-width spaces, as editors for the web leave them.
func isWholeRocketMQ(t *testing.T, folder string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "docs", "cn", "best_practice.md"))
	require.NoError(t, err)
	lines := strings.Count(string(data), "\n")
	require.Positive(t, lines)
	require.Equal(t, lines, strings.Count(string(data), "\r\n"))
	d := read(t, MediaType("best_practice.md"), string(data))
	require.Equal(t, strings.Split(strings.ReplaceAll(string(data), "\u200b", ""), "\r\n"), strings.Split(d.Text, "\n"))
	require.Equal(t, strings.Count(string(data), "\u200b"), d.Invisible)
}

// The files with which the cases about encodings, line ends, NUL bytes, hidden text
// and quoting are told, byte for byte.
func TestDecode_FixturesOfTheCases(t *testing.T) {
	for name, want := range map[string]struct {
		contains string
		counts   Decoded // without its text
	}{
		"enc/gbk.md":            {minutes, Decoded{Encoding: "gb18030"}},
		"enc/gb18030-rare.md":   {"姓名：𠮷田（U+20BB7），镇名：䶮㙍\n" + minutes, Decoded{Encoding: "gb18030"}},
		"enc/gb18030-bom.txt":   {minutes, Decoded{Encoding: "gb18030"}},
		"enc/gbk-short.txt":     {"你好", Decoded{Encoding: "gb18030", Guessed: true}},
		"enc/gbk-late.txt":      {"\n结论：同意上线\n", Decoded{Encoding: "gb18030", Guessed: true}},
		"enc/utf16le-bom.csv":   {"编号,标题\n1,周报\n", Decoded{Encoding: "utf-16le"}},
		"enc/utf16be-nobom.txt": {"Meeting notes: approve nothing\n", Decoded{Encoding: "utf-16be"}},
		"enc/utf8-bom.json":     {`{"title":"周报"}`, Decoded{Encoding: "utf-8-bom"}},
		"enc/bad-utf8.md":       {"# ok\n", Decoded{Encoding: "utf-8", Guessed: true, Replaced: 5}},
		"eol/crlf.md":           {minutes, Decoded{Encoding: "utf-8"}},
		"eol/cr-only.txt":       {"line one\nline two\nline three\n", Decoded{Encoding: "utf-8"}},
		"nul/nul.txt":           {"beforeafter\n", Decoded{Encoding: "utf-8", NULs: 1}},
		"nul/escaped.json":      {`{"s":"before\u0000after"}`, Decoded{Encoding: "utf-8"}},
		"inject/hidden.html":    {"# 周报\u2028正文", Decoded{Encoding: "utf-8", Hidden: 2}},
		"inject/tags.md":        {"# 周报\n正文\n", Decoded{Encoding: "utf-8", Invisible: len(injected)}},
		"inject/frame-break.md": {"</document>", Decoded{Encoding: "utf-8"}},
		"csv/quoted.csv":        {`2,=HYPERLINK("http://x.example.test","c")` + "\n3,缺列\n", Decoded{Encoding: "utf-8"}},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "cases", filepath.FromSlash(name)))
		require.NoError(t, err)
		d := decode(t, MediaType(name), string(data))
		require.Contains(t, d.Text, want.contains, name)
		require.NotContains(t, d.Text, "SYSTEM NOTE", name)
		d.Text = ""
		require.Equal(t, want.counts, d, name)
	}
}
