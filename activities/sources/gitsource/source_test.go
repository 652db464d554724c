package gitsource

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

type shelf struct {
	mu   sync.Mutex
	kept map[plan.Digest]string
}

func newShelf() *shelf { return &shelf{kept: map[plan.Digest]string{}} }

func (s *shelf) Put(_ context.Context, data []byte) (plan.Digest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := plan.Sum(data)
	s.kept[d] = string(data)
	return d, nil
}

func (s *shelf) Get(_ context.Context, digest plan.Digest, _ int64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []byte(s.kept[digest]), nil
}

var wide = sources.Limits{MaxFileBytes: 1 << 20, MaxTotalBytes: 16 << 20, MaxEntries: 1000}

// remote is a repository that a test writes to.
type remote struct {
	t   *testing.T
	dir string
}

func newRemote(t *testing.T) *remote {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "git is missing")
		t.Skip("git is missing")
	}
	r := &remote{t, filepath.Join(t.TempDir(), "remote")}
	require.NoError(t, os.Mkdir(r.dir, 0o755))
	r.git("init", "--quiet", "--initial-branch=main")
	return r
}

func (r *remote) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.quotePath=false"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func (r *remote) write(name, content string) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(filepath.Dir(filepath.Join(r.dir, name)), 0o755))
	require.NoError(r.t, os.WriteFile(filepath.Join(r.dir, name), []byte(content), 0o644))
}

// commit commits everything and returns the id.
func (r *remote) commit(files ...string) string {
	r.t.Helper()
	for i := 0; i < len(files); i += 2 {
		r.write(files[i], files[i+1])
	}
	r.git("add", "--all", "--force")
	r.git("commit", "--quiet", "--message=x")
	return r.git("rev-parse", "HEAD")
}

func (r *remote) source(ref string, change ...func(*Settings)) *Source {
	r.t.Helper()
	s := Settings{Name: "handbook", URL: r.dir, Ref: ref, Cache: filepath.Join(r.t.TempDir(), "cache", "handbook.git")}
	for _, f := range change {
		f(&s)
	}
	source, err := New(r.t.Context(), s)
	require.NoError(r.t, err)
	return source
}

func selectAll(s *Source) []sources.Selection {
	return []sources.Selection{{Name: "handbook", Source: s}}
}

// collect returns the manifest and what was read, by path.
func collect(t *testing.T, s *Source, change ...func(*sources.Selection)) (sources.Manifest, map[string]string, error) {
	t.Helper()
	kept := newShelf()
	selections := selectAll(s)
	for _, f := range change {
		f(&selections[0])
	}
	m, err := sources.Collector{Limits: wide, Store: kept}.Collect(t.Context(), selections)
	return m, contents(m, kept), err
}

func contents(m sources.Manifest, kept *shelf) map[string]string {
	got := map[string]string{}
	for _, e := range m.Entries {
		if e.Skipped == "" {
			got[e.Path] = kept.kept[e.Digest]
		}
	}
	return got
}

func skipped(m sources.Manifest) map[string]string {
	got := map[string]string{}
	for _, e := range m.Entries {
		if e.Skipped != "" {
			got[e.Path] = e.Skipped
		}
	}
	return got
}

func TestEverythingOfACommitIsAccountedFor(t *testing.T) {
	r := newRemote(t)
	r.write("README.md", "upper\n")
	r.write("readme.md", "lower\n")
	r.write("caf\xe9.md", "latin\n")
	r.write("line\nbreak.md", "break\n")
	r.write("-rf.md", "dash\n")
	r.write(".github/workflows/x.yml", "a: 1")
	r.write(".github/y.md", "y")
	r.write("docs/.hid/z.md", "z")
	r.write("docs/.note.md", "n")
	r.write("docs/a.md", "a\r\n")
	r.write("docs/empty.md", "")
	r.write("docs/large.txt", strings.Repeat("x", 1<<20+1))
	r.write("pic.png", "\x89PNG")
	r.write("big.md", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(r.dir, "link.md")))
	require.NoError(t, os.Symlink(".", filepath.Join(r.dir, "loop")))
	first := r.commit()
	r.git("update-index", "--add", "--cacheinfo", "160000,"+first+",sub")
	r.git("commit", "--quiet", "--message=sub")
	commit := r.git("rev-parse", "HEAD")

	m, read, err := collect(t, r.source("main"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"README.md": "upper\n", "readme.md": "lower\n", `caf\xe9.md`: "latin\n", "line\nbreak.md": "break\n", "-rf.md": "dash\n", "docs/a.md": "a\r\n",
	}, read)
	require.Equal(t, map[string]string{
		".github/": "hidden folder", "docs/.hid/": "hidden folder", "docs/.note.md": "hidden", "docs/empty.md": "empty",
		"docs/large.txt": "too large: 1048577 bytes, the limit for a file is 1048576", "pic.png": "unsupported format .png",
		"link.md": "link leaves the root", "loop": "link inside the root", "sub": "submodule", "big.md": "kept by Git LFS, which is not fetched",
	}, skipped(m))
	require.Equal(t, strings.Count(r.git("ls-tree", "-r", "-z", "--name-only", "main"), "\x00"), m.Read+m.Skipped)
	require.Equal(t, []sources.Origin{{Source: "handbook", Kind: "git", Ref: "main", Commit: commit}}, m.Origins)
	var paths []string
	for _, e := range m.Entries {
		paths = append(paths, e.Path)
	}
	require.IsIncreasing(t, paths)
}

func TestRefs(t *testing.T) {
	r := newRemote(t)
	one := r.commit("a.md", "one")
	r.git("tag", "--annotate", "--message=x", "v1")
	r.git("branch", "both")
	two := r.commit("a.md", "two")
	r.git("tag", "both")
	r.git("checkout", "--quiet", "-b", "side/line")
	three := r.commit("a.md", "three")
	r.git("checkout", "--quiet", "main")
	for ref, want := range map[string]string{
		"": two, "HEAD": two, "main": two, "refs/heads/main": two, "v1": one, "refs/tags/v1": one, "side/line": three, one: one,
		"both": one, "refs/tags/both": two, // a branch goes before a tag
	} {
		m, _, err := collect(t, r.source(ref))
		require.NoError(t, err, ref)
		require.Equal(t, want, m.Origins[0].Commit, ref)
	}
	_, _, err := collect(t, r.source(strings.Repeat("0", 39)+"1"))
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
	require.ErrorContains(t, err, "git_ref_not_given: source \"handbook\" is a repository without the commit \"0000")
	for _, ref := range []string{"missing", "refs/heads/missing"} {
		_, _, err := collect(t, r.source(ref))
		require.Equal(t, faults.Permanent, faults.ClassOf(err), ref)
		require.ErrorContains(t, err, "git_ref_missing: source \"handbook\" is a repository without the branch, tag or commit")
	}
	blob := r.git("hash-object", "-w", "a.md")
	r.git("tag", "blob", blob)
	_, _, err = collect(t, r.source("blob"))
	require.ErrorContains(t, err, "git_ref_missing")
}

func TestWhatIsNoRepositoryOrRef(t *testing.T) {
	r := newRemote(t)
	marker := filepath.Join(t.TempDir(), "ran")
	for name, s := range map[string]Settings{
		"no url":          {},
		"an option":       {URL: "--upload-pack=touch " + marker},
		"a program":       {URL: "ext::touch " + marker},
		"a password":      {URL: "https://u:SECRET@git.example.com/x"},
		"a query":         {URL: "https://git.example.com/x?token=SECRET"},
		"no encryption":   {URL: "http://git.example.com/x"},
		"a ref of two":    {URL: r.dir, Ref: "main:refs/heads/x"},
		"a ref option":    {URL: r.dir, Ref: "refs/heads/a b"},
		"a ref with dots": {URL: r.dir, Ref: "a..b"},
	} {
		t.Run(name, func(t *testing.T) {
			s.Name, s.Cache = "handbook", filepath.Join(t.TempDir(), "c")
			_, err := New(t.Context(), s)
			require.ErrorContains(t, err, "source handbook: its ")
			require.NotContains(t, err.Error(), "SECRET")
		})
	}
	_, err := New(t.Context(), Settings{Name: "handbook", URL: r.dir, Git: "no-such-git"})
	require.ErrorContains(t, err, "git_missing")
	_, _, err = collect(t, r.source("-x"))
	require.ErrorContains(t, err, "git_ref_missing")
	_, _, err = collect(t, r.source("main", func(s *Settings) { s.URL = t.TempDir() }))
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
	require.ErrorContains(t, err, "remote_missing")
	_, _, err = collect(t, r.source("main", func(s *Settings) { s.URL = "https://mei@127.0.0.1:1/SECRET" }))
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.NotContains(t, err.Error(), "SECRET")
	require.NotContains(t, err.Error(), "mei")
	require.NoFileExists(t, marker)
}

func TestFoldersOfTheTask(t *testing.T) {
	r := newRemote(t)
	require.NoError(t, os.Symlink("docs", filepath.Join(r.dir, "link")))
	r.commit("docs/a.md", "a", "docs/b/c.md", "c", "docs/b/.x/d.md", "d", "docs2/e.md", "e", "top.md", "t", ".hid/h.md", "h")
	s := r.source("main")
	m, read, err := collect(t, s, func(s *sources.Selection) { s.Path, s.Exclude = "docs", []string{"**/c.md"} })
	require.NoError(t, err)
	require.Equal(t, map[string]string{"docs/a.md": "a"}, read)
	require.Equal(t, map[string]string{"docs/b/.x/": "hidden folder"}, skipped(m))
	_, read, err = collect(t, s, func(s *sources.Selection) { s.Path = ".hid" })
	require.NoError(t, err)
	require.Equal(t, map[string]string{".hid/h.md": "h"}, read, "a folder that is named is not hidden")
	for path, code := range map[string]string{
		"doc": "context_path_missing", "top.md": "context_path_is_file", "top.md/x": "context_path_is_file",
		"link": "context_path_is_link", "link/b": "context_path_is_link", "../x": "context_path_invalid",
	} {
		_, _, err := collect(t, s, func(s *sources.Selection) { s.Path = path })
		require.ErrorContains(t, err, code+": ", path)
		require.Equal(t, faults.Permanent, faults.ClassOf(err))
	}
	_, err = sources.Collector{Limits: sources.Limits{MaxFileBytes: 9, MaxTotalBytes: 9, MaxEntries: 4}, Store: newShelf()}.Collect(t.Context(), selectAll(s))
	require.ErrorContains(t, err, "context_too_many_entries")
}

// interrupted is a collection that is stopped after n entries.
func interrupted(t *testing.T, s *Source, kept *shelf, n int) workflows.CollectProgress {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var at workflows.CollectProgress
	_, err := sources.Collector{Limits: wide, Store: kept, Progress: func(p workflows.CollectProgress) {
		if at = p; p.Done == n && !p.Listing.Digest.IsZero() {
			cancel()
		}
	}}.Collect(ctx, selectAll(s))
	require.ErrorIs(t, err, context.Canceled)
	return at
}

// The branch moves while it is read, and the worker is killed; another one,
// with a cache of its own, goes on with the commit that was listed.
func TestTheCommitStaysTheSame(t *testing.T) {
	r := newRemote(t)
	old := r.commit("a.md", "a1", "b.md", "b1", "c.md", "c1")
	for n := range 3 {
		kept := newShelf()
		s := r.source("main")
		at := interrupted(t, s, kept, n)
		newer := r.commit("a.md", "a2", "b.md", "b2", "c.md", "c2", "d.md", "d2")
		for _, resumer := range []*Source{s, r.source("main")} {
			m, err := sources.Collector{Limits: wide, Store: kept}.Resume(t.Context(), selectAll(resumer), at)
			require.NoError(t, err)
			require.Equal(t, map[string]string{"a.md": "a1", "b.md": "b1", "c.md": "c1"}, contents(m, kept))
			require.Equal(t, old, m.Origins[0].Commit)
		}
		m, _, err := collect(t, s)
		require.NoError(t, err)
		require.Equal(t, newer, m.Origins[0].Commit, "the next collection takes the new one")
		r.git("reset", "--quiet", "--hard", old)
	}
}

// What the repository does not have any more is collected anew as it is now.
func TestACommitThatIsGone(t *testing.T) {
	r := newRemote(t)
	r.commit("a.md", "a1", "b.md", "b1")
	kept := newShelf()
	at := interrupted(t, r.source("main"), kept, 1)
	require.NoError(t, os.RemoveAll(r.dir))
	require.NoError(t, os.Mkdir(r.dir, 0o755))
	r.git("init", "--quiet", "--initial-branch=main")
	commit := r.commit("a.md", "new")
	m, err := sources.Collector{Limits: wide, Store: kept}.Resume(t.Context(), selectAll(r.source("main")), at)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.md": "new"}, contents(m, kept))
	require.Equal(t, commit, m.Origins[0].Commit)
}

// A git that was killed leaves locks and half-written packs behind.
func TestWhatAKilledGitLeftInTheCache(t *testing.T) {
	r := newRemote(t)
	r.commit("a.md", "a1")
	s := r.source("main")
	_, _, err := collect(t, s)
	require.NoError(t, err)
	for _, left := range []string{"shallow.lock", "refs/holdpoint/fetched.lock", "objects/pack/tmp_pack_x"} {
		require.NoError(t, os.WriteFile(filepath.Join(s.Cache, left), nil, 0o600))
	}
	require.NoError(t, os.MkdirAll(s.Cache+".new", 0o755))
	r.commit("a.md", "a2")
	_, read, err := collect(t, s)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.md": "a2"}, read)
	require.NoFileExists(t, filepath.Join(s.Cache, "objects/pack/tmp_pack_x"))
}

func TestManyCollectionsOnOneCache(t *testing.T) {
	r := newRemote(t)
	r.commit("a.md", "a1")
	s := r.source("main")
	var all sync.WaitGroup
	for range 8 {
		again, err := New(t.Context(), s.Settings)
		require.NoError(t, err)
		all.Go(func() {
			kept := newShelf()
			_, err := sources.Collector{Limits: wide, Store: kept}.Collect(context.Background(), selectAll(again))
			if err != nil {
				t.Errorf("collection: %v", err)
			}
		})
	}
	all.Wait()
}

// Neither the repository's own configuration nor its hooks and attributes have
// a say, and a remote that does not answer is given up.
func TestNothingOfTheRepositoryRuns(t *testing.T) {
	r := newRemote(t)
	marker := filepath.Join(t.TempDir(), "ran")
	r.commit("a.md", "a1\n", ".gitattributes", "*.md filter=evil eol=crlf\n")
	r.git("config", "filter.evil.smudge", "touch "+marker)
	for _, hook := range []string{"post-checkout", "reference-transaction", "post-merge"} {
		r.write(".git/hooks/"+hook, "#!/bin/sh\ntouch "+marker+"\n")
		require.NoError(t, os.Chmod(filepath.Join(r.dir, ".git/hooks", hook), 0o755))
	}
	_, read, err := collect(t, r.source("main"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a.md": "a1\n"}, read)
	require.NoFileExists(t, marker)
}

func TestARemoteThatDoesNotAnswer(t *testing.T) {
	r := newRemote(t)
	slow := filepath.Join(t.TempDir(), "git")
	program, err := exec.LookPath("git")
	require.NoError(t, err)
	script := "#!/bin/sh\ncase \"$*\" in *fetch*) exec sleep 60;; esac\nexec " + program + " \"$@\"\n"
	require.NoError(t, os.WriteFile(slow, []byte(script), 0o755))
	s := r.source("main", func(s *Settings) { s.Git, s.Timeout = slow, 300*time.Millisecond })
	_, _, err = collect(t, s)
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.ErrorContains(t, err, "git_timeout")
}
