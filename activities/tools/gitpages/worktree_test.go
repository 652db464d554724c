package gitpages_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

func TestUncommittedWorkStays(t *testing.T) {
	tests := []struct {
		name   string
		work   func(b *base) // what the person does and does not commit
		status string        // afterwards, as git tells it
		file   string        // of page.md; "" when it does not exist
	}{
		{
			"an edit of the page",
			func(b *base) { b.save("page.md", "my edit\n") },
			" M page.md", "my edit\n",
		},
		{
			"a staged edit of the page",
			func(b *base) { b.save("page.md", "my edit\n"); b.git("add", "page.md") },
			"M  page.md", "my edit\n",
		},
		{
			"the page deleted",
			func(b *base) { require.NoError(b.t, os.Remove(filepath.Join(b.path, "page.md"))) },
			" D page.md", "",
		},
		{
			"the page's deletion staged",
			func(b *base) { b.git("rm", "--quiet", "page.md") },
			"D  page.md", "",
		},
		{
			"an edit of another page",
			func(b *base) { b.save("other.md", "my edit\n") },
			" M other.md", "new\n",
		},
		{
			"a staged edit of another page",
			func(b *base) { b.save("other.md", "my edit\n"); b.git("add", "other.md") },
			"M  other.md", "new\n",
		},
		{
			"a new file",
			func(b *base) { b.save("mine.md", "mine\n") },
			"?? mine.md", "new\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBase(t)
			b.person("other.md", "other\n")
			b.person("page.md", "old\n")
			call := b.plan("page.md", "new\n")
			tt.work(b)

			_, err := b.apply(call)
			require.NoError(t, err)
			require.Equal(t, "new", b.git("show", "main:page.md"))
			require.Equal(t, "other", b.git("show", "main:other.md"), "nothing uncommitted entered the commit")
			require.Equal(t, tt.status, b.git("status", "--porcelain"))
			if tt.file == "" {
				require.NoFileExists(t, filepath.Join(b.path, "page.md"))
			} else {
				require.Equal(t, tt.file, b.file("page.md"))
			}
		})
	}
}

func TestUntrackedFileInThePlaceOfANewPageStays(t *testing.T) {
	b := newBase(t)
	b.person("seed.md", "seed\n")
	call := b.plan("notes/page.md", "ours\n")
	b.save("notes/page.md", "theirs, never committed\n")
	_, err := b.apply(call)
	require.NoError(t, err)
	require.Equal(t, "ours", b.git("show", "main:notes/page.md"))
	require.Equal(t, "theirs, never committed\n", b.file("notes/page.md"))
	require.Equal(t, " M notes/page.md", b.git("status", "--porcelain"))
}

func TestUntrackedFileInThePlaceOfAFolderStays(t *testing.T) {
	b := newBase(t)
	b.person("seed.md", "seed\n")
	b.save("notes", "a file, never committed\n")
	b.write("notes/page.md", "ours\n")
	require.Equal(t, "ours", b.git("show", "main:notes/page.md"))
	require.Equal(t, "a file, never committed\n", b.file("notes"))
}

func TestAnotherBranchInTheWorkTreeIsLeftAlone(t *testing.T) {
	for name, leave := range map[string]func(b *base){
		"another branch": func(b *base) { b.git("checkout", "--quiet", "-b", "draft") },
		"no branch":      func(b *base) { b.git("checkout", "--quiet", "--detach") },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBase(t)
			b.person("page.md", "old\n")
			leave(b)
			b.write("page.md", "new\n")
			b.write("second.md", "new\n")
			require.Equal(t, "old\n", b.file("page.md"))
			require.NoFileExists(t, filepath.Join(b.path, "second.md"))
			require.Empty(t, b.git("status", "--porcelain"))

			b.git("checkout", "--quiet", "main")
			require.Equal(t, "new\n", b.file("page.md"))
		})
	}
}

func TestConflictedMergeIsLeftAlone(t *testing.T) {
	for name, page := range map[string]string{"both changed": "page.md", "both added": "added.md"} {
		t.Run(name, func(t *testing.T) {
			b := newBase(t)
			b.person("page.md", "base\n")
			b.git("checkout", "--quiet", "-b", "draft")
			b.person(page, "draft\n")
			b.git("checkout", "--quiet", "main")
			b.person(page, "main\n")
			_, err := b.tryGit("", "merge", "draft")
			require.Error(t, err, "the merge conflicts")
			conflicted, status := b.file(page), b.git("status", "--porcelain")

			b.write(page, "tool\n")
			require.Equal(t, "tool", b.git("show", "main:"+page))
			require.Equal(t, conflicted, b.file(page))
			require.Equal(t, status, b.git("status", "--porcelain"))
		})
	}
}

func TestIndexLockOfAPersonDelaysOnlyTheWorkTree(t *testing.T) {
	b := newBase(t)
	b.person("page.md", "old\n")
	call := b.plan("page.md", "new\n")
	lock := filepath.Join(b.path, ".git", "index.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o600))

	receipt, err := b.apply(call)
	require.NoError(t, err)
	require.Equal(t, receipt.Ref, b.head())
	require.FileExists(t, lock)

	// The next attempt of the action catches up.
	require.NoError(t, os.Remove(lock))
	_, err = b.apply(call)
	require.NoError(t, err)
	require.Empty(t, b.git("status", "--porcelain"))
}

func TestIndexLockThatGoesAwayIsWaitedFor(t *testing.T) {
	b := newBase(t)
	b.person("page.md", "old\n")
	call := b.plan("page.md", "new\n")
	lock := filepath.Join(b.path, ".git", "index.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o600))
	// The lock goes after the first command that it stopped.
	tool := newTool(t, b.path, gitpages.Options{Git: script(t,
		`if [ -e '`+lock+`' ]; then case " $* " in *" update-index "*) [ -n "$GIT_INDEX_FILE" ] || { `+realGit(t)+` "$@"; rm '`+lock+`'; exit 128; };; esac; fi; exec `+realGit(t)+` "$@"`)})
	_, err := tool.Apply(t.Context(), call)
	require.NoError(t, err)
	require.NoFileExists(t, lock)
	require.Empty(t, b.git("status", "--porcelain"))
}

func TestWorkTreeOfALinkedCheckout(t *testing.T) {
	main := newBase(t)
	main.person("page.md", "old\n")
	main.git("checkout", "--quiet", "--detach")
	linked := filepath.Join(t.TempDir(), "linked")
	main.git("worktree", "add", "--quiet", linked, "main")

	b := openBase(t, linked)
	b.write("page.md", "new\n")
	require.Equal(t, "new\n", b.file("page.md"))
	require.Empty(t, b.git("status", "--porcelain"))
	require.Equal(t, "old\n", main.file("page.md"))
}

func TestFileModeAndHardLinksOfAPage(t *testing.T) {
	b := newBase(t)
	b.person("page.md", "old\n")
	file := filepath.Join(b.path, "page.md")
	require.NoError(t, os.Chmod(file, 0o600))
	other := filepath.Join(t.TempDir(), "same-file.md")
	require.NoError(t, os.Link(file, other))

	b.write("page.md", "new\n")
	require.Equal(t, "new\n", b.file("page.md"))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	kept, err := os.ReadFile(other)
	require.NoError(t, err)
	require.Equal(t, "old\n", string(kept), "a file elsewhere with the same inode is not written to")
}

func TestNothingIsLeftBeside(t *testing.T) {
	b := newBase(t)
	b.person("page.md", "old\n")
	b.write("page.md", "new\n")
	b.write("notes/page.md", "new\n")
	require.Empty(t, b.git("status", "--porcelain", "--ignored"))
	require.Empty(t, b.git("fsck", "--no-progress", "--strict"))
}
