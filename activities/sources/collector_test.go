package sources

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

func TestCollect_AccountsForEverything(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"b.md", "a/z.markdown", "a/sub/x.txt", "a-b.yaml", "a.json", "A.HTML", "LICENSE", "t.csv", "p.yml", "q.htm"} {
		write(t, root, name, "text of "+name)
	}
	write(t, root, "logo.PNG", "\x89PNG")
	write(t, root, "Makefile", "all:")
	write(t, root, "zero.md", "")
	write(t, root, ".hidden.md", "x")
	write(t, root, ".git/config", "x")
	write(t, root, ".git/objects/00/aa", "x")
	write(t, root, ".git/objects/00/bb", "x")
	require.NoError(t, os.MkdirAll(filepath.Join(root, "emptydir", ".empty"), 0o755))
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe.md"), 0o644))
	socket, err := net.Listen("unix", filepath.Join(root, "s.md"))
	require.NoError(t, err)
	defer socket.Close()

	m, contents := collect(t, root)

	require.Equal(t, ".git/ .hidden.md A.HTML LICENSE Makefile a-b.yaml a.json a/sub/x.txt a/z.markdown b.md logo.PNG p.yml pipe.md q.htm s.md t.csv zero.md", names(m))
	require.Equal(t, map[string]string{
		".git/":      "hidden folder",
		".hidden.md": "hidden",
		"Makefile":   "unsupported format (no extension)",
		"logo.PNG":   "unsupported format .png",
		"pipe.md":    "not a regular file (fifo)",
		"s.md":       "not a regular file (socket)",
		"zero.md":    "empty",
	}, skipped(m))
	require.Len(t, contents, 10)
	for path, content := range contents {
		require.Equal(t, "text of "+path, content)
	}
	require.Equal(t, 10, m.Read)
	require.Equal(t, 9, m.Skipped) // the hidden folder counts its three files
	require.Equal(t, countFiles(t, root), m.Read+m.Skipped)
	require.Equal(t, "text/html", m.Entries[2].MediaType)
	require.Equal(t, int64(len("text of A.HTML")), m.Entries[2].Size)
}

func TestCollect_GlobsSetTheScope(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"2026/a.md", "2026/drafts/b.md", "2026/drafts/.x/c.md", "2026/c.txt", "2026/d.png", "2025/a.md"} {
		write(t, root, name, "x")
	}
	m, _ := collect(t, root, func(_ *Collector, s *Selection) {
		s.Path, s.Include, s.Exclude = "2026/", []string{"**/*.md", "*.png"}, []string{"drafts"}
	})
	require.Equal(t, "2026/a.md 2026/d.png", names(m))
	require.Equal(t, 1, m.Read)
	require.Equal(t, 1, m.Skipped)
}

func TestCollect_SeveralSources(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	write(t, one, "z.md", "1")
	write(t, two, "a/a.md", "2")
	write(t, two, "b/b.md", "3")
	c := Collector{Limits: wide, Store: shelf{}}
	m, err := c.Collect(context.Background(), []Selection{
		{Name: "one", Source: Dir{Root: one}}, {Name: "two", Source: Dir{Root: two}, Path: "b"}, {Name: "two", Source: Dir{Root: two}, Path: "a"},
	})
	require.NoError(t, err)
	require.Equal(t, "z.md b/b.md a/a.md", names(m))

	_, err = c.Collect(context.Background(), []Selection{{Name: "two", Source: Dir{Root: two}, Path: "a"}, {Name: "two", Source: Dir{Root: two}}})
	require.ErrorContains(t, err, "context_overlap")
	_, err = c.Collect(context.Background(), []Selection{{Name: "two", Source: Dir{Root: two}, Path: "a/"}, {Name: "two", Source: Dir{Root: two}, Path: "a"}})
	require.ErrorContains(t, err, "context_overlap")
	_, err = c.Collect(context.Background(), nil)
	require.ErrorContains(t, err, "context_empty")
}

func TestCollect_Limits(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.md", strings.Repeat("a", 60))
	write(t, root, "b.md", strings.Repeat("b", 101))
	write(t, root, "c.md", strings.Repeat("c", 50))
	write(t, root, "d.md", strings.Repeat("d", 40))

	m, _ := collect(t, root, func(c *Collector, _ *Selection) {
		c.Limits = Limits{MaxFileBytes: 100, MaxTotalBytes: 105, MaxEntries: 4}
	})
	require.Equal(t, map[string]string{
		"b.md": "too large: 101 bytes, the limit for a file is 100",
		"c.md": "past the total limit: 50 bytes, of 105 in all 45 are left",
	}, skipped(m))
	require.Equal(t, int64(100), m.Bytes)

	fault := refusal(t, root, func(c *Collector, _ *Selection) { c.Limits.MaxEntries = 3 })
	require.Equal(t, faults.Permanent, fault.Class)
	require.Equal(t, "context_too_many_entries", fault.Code)
}

// A file that grows after it was listed is another, and however large it has
// become, it is not read.
func TestCollect_FileGrowsWhileRead(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.md", "small")
	write(t, root, "b.md", "small")
	m, contents := collect(t, root, func(c *Collector, _ *Selection) {
		c.Limits.MaxFileBytes = 10
		c.beforeRead = func(path string) {
			if path == "a.md" {
				write(t, root, path, strings.Repeat("x", 1000))
			}
		}
	})
	require.Equal(t, map[string]string{"a.md": "changed since it was listed"}, skipped(m))
	require.Len(t, contents, 1)
}

func TestCollect_TooDeep(t *testing.T) {
	root := t.TempDir()
	write(t, root, strings.Repeat("d/", 101)+"x.md", "x")
	require.Equal(t, "context_too_deep", refusal(t, root).Code)
	m, _ := collect(t, filepath.Join(root, "d"))
	require.Equal(t, 1, m.Read)
}

func TestCollect_ProgressAndInterruption(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.md", "12")
	write(t, root, "b.png", "x")
	write(t, root, "c.md", "345")
	type counts struct {
		entries, done, read, skipped int
		bytes                        int64
	}
	var seen []counts
	collect(t, root, func(c *Collector, _ *Selection) {
		c.Progress = func(p workflows.CollectProgress) {
			seen = append(seen, counts{p.Entries, p.Done, p.Read, p.Skipped, p.Bytes})
		}
	})
	require.Equal(t, []counts{{1, 0, 0, 0, 0}, {2, 0, 0, 0, 0}, {3, 0, 0, 0, 0}, // listed
		{3, 0, 0, 0, 0}, {3, 1, 1, 0, 2}, {3, 2, 1, 1, 2}, {3, 3, 2, 1, 5}}, seen)

	ctx, cancel := context.WithCancel(context.Background())
	kept := shelf{}
	c := Collector{Limits: wide, Store: kept, Progress: func(p workflows.CollectProgress) {
		if p.Done == 1 {
			cancel()
		}
	}}
	_, err := c.Collect(ctx, []Selection{notes(root)})
	require.ErrorIs(t, err, context.Canceled)
	require.Contains(t, kept, plan.Sum([]byte("12")))
	require.NotContains(t, kept, plan.Sum([]byte("345")))
}

func TestCollect_StoreFails(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.md", "x")
	full := errors.New("disk full")
	c := Collector{Limits: wide, Store: broken{shelf{}, full}}
	_, err := c.Collect(context.Background(), []Selection{notes(root)})
	require.ErrorIs(t, err, full)
}

// broken is a store that takes nothing more.
type broken struct {
	shelf
	err error
}

func (b broken) Put(context.Context, []byte) (plan.Digest, error) { return plan.Digest{}, b.err }

func TestC065_NothingToRead(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"emptydir", "empty", "png"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, dir), 0o755))
	}
	write(t, root, "empty/zero.md", "")
	write(t, root, "png/logo.png", "\x89PNG")
	write(t, root, "file.md", "x")
	require.NoError(t, os.Symlink("png", filepath.Join(root, "link")))

	for sub, want := range map[string]struct{ code, says string }{
		"emptydir":   {"context_empty", `folder "emptydir" of source "notes" holds no file`},
		"empty":      {"context_empty", `holds no document that can be read (empty/zero.md: empty)`},
		"png":        {"context_empty", `holds no document that can be read (png/logo.png: unsupported format .png)`},
		"file.md":    {"context_path_is_file", `folder "file.md" of source "notes" is a file`},
		"file.md/x":  {"context_path_is_file", `leads through one`},
		"missing":    {"context_path_missing", `folder "missing" of source "notes" does not exist`},
		"png/../png": {"context_path_invalid", `without ".."`},
		"/etc":       {"context_path_invalid", `without a leading slash`},
		"../..":      {"context_path_invalid", `without ".."`},
		"link":       {"context_path_is_link", `name the folder itself`},
		"link/x":     {"context_path_is_link", `name the folder itself`},
	} {
		fault := refusal(t, root, func(_ *Collector, s *Selection) { s.Path = sub })
		require.Equal(t, faults.Permanent, fault.Class, sub)
		require.Equal(t, want.code, fault.Code, sub)
		require.Contains(t, fault.Reason, want.says, sub)
		require.NotContains(t, fault.Reason, root, "the machine's own path")
		require.NotContains(t, fault.Reason, "\n")
	}

	fault := refusal(t, root, func(_ *Collector, s *Selection) { s.Include = []string{"*.markdown"} })
	require.Equal(t, "context_empty", fault.Code)
	require.Contains(t, fault.Reason, "globs")
	fault = refusal(t, root, func(_ *Collector, s *Selection) { s.Include = []string{"*.{md,txt}"} })
	require.Equal(t, "glob_invalid", fault.Code)
	fault = refusal(t, filepath.Join(root, "nowhere"))
	require.Equal(t, "source_root_unusable", fault.Code)
	require.Equal(t, faults.Permanent, fault.Class)
}

// A document in which a person finds nothing to read is no document: a plan made
// of nothing else would be made of nothing.
func TestC065_NoTextToRead(t *testing.T) {
	const none = "no text: nothing in it that a person could read"
	blank := map[string]string{
		"zero-width.md": "\u200b\u200d\ufeff\n", "tags.md": "\U000e0041\U000e0042", "comment.html": "<!-- SECRET --><p hidden>x</p>\n", "table.html": "<table><tr><td> </td></tr></table>",
		"blank.md": " \t\r\n\u3000\u00a0\n", "mark.md": "\xef\xbb\xbf", "mark16.txt": "\xff\xfe", "nul.md": "\x00", "nuls.csv": "\x00\x00\x00\x00",
		"braille.txt": "\u2800", "unreadable.txt": "\xff",
	}
	all := t.TempDir()
	for name, content := range blank {
		root := t.TempDir()
		write(t, root, name, content)
		write(t, all, name, content)
		fault := refusal(t, root)
		require.Equal(t, faults.Permanent, fault.Class, name)
		require.Equal(t, "context_empty", fault.Code, name)
		require.Contains(t, fault.Reason, "holds no document that can be read ("+name+": "+none+")")
	}
	require.Equal(t, "context_empty", refusal(t, all).Code)

	for name, content := range map[string]string{"a.md": "-", "b.html": "<p>x</p>", "c.txt": "文", "d.csv": ",", "e.md": "🙂"} {
		write(t, all, name, content)
	}
	m, _ := collect(t, all)
	require.Equal(t, 5, m.Read)
	require.Equal(t, int64(1+8+3+1+4), m.Bytes)
	for name := range blank {
		require.Equal(t, none, skipped(m)[name], name)
	}
	require.Equal(t, countFiles(t, all), m.Read+m.Skipped)
}

func TestC065_OneOfTwoSourcesIsEmpty(t *testing.T) {
	full, none := t.TempDir(), t.TempDir()
	write(t, full, "a.md", "x")
	c := Collector{Limits: wide, Store: shelf{}}
	_, err := c.Collect(context.Background(), []Selection{{Name: "full", Source: Dir{Root: full}}, {Name: "none", Source: Dir{Root: none}}})
	require.ErrorContains(t, err, `source "none" holds no file`)
}

func TestCollect_ManyUnsupportedAreNotAllListed(t *testing.T) {
	root := t.TempDir()
	for i := range 20 {
		write(t, root, fmt.Sprintf("%02d.png", i), "x")
	}
	fault := refusal(t, root)
	require.Contains(t, fault.Reason, "00.png: unsupported format .png; 01.png")
	require.Contains(t, fault.Reason, "and 17 more")
}
