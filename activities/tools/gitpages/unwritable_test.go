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

func TestLockThatStaysIsNamedAndNotRemoved(t *testing.T) {
	for _, lock := range []string{"refs/heads/main.lock", "HEAD.lock", "refs/holdpoint/<key>.lock"} {
		t.Run(filepath.Base(lock), func(t *testing.T) {
			b := newBase(t)
			b.person("page.md", "old\n")
			call := b.plan("page.md", "new\n")
			if filepath.Base(lock) == "<key>.lock" {
				lock = "refs/holdpoint/" + keyOf(call) + ".lock"
			}
			file := filepath.Join(b.path, ".git", filepath.FromSlash(lock))
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			long := time.Now().Add(-2 * time.Hour)
			require.NoError(t, os.Chtimes(file, long, long))

			tool := newTool(t, b.path, gitpages.Options{Patience: 50 * time.Millisecond})
			_, err := tool.Apply(eventually(t), call)
			fault := requireFault(t, err, faults.Transient, "refs_locked")
			require.Contains(t, fault.Reason, lock)
			require.Contains(t, fault.Reason, "2h0m0s old")
			require.FileExists(t, file)
			require.Equal(t, 1, b.commits())

			require.NoError(t, os.Remove(file))
			_, err = tool.Apply(t.Context(), call)
			require.NoError(t, err)
			require.Equal(t, 2, b.commits())
			require.Equal(t, 1, b.count("page.md", keyOf(call)))
		})
	}
}

func TestLockThatGoesAwayOnlyCostsTime(t *testing.T) {
	b := newBase(t)
	b.person("page.md", "old\n")
	call := b.plan("page.md", "new\n")
	file := filepath.Join(b.path, ".git", "refs", "heads", "main.lock")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	// The lock goes after the first transaction that it stopped.
	tool := newTool(t, b.path, gitpages.Options{Git: onUpdateRef(t, realGit(t)+` "$@"; status=$?; rm -f '`+file+`'; exit $status`)})

	_, err := tool.Apply(eventually(t), call)
	require.NoError(t, err)
	require.NoFileExists(t, file)
	require.Equal(t, 2, b.commits())
	require.Equal(t, 1, b.count("page.md", keyOf(call)))
}

// The refusal is git's own words, so that it is seen by root as well, who may
// write everywhere.
func TestReadOnlyRepositoryIsPermanent(t *testing.T) {
	b := newBase(t)
	call := b.plan("page.md", "text\n")
	tool := newTool(t, b.path, gitpages.Options{Git: script(t,
		`case " $* " in *" -w "*) echo "error: insufficient permission for adding an object to repository database $GIT_DIR/objects" >&2; exit 128;; esac; exec `+realGit(t)+` "$@"`)})
	_, err := tool.Apply(t.Context(), call)
	fault := requireFault(t, err, faults.Permanent, "read_only")
	require.Equal(t, "git hash-object: error: insufficient permission for adding an object to repository database kb/objects", fault.Reason)
}
