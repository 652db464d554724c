package gitsource

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/internal/folder"
)

// entry is one entry of a tree that is written by hand.
type entry struct{ mode, name, id string }

// literally writes an object that git's own commands would not make.
func (r *remote) literally(kind, data string) string {
	r.t.Helper()
	file := filepath.Join(r.t.TempDir(), "object")
	require.NoError(r.t, os.WriteFile(file, []byte(data), 0o600))
	return r.git("hash-object", "-t", kind, "-w", "--literally", file)
}

func (r *remote) tree(entries ...entry) string {
	r.t.Helper()
	var b strings.Builder
	for _, e := range entries {
		id, err := hex.DecodeString(e.id)
		require.NoError(r.t, err)
		b.WriteString(e.mode + " " + e.name + "\x00" + string(id))
	}
	return r.literally("tree", b.String())
}

// commitTree makes main a commit of that tree.
func (r *remote) commitTree(tree string) {
	r.t.Helper()
	r.git("update-ref", "refs/heads/main", r.git("commit-tree", tree, "-m", "x"))
}

// Whoever can push to a repository may have made its trees by hand.
func TestTreesMadeByHand(t *testing.T) {
	const bad = "a name that no file can have"
	r := newRemote(t)
	file := r.literally("blob", "# a\n")
	other := r.literally("blob", "# second\n")
	link := r.literally("blob", "ok.md")
	inner := r.tree(entry{"100644", "passwd.md", file})
	ok := entry{"100644", "ok.md", file}
	for name, tc := range map[string]struct {
		tree          string
		read, skipped map[string]string
	}{
		"a leading slash": {r.tree(entry{"100644", "/x.md", file}, ok), map[string]string{"ok.md": "# a\n"}, map[string]string{"/x.md": bad}},
		"two slashes":     {r.tree(entry{"100644", "a//b.md", file}, ok), map[string]string{"ok.md": "# a\n"}, map[string]string{"a//b.md": bad}},
		"dots": {
			r.tree(entry{"100644", ".", file}, entry{"40000", "..", inner}, entry{"120000", "a/./l", link}, ok, entry{"100644", "x/../../up.md", file}),
			map[string]string{"ok.md": "# a\n"},
			map[string]string{".": bad, "../passwd.md": bad, "a/./l": bad, "x/../../up.md": bad},
		},
		"a slash at the end": {r.tree(ok, entry{"100644", "x.md/", file}), map[string]string{"ok.md": "# a\n"}, map[string]string{"x.md/": bad}},
		"one name twice": {
			r.tree(entry{"100644", "a.md", file}, entry{"100644", "a.md", other}), map[string]string{"a.md": "# a\n"},
			map[string]string{"a.md": "the second of its name"},
		},
		"a file and a folder of one name": {
			r.tree(entry{"100644", "a", file}, entry{"40000", "a", inner}, ok), map[string]string{"a/passwd.md": "# a\n", "ok.md": "# a\n"},
			map[string]string{"a": "unsupported format (no extension)"},
		},
		"a hidden one": {
			r.tree(entry{"40000", ".git", inner}, ok), map[string]string{"ok.md": "# a\n"}, map[string]string{".git/": "hidden folder"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r.commitTree(tc.tree)
			m, read, err := collect(t, r.source("main"))
			require.NoError(t, err)
			require.Equal(t, tc.read, read)
			require.Equal(t, tc.skipped, skipped(m))
			require.Equal(t, len(tc.read)+len(tc.skipped), m.Read+m.Skipped, "every entry counts")
		})
	}
}

// What no worker can make sense of is refused once and for all.
func TestTreesThatAreBroken(t *testing.T) {
	r := newRemote(t)
	file := r.literally("blob", "# a\n")
	a, b := r.tree(entry{"100644", "a.md", file}), r.tree(entry{"100644", "b.md", file})
	for name, tc := range map[string]struct{ tree, says string }{
		"out of order":         {r.tree(entry{"100644", "z.md", file}, entry{"100644", "a.md", file}), `its names are not in order at "a.md"`},
		"a folder twice":       {r.tree(entry{"40000", "d", b}, entry{"40000", "d", a}), `its names are not in order at "d/a.md"`},
		"a path without end":   {r.tree(entry{"100644", strings.Repeat("x", 2<<20) + ".md", file}), "a path of more than 1048576 bytes"},
		"only a leading slash": {r.tree(entry{"100644", "/x.md", file}), "holds no document that can be read (/x.md: a name that no file can have)"},
	} {
		t.Run(name, func(t *testing.T) {
			r.commitTree(tc.tree)
			_, _, err := collect(t, r.source("main"))
			require.Equal(t, faults.Permanent, faults.ClassOf(err), err)
			require.ErrorContains(t, err, tc.says)
			require.Less(t, len(err.Error()), 500)
		})
	}
}

// Git's own servers do not send a tree that Git cannot read; others may.
func TestTreesThatGitCannotRead(t *testing.T) {
	r := newRemote(t)
	file := r.literally("blob", "# a\n")
	s := r.source("main", func(s *Settings) { s.Cache = filepath.Join(r.dir, ".git") })
	for name, id := range map[string]string{
		"an empty name": r.tree(entry{"100644", "", file}),
		"no mode":       r.literally("tree", " a.md\x00"+strings.Repeat("x", 20)),
		"cut short":     r.literally("tree", "100644 a.md\x00abc"),
	} {
		commit := r.git("commit-tree", id, "-m", "x")
		err := (&tree{source: s, commit: commit}).List(t.Context(), folder.Scope{}, 10, func(sources.Item) error { return nil })
		require.Equal(t, errBroken, err, name)
	}
}

// A few short names of one long folder must not fill the memory.
func TestPathsOfMoreThanAListHolds(t *testing.T) {
	r := newRemote(t)
	file := r.literally("blob", "# a\n")
	var names []entry
	for _, c := range "abcdefghijklmnopqrstuvwxyz0123456789" {
		names = append(names, entry{"100644", string(c) + ".md", file})
	}
	names = append(names[26:], names[:26]...) // digits go before letters
	r.commitTree(r.tree(entry{"40000", strings.Repeat("x", 1<<20-100), r.tree(names...)}))
	_, _, err := collect(t, r.source("main"))
	require.ErrorContains(t, err, "context_too_many_entries")
	require.ErrorContains(t, err, "paths have more than 33554432 bytes in all")
}

func TestLinksSayWhereTheyLead(t *testing.T) {
	r := newRemote(t)
	for name, target := range map[string]string{
		"abs": "/etc/passwd", "out": "../x", "d/out": "../../x", "back": "../remote/a.md",
		"in": "a.md", "dot": "./a.md", "here": ".", "d/up": "..", "d/over": ".././a.md", "folder": "d/", "chain": "dot", "through": "folder/b.md",
		"none": "nowhere.md", "under": "a.md/x", "far": strings.Repeat("x", 4000), "line\nbreak": "no\nwhere missing",
		"self": "self", "one": "two", "two": "one", "many": strings.Repeat("d/../", 300) + "a.md",
		"spelled": "nowhere blob 3", "sub-link": "sub",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(r.dir, name)), 0o755))
		require.NoError(t, os.Symlink(target, filepath.Join(r.dir, name)))
	}
	first := r.commit("a.md", "# a\n", "d/b.md", "# b\n")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+first+",sub")
	r.git("commit", "--quiet", "--message=sub")
	m, read, err := collect(t, r.source("main"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.md": "# a\n", "d/b.md": "# b\n"}, read)
	require.Equal(t, map[string]string{
		"abs": linkOutside, "out": linkOutside, "d/out": linkOutside, "back": linkOutside,
		"in": linkInside, "dot": linkInside, "here": linkInside, "d/up": linkInside, "d/over": linkInside, "folder": linkInside, "chain": linkInside,
		"through": linkInside,
		"none":    linkDangling, "under": linkDangling, "far": linkDangling, "line\nbreak": linkDangling, "spelled": linkDangling,
		"sub-link": linkDangling, "self": linkLoop, "one": linkLoop, "two": linkLoop, "many": linkLoop,
		"sub": "submodule",
	}, skipped(m))
	m, _, err = collect(t, r.source("main"), func(s *sources.Selection) { s.Path = "d" })
	require.NoError(t, err)
	require.Equal(t, map[string]string{"d/out": linkOutside, "d/up": linkInside, "d/over": linkInside}, skipped(m))
}
