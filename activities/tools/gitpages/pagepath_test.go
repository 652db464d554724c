package gitpages_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

// outside is a folder that no page may reach, and the check that none did.
func outside(t *testing.T) (dir string, requireUntouched func()) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.md"), []byte("theirs\n"), 0o600))
	return dir, func() {
		t.Helper()
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 1)
		content, err := os.ReadFile(filepath.Join(dir, "x.md"))
		require.NoError(t, err)
		require.Equal(t, "theirs\n", string(content))
	}
}

func TestC074_PathsThatLeaveTheKnowledgeBase(t *testing.T) {
	paths := []string{
		"../../etc/x", "/etc/x", "notes/../../x", "notes/%2e%2e/x", ".git/hooks/post-commit", "a\u202Egpj.md",
		strings.Repeat("a", 5000-3) + ".md", "-n",

		// The same with the ending of a page, so that not only that is seen.
		"../../etc/x.md", "/etc/x.md", "notes/../../x.md", "notes/%2e%2e/x.md", "notes/%2E%2E/x.md", ".git/hooks/x.md", "-n.md",
		"notes/..", "..", ".", "", "/", ".md", "notes/.md", "notes//x.md", "./x.md", "notes/./x.md", "x.md/",
		".GIT/x.md", "notes/.git/x.md", "notes/.Git/hooks/x.md", "git~1/x.md", "GIT~1/x.md", "notes/git~23/x.md",
		".g\u200cit/x.md", "a\u200bb.md", "a\u2066b.md", "a\u2028b.md", "a\u00adb.md", "a\U000E0041b.md", "a\ufeffb.md",
		"a\x00b.md", "a\nb.md", "a\tb.md", "a\x1bb.md", "a\x7fb.md", "a\u0085b.md",
		`notes\x.md`, `..\x.md`, `C:\x.md`, "notes/%2fx.md", "notes/%5Cx.md", "x%00.md",
		"notes/-x.md", "notes/.x.md", "notes /x.md", " x.md", "notes./x.md",
		"x.MD", "x.txt", "x", "x.md.exe", "x.md ",
		strings.Repeat("a", 201-3) + ".md", strings.Repeat("aaaaaaa/", 64) + "x.md",
	}
	b := newBase(t)
	b.person("notes/seed.md", "seed\n")
	head := b.head()
	good := b.plan("page.md", "text\n")
	for _, path := range paths {
		_, err := b.prepare(path, "text\n")
		require.Error(t, err, "%q", path)
		requireFault(t, err, faults.Permanent, "page_path")

		// At execute time, with a plan that says so.
		call := good
		call.Action.Target = "kb/" + path
		call.Action.Parameters = []byte(strings.ReplaceAll(string(good.Action.Parameters), "page.md", path))
		_, err = b.apply(call)
		require.Error(t, err, "%q", path)
		require.Equal(t, faults.Permanent, faults.ClassOf(err), "%q: %v", path, err)
	}
	require.Equal(t, head, b.head())
	b.requireNoMarker(keyOf(good))
	require.Empty(t, b.git("status", "--porcelain"))
}

func TestPathsThatAreAllowed(t *testing.T) {
	b := newBase(t)
	for _, path := range []string{
		"page.md", "weekly/2026-W48.md", "a/b/c/d/e/f.md", "周报/第48周.md", "été.md", "with space.md", "a,b;c=d.md", "100%.md",
		"~notes.md", "digit.md", "my.git.md", "gitignore.md", "a-b_c.d.md", "[x]*?.md", "it's \"quoted\".md", ":(top)x.md", "a:b.md",
		strings.Repeat("a", 200-3) + ".md", strings.Repeat("aaaaaaa/", 63) + "pagee.md",
	} {
		b.write(path, "text of "+path+"\n")
		require.Equal(t, "text of "+path, b.git("show", "main:"+path))
		require.Equal(t, "text of "+path+"\n", b.file(path))

		prepared, err := b.prepare(path, "next text\n")
		require.NoError(t, err)
		_, err = b.apply(approved(prepared, "v2"))
		require.NoError(t, err)
		require.Equal(t, "next text\n", b.file(path))
	}
	require.Empty(t, b.git("status", "--porcelain"))
}

func TestC074_LinksInTheRepository(t *testing.T) {
	dir, requireUntouched := outside(t)
	links := []struct{ name, link, to, page string }{
		{"to a folder outside", "link-out", dir, "link-out/x.md"},
		{"to a folder outside, new page", "link-out", dir, "link-out/new.md"},
		{"deep below", "link-out", dir, "link-out/a/b/c.md"},
		{"to .git", "hooks", ".git/hooks", "hooks/x.md"},
		{"to a folder inside", "alias", "notes", "alias/seed.md"},
		{"to a parent", "notes/up", "../..", "notes/up/x.md"},
		{"dangling", "nowhere", filepath.Join(dir, "missing"), "nowhere/x.md"},
		{"the page itself", "page.md", filepath.Join(dir, "x.md"), "page.md"},
		{"the page itself, dangling", "page.md", filepath.Join(dir, "missing.md"), "page.md"},
	}
	for _, tt := range links {
		for _, committed := range []bool{true, false} {
			t.Run(map[bool]string{true: "committed ", false: "in the work tree "}[committed]+tt.name, func(t *testing.T) {
				b := newBase(t)
				b.person("notes/seed.md", "seed\n")
				call := b.plan(tt.page, "ours\n") // approved while there was no link

				require.NoError(t, os.Symlink(tt.to, filepath.Join(b.path, filepath.FromSlash(tt.link))))
				if committed {
					b.git("add", "--", tt.link)
					b.git("commit", "--quiet", "-m", "link")
				}
				head := b.head()

				_, err := b.prepare(tt.page, "ours\n")
				requireFault(t, err, faults.Permanent, "page_link")
				_, err = b.apply(call)
				requireFault(t, err, faults.Permanent, "page_link")
				require.Equal(t, head, b.head())
				b.requireNoMarker(keyOf(call))
				requireUntouched()
				require.NoFileExists(t, filepath.Join(b.path, ".git", "hooks", "x.md"))
				require.Equal(t, "seed\n", b.file("notes/seed.md"))
			})
		}
	}
}

func TestC074_LinkInABareRepository(t *testing.T) {
	dir, requireUntouched := outside(t)
	work := newBase(t)
	require.NoError(t, os.Symlink(dir, filepath.Join(work.path, "link-out")))
	work.git("add", "link-out")
	work.git("commit", "--quiet", "-m", "link")
	bare := filepath.Join(t.TempDir(), "kb.git")
	work.git("clone", "--quiet", "--bare", work.path, bare)
	b := openBase(t, bare)

	_, err := b.prepare("link-out/x.md", "ours\n")
	requireFault(t, err, faults.Permanent, "page_link")
	requireUntouched()
}

func TestSubmodulesAreNotWrittenInto(t *testing.T) {
	b := newBase(t)
	b.person("seed.md", "seed\n")
	b.git("update-index", "--add", "--cacheinfo", "160000,"+b.head()+",module")
	b.git("commit", "--quiet", "-m", "a submodule")
	for _, page := range []string{"module/x.md", "module/a/b.md"} {
		_, err := b.prepare(page, "ours\n")
		requireFault(t, err, faults.Permanent, "page_link")
	}
}

func TestPageWhereSomethingElseIs(t *testing.T) {
	b := newBase(t)
	b.person("notes/seed.md", "seed\n")
	b.person("file.md", "a file\n")
	b.person("folder.md/page.md", "a folder can have such a name\n")
	for page, code := range map[string]string{
		"file.md/x.md":       "page_place",
		"file.md/a/b/c.md":   "page_place",
		"folder.md":          "page_place",
		"Notes/x.md":         "page_case",
		"NOTES/seed.md":      "page_case",
		"notes/Seed.md":      "page_case",
		"notes/SEED.md":      "page_case",
		"File.md":            "page_case",
		"\u212Aeep/../x.md":  "page_path",
		"folder.md/Page.md":  "page_case",
		"folder.MD/other.md": "page_case",
	} {
		_, err := b.prepare(page, "text\n")
		require.Error(t, err, page)
		requireFault(t, err, faults.Permanent, code)
	}
	b.write("folder.md/other.md", "text\n")
	require.Equal(t, 4, b.commits())
}

func TestBothNamesOfAnOlderCaseClashStayWritable(t *testing.T) {
	b := newBase(t)
	blob := b.git("hash-object", "-w", "--stdin")
	b.git("update-index", "--add", "--cacheinfo", "100644,"+blob+",README.md")
	b.git("update-index", "--add", "--cacheinfo", "100644,"+blob+",readme.md")
	b.git("commit", "--quiet", "-m", "both")
	b.write("readme.md", "lower\n")
	b.write("README.md", "upper\n")
	require.Equal(t, "lower", b.git("show", "main:readme.md"))
	require.Equal(t, "upper", b.git("show", "main:README.md"))
}

func TestCaseClashThatCameAfterThePlan(t *testing.T) {
	b := newBase(t)
	b.person("seed.md", "seed\n")
	call := b.plan("page.md", "text\n")
	b.person("Page.md", "theirs\n")
	_, err := b.apply(call)
	requireFault(t, err, faults.Permanent, "page_case")
}

func TestC054_ComposedAndDecomposedLettersAreTwoPages(t *testing.T) {
	const composed, decomposed = "caf\u00e9.md", "cafe\u0301.md"
	require.NotEqual(t, composed, decomposed)
	b := newBase(t)
	first, second := b.plan(composed, "composed\n"), b.plan(decomposed, "decomposed\n")
	require.Equal(t, "kb/"+composed, first.Action.Target)
	require.Equal(t, "kb/"+decomposed, second.Action.Target)
	require.NotEqual(t, keyOf(first), keyOf(second))

	for _, call := range []tools.Call{first, second} {
		receipt, err := b.apply(call)
		require.NoError(t, err)
		require.Equal(t, call.Action.Target, receipt.Target)
	}
	// Byte for byte, as Git keeps them.
	require.Equal(t, decomposed+"\x00"+composed+"\x00", b.git("ls-tree", "-z", "--name-only", "main"))
	require.Equal(t, "composed", b.git("show", "main:"+composed))
	require.Equal(t, "decomposed", b.git("show", "main:"+decomposed))
	require.Equal(t, 1, b.count(composed, keyOf(first)))

	// A title keeps its letters as well.
	for _, title := range []string{"caf\u00e9", "cafe\u0301"} {
		prepared, err := b.tool.Prepare(t.Context(), tools.Proposal{
			Tool: gitpages.Name, AllowedTarget: "kb", Parameters: []byte(`{"page":"` + title + `/x.md","content":"x\n","title":"` + title + `"}`),
		})
		require.NoError(t, err)
		require.Contains(t, string(prepared.Parameters), `"title":"`+title+`"`)
		_, err = b.apply(approved(prepared, "v1"))
		require.NoError(t, err)
		require.Equal(t, title, b.git("log", "-1", "--format=%s", "main"))
	}
}
