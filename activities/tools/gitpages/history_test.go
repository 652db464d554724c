package gitpages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

// logged makes a git that writes down its searches of the history, and returns
// a function that reads them.
func logged(t *testing.T) (program string, searches func() []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "searches")
	program = onCommand(t, "--fixed-strings", `echo "$@" >>'`+file+`'; exec `+realGit(t)+` "$@"`)
	return program, func() []string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

func TestHistoryIsReadOnce(t *testing.T) {
	b := newBase(t)
	b.person("seed.md", "seed\n")
	git, searches := logged(t)
	b.tool = newTool(t, b.path, gitpages.Options{Git: git})
	for i := range 4 {
		b.person("by-hand.md", fmt.Sprintf("%d\n", i))
		b.write(fmt.Sprintf("%d.md", i), "text\n")
	}
	all := searches()
	require.Len(t, all, 4)
	require.NotContains(t, all[0], "^")
	for _, search := range all[1:] {
		require.Contains(t, search, " ^", "what was read before is left out")
	}
}

// What is remembered of a history must not outlive it.
func TestHistoryThatWasRewrittenAndCollected(t *testing.T) {
	for name, collect := range map[string]bool{"rewritten": false, "and collected": true} {
		t.Run(name, func(t *testing.T) {
			b := newBase(t)
			b.person("seed.md", "seed\n")
			call := b.plan("page.md", "text\n")
			_, err := b.apply(call)
			require.NoError(t, err)
			require.Equal(t, 1, b.count("page.md", keyOf(call)), "now it is remembered")

			b.git("reset", "--quiet", "--hard", "main~1")
			b.git("update-ref", "-d", "refs/holdpoint/"+keyOf(call))
			if collect {
				b.git("reflog", "expire", "--expire=now", "--all")
				b.git("gc", "--quiet", "--prune=now")
			}
			require.Zero(t, b.count("page.md", keyOf(call)))
			receipt, err := b.apply(call)
			require.NoError(t, err)
			require.Equal(t, b.head(), receipt.Ref)
			require.Equal(t, 2, b.commits())
			require.Equal(t, 1, b.count("page.md", keyOf(call)))
		})
	}
}

// A branch that goes back and forth: what was read of one is known of the other.
func TestHistoryThatForks(t *testing.T) {
	b := newBase(t)
	b.person("seed.md", "seed\n")
	call := b.plan("page.md", "text\n")
	_, err := b.apply(call)
	require.NoError(t, err)
	ours := b.head()
	require.Equal(t, 1, b.count("page.md", keyOf(call)))

	b.git("reset", "--quiet", "--hard", "main~1")
	b.person("other.md", "other\n")
	require.Zero(t, b.count("page.md", keyOf(call)))
	b.git("merge", "--quiet", "--no-edit", ours)
	require.Equal(t, 1, b.count("page.md", keyOf(call)))
	b.git("cherry-pick", "--allow-empty", "--keep-redundant-commits", ours)
	require.Equal(t, 2, b.count("page.md", keyOf(call)), "as counted at the target")
}
