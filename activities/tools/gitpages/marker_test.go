package gitpages_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

// TestGitItselfRefusesASecond makes the transaction by hand, so that the
// refusal is Git's and not this package's.
func TestGitItselfRefusesASecond(t *testing.T) {
	b := newBase(t)
	call := b.plan("page.md", "text\n")
	_, err := b.apply(call)
	require.NoError(t, err)
	head := b.head()
	second := b.git("commit-tree", "-p", head, "-m", "second", head+"^{tree}")

	out, err := b.tryGit("start\nupdate refs/heads/main "+second+" "+head+"\ncreate refs/holdpoint/"+keyOf(call)+" "+second+"\nprepare\ncommit\n",
		"update-ref", "--stdin")
	require.Error(t, err)
	require.Contains(t, out, "refs/holdpoint/"+keyOf(call))
	require.Equal(t, head, b.head(), "the branch did not move either")

	// Without the marker in it, the very same step is taken.
	b.git("update-ref", "refs/heads/main", second, head)
}

// The half-applied transactions are what a machine crash between the two
// renames of one transaction leaves.

func TestMarkerWithoutBranchIsMovedForward(t *testing.T) {
	for name, before := range map[string]func(b *base){
		"a branch with history": func(b *base) { b.person("page.md", "old\n") },
		"a branch not born yet": func(*base) {},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBase(t)
			before(b)
			commits := b.commits()
			parent := ""
			if commits > 0 {
				parent = b.head()
			}
			call := b.plan("page.md", "new\n")
			first, err := b.apply(call)
			require.NoError(t, err)
			if parent == "" {
				b.git("update-ref", "-d", "refs/heads/main")
			} else {
				b.git("update-ref", "refs/heads/main", parent)
			}

			again, err := b.apply(call)
			require.NoError(t, err)
			require.Equal(t, first, again)
			require.Equal(t, first.Ref, b.head())
			require.Equal(t, commits+1, b.commits())
			require.Equal(t, 1, b.count("page.md", keyOf(call)))
			require.Empty(t, b.git("status", "--porcelain"))
		})
	}
}

func TestMarkerWithoutBranchThatMovedOnIsMadeAnew(t *testing.T) {
	b := newBase(t)
	b.person("page.md", "old\n")
	parent := b.head()
	call := b.plan("page.md", "new\n")
	orphan, err := b.apply(call)
	require.NoError(t, err)
	b.git("reset", "--quiet", "--hard", parent)
	b.person("other.md", "a colleague's\n")

	receipt, err := b.apply(call)
	require.NoError(t, err)
	require.NotEqual(t, orphan.Ref, receipt.Ref)
	require.Equal(t, receipt.Ref, b.head())
	require.Equal(t, receipt.Ref, b.marker(keyOf(call)))
	require.Equal(t, 1, b.count("page.md", keyOf(call)))
	require.Equal(t, 3, b.commits())
	require.Equal(t, "a colleague's\n", b.file("other.md"))

	again, err := b.apply(call)
	require.NoError(t, err)
	require.Equal(t, receipt, again)
}

func TestMarkerWithoutBranchAndDriftWritesNothing(t *testing.T) {
	b := newBase(t)
	b.person("page.md", "old\n")
	parent := b.head()
	call := b.plan("page.md", "new\n")
	_, err := b.apply(call)
	require.NoError(t, err)
	b.git("reset", "--quiet", "--hard", parent)
	b.person("page.md", "a colleague's\n")
	head := b.head()

	_, err = b.apply(call)
	requireFault(t, err, faults.Permanent, "page_changed")
	require.Equal(t, head, b.head())
}

func TestMarkerOfACommitThatAColleagueRebasedFollowsIt(t *testing.T) {
	b := newBase(t)
	b.person("page.md", "old\n")
	parent := b.head()
	call := b.plan("page.md", "new\n")
	first, err := b.apply(call)
	require.NoError(t, err)
	b.git("reset", "--quiet", "--hard", parent)
	b.person("other.md", "a colleague's\n")
	b.git("cherry-pick", first.Ref)

	receipt, err := b.apply(call)
	require.NoError(t, err)
	require.Equal(t, b.head(), receipt.Ref)
	require.Equal(t, b.head(), b.marker(keyOf(call)))
	require.Equal(t, 1, b.count("page.md", keyOf(call)))
}

func TestBranchWithoutMarkerGetsItsMarker(t *testing.T) {
	for name, since := range map[string]func(b *base){
		"nothing since":                func(*base) {},
		"a colleague's commit since":   func(b *base) { b.person("other.md", "other\n") },
		"a colleague edited the page":  func(b *base) { b.person("page.md", "edited since\n") },
		"a colleague deleted the page": func(b *base) { b.git("rm", "--quiet", "page.md"); b.git("commit", "--quiet", "-m", "gone") },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBase(t)
			b.person("page.md", "old\n")
			call := b.plan("page.md", "new\n")
			first, err := b.apply(call)
			require.NoError(t, err)
			b.git("update-ref", "-d", "refs/holdpoint/"+keyOf(call))
			since(b)
			head := b.head()

			again, err := b.apply(call)
			require.NoError(t, err)
			require.Equal(t, first, again)
			require.Equal(t, first.Ref, b.marker(keyOf(call)))
			require.Equal(t, head, b.head(), "no second commit")
			require.Equal(t, 1, b.count("page.md", keyOf(call)))
		})
	}
}

// What a kill between the two renames leaves: the effect is made, so nothing
// that stands in the marker's way makes it a refusal.
func TestBranchWithoutMarkerThatCannotBeSet(t *testing.T) {
	for name, end := range map[string]bool{"a lock": false, "the end of the context": true} {
		t.Run(name, func(t *testing.T) {
			b := newBase(t)
			call := b.plan("page.md", "text\n")
			made, err := b.apply(call)
			require.NoError(t, err)
			b.git("update-ref", "-d", "refs/holdpoint/"+keyOf(call))
			lock := filepath.Join(b.path, ".git", "refs", "holdpoint", keyOf(call)+".lock")
			require.NoError(t, os.MkdirAll(filepath.Dir(lock), 0o755))
			require.NoError(t, os.WriteFile(lock, nil, 0o600))

			o, ctx := gitpages.Options{Patience: time.Nanosecond}, eventually(t)
			if end {
				var inTransaction string
				ctx, inTransaction = cancelInTransaction(t)
				o.Git = onUpdateRef(t, inTransaction+"; exec "+realGit(t)+` "$@"`)
			}
			again, err := newTool(t, b.path, o).Apply(ctx, call)
			require.NoError(t, err)
			require.Equal(t, made, again)
			require.Equal(t, 1, b.commits())
			b.requireNoMarker(keyOf(call))
		})
	}
}
