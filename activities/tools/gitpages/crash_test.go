package gitpages_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

// C017 for git: the worker is killed in the window between the effect and
// its record; a new worker carries the action out again.
func TestC017_GitWorkerKilledAfterTheEffect(t *testing.T) {
	tests := []struct {
		name      string
		env       func(t *testing.T) []string
		made      int // commits that the killed worker left
		colleague bool
	}{
		{"after Apply returned", func(*testing.T) []string { return []string{workerDies + "=1"} }, 1, false},
		{"right after git moved the refs", func(t *testing.T) []string { return []string{workerGit + "=" + killsWorker(t, "after", "update-ref")} }, 1, false},
		{"right before git moves the refs", func(t *testing.T) []string { return []string{workerGit + "=" + killsWorker(t, "before", "update-ref")} }, 0, false},
		{"and a colleague commits meanwhile", func(t *testing.T) []string { return []string{workerGit + "=" + killsWorker(t, "after", "update-ref")} }, 1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBase(t)
			call := b.plan("weekly/2026-W48.md", "text\n")

			requireKilled(t, worker(t, b.path, call, tt.env(t)...).Run())
			require.Equal(t, tt.made, b.commits())
			made := ""
			if tt.made == 1 {
				made = b.head()
			}
			if tt.colleague {
				b.pushed()
			}

			receipt := runWorker(t, b.path, call)
			if made == "" {
				made = b.head()
			}
			require.Equal(t, made, receipt.Ref)
			require.Equal(t, 1, b.count("weekly/2026-W48.md", keyOf(call)))
			if tt.colleague {
				require.Equal(t, "from elsewhere", b.git("log", "-1", "--format=%s", "main"))
			} else {
				require.Equal(t, 1, b.commits())
			}
			require.Equal(t, "text\n", b.file("weekly/2026-W48.md"))
			require.Empty(t, b.git("status", "--porcelain"))
		})
	}
}

// requireKilled checks that a process ended by kill -9.
func requireKilled(t *testing.T, err error) {
	t.Helper()
	var died *exec.ExitError
	require.ErrorAs(t, err, &died)
	status, ok := died.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	require.Equal(t, syscall.SIGKILL, status.Signal())
}

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

func TestKilledTransactionIsJudgedByTheRefs(t *testing.T) {
	once := filepath.Join(t.TempDir(), "once")
	tests := []struct{ name, lines string }{
		{"before it did anything", `if mkdir '` + once + `' 2>/dev/null; then kill -9 $$; fi; exec ` + realGit(t) + ` "$@"`},
		{"after it did everything", realGit(t) + ` "$@"; kill -9 $$`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBase(t)
			call := b.plan("page.md", "text\n")
			receipt, err := newTool(t, b.path, gitpages.Options{Git: onUpdateRef(t, tt.lines)}).Apply(eventually(t), call)
			require.NoError(t, err)
			require.Equal(t, b.head(), receipt.Ref)
			require.Equal(t, 1, b.commits())
		})
	}
	require.DirExists(t, once)
}

func TestTransactionThatIsAlwaysKilledIsTransient(t *testing.T) {
	b := newBase(t)
	call := b.plan("page.md", "text\n")
	tool := newTool(t, b.path, gitpages.Options{Git: onUpdateRef(t, "kill -9 $$"), Patience: 50 * time.Millisecond})
	_, err := tool.Apply(eventually(t), call)
	requireFault(t, err, faults.Transient, "git_failed")
	require.Zero(t, b.commits(), "the refs were read again, and nothing had moved")
}

func TestKilledTransactionThatNobodyCanReadIsUnknown(t *testing.T) {
	b := newBase(t)
	call := b.plan("page.md", "text\n")
	ctx, inTransaction := cancelInTransaction(t)
	tool := newTool(t, b.path, gitpages.Options{Git: onUpdateRef(t, realGit(t)+` "$@"; `+inTransaction+`; kill -9 $$`)})
	_, err := tool.Apply(ctx, call)
	requireFault(t, err, faults.Unknown, "refs_unknown")

	// The next attempt finds out.
	receipt, err := b.apply(call)
	require.NoError(t, err)
	require.Equal(t, b.head(), receipt.Ref)
	require.Equal(t, 1, b.commits())
}

// The transaction was killed and moved the refs. They are read again, and what
// they lead to is not: a refusal would say that nothing was written.
func TestKilledTransactionOfWhichTheEffectCannotBeReadIsUnknown(t *testing.T) {
	for _, tt := range []struct{ name, command, lines string }{
		{"the marker's commit: git fails", "log", `echo "fatal: no" >&2; exit 128`},
		{"the marker's commit: the context ends", "log", ""},
		{"whether the branch has it: git fails", "merge-base", `echo "fatal: no" >&2; exit 128`},
		{"the marker's page: the file system refuses", "cat-file --batch", `echo "error: Permission denied" >&2; exit 128`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBase(t)
			call := b.plan("page.md", "text\n")
			ctx := eventually(t)
			if tt.lines == "" {
				ctx, tt.lines = cancelInTransaction(t)
			}
			killed := filepath.Join(t.TempDir(), "killed")
			tool := newTool(t, b.path, gitpages.Options{Git: script(t, `case " $* " in
*" update-ref "*) `+realGit(t)+` "$@"; `+colleague(t)+`; : >'`+killed+`'; kill -9 $$;;
*" `+tt.command+` "*) if [ -e '`+killed+`' ]; then `+tt.lines+`; fi;;
esac
exec `+realGit(t)+` "$@"`)})
			_, err := tool.Apply(ctx, call)
			requireFault(t, err, faults.Unknown, "refs_unknown")
			require.FileExists(t, killed)

			receipt, err := b.apply(call)
			require.NoError(t, err)
			require.Equal(t, b.marker(keyOf(call)), receipt.Ref)
			require.Equal(t, 1, b.count("page.md", keyOf(call)))
		})
	}
}

// colleague is a shell line that commits on the branch, past the work tree.
func colleague(t *testing.T) string {
	git := realGit(t) + " -c user.name=Mei -c user.email=mei@example.com"
	return git + ` update-ref refs/heads/main "$(GIT_AUTHOR_NAME=Mei GIT_AUTHOR_EMAIL=mei@example.com ` + git +
		` commit-tree -p refs/heads/main -m theirs 'refs/heads/main^{tree}')"`
}

// What is read after a killed transaction, and says that it did nothing, is as
// good as if none had been killed.
func TestKilledTransactionAfterWhichAnotherEffectIsRead(t *testing.T) {
	for name, tt := range map[string]struct{ ref, code string }{
		"in the place of the page":   {"refs/heads/main", "page_changed"},
		"in the place of the marker": {"refs/holdpoint/<key>", "key_conflict"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBase(t)
			b.person("page.md", "theirs\n")
			theirs := b.head()
			b.git("reset", "--quiet", "--hard", b.git("commit-tree", "-m", "empty", b.git("mktree")))
			before := b.head()
			call := b.plan("page.md", "text\n")
			ref := strings.ReplaceAll(tt.ref, "<key>", keyOf(call))
			tool := newTool(t, b.path, gitpages.Options{Git: onUpdateRef(t, realGit(t)+" update-ref "+ref+" "+theirs+"; kill -9 $$")})
			_, err := tool.Apply(eventually(t), call)
			requireFault(t, err, faults.Permanent, tt.code)
			require.Contains(t, []string{before, theirs}, b.head())
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

// The approval may end while this tool waits for its turn or tries again.
func TestNoWriteBeginsThatIsNotAllowedAnyMore(t *testing.T) {
	over := &faults.Fault{Class: faults.Permanent, Code: "expired", Reason: "the approval has expired"}
	t.Run("at the first transaction", func(t *testing.T) {
		b := newBase(t)
		call := b.plan("page.md", "text\n")
		call.MayBegin = func(context.Context) error { return over }
		_, err := b.apply(call)
		require.Equal(t, over, requireFault(t, err, faults.Permanent, "expired"))
		require.Zero(t, b.commits())
		b.requireNoMarker(keyOf(call))
	})
	t.Run("after one that was killed", func(t *testing.T) {
		b := newBase(t)
		call := b.plan("page.md", "text\n")
		asked := 0
		call.MayBegin = func(context.Context) error {
			if asked++; asked > 1 {
				return over
			}
			return nil
		}
		tool := newTool(t, b.path, gitpages.Options{Git: onUpdateRef(t, "kill -9 $$")})
		_, err := tool.Apply(eventually(t), call)
		requireFault(t, err, faults.Permanent, "expired")
		require.Equal(t, 2, asked)
		require.Zero(t, b.commits())
	})
	t.Run("but what was written is found", func(t *testing.T) {
		b := newBase(t)
		call := b.plan("page.md", "text\n")
		made, err := b.apply(call)
		require.NoError(t, err)
		call.MayBegin = func(context.Context) error { return over }
		again, err := b.apply(call)
		require.NoError(t, err)
		require.Equal(t, made, again)
	})
}

func TestTransactionThatHasBegunIsNotCanceled(t *testing.T) {
	b := newBase(t)
	call := b.plan("page.md", "text\n")
	ctx, inTransaction := cancelInTransaction(t)
	tool := newTool(t, b.path, gitpages.Options{Git: onUpdateRef(t, inTransaction+`; exec `+realGit(t)+` "$@"`)})
	receipt, err := tool.Apply(ctx, call)
	require.NoError(t, err, "the effect was made, so that is what is reported")
	require.ErrorIs(t, ctx.Err(), context.Canceled)
	require.Equal(t, b.head(), receipt.Ref)
	require.Equal(t, b.marker(keyOf(call)), receipt.Ref)
}

// cancelInTransaction returns a context, and shell lines for a git in the
// middle of a transaction: they have the context canceled, and go on after it.
func cancelInTransaction(t *testing.T) (context.Context, string) {
	t.Helper()
	ctx, cancel := context.WithCancel(eventually(t))
	dir := t.TempDir()
	reached, canceled := filepath.Join(dir, "reached"), filepath.Join(dir, "canceled")
	end := make(chan error, 1)
	t.Cleanup(func() { require.NoError(t, <-end) })
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(reached); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
		end <- os.WriteFile(canceled, nil, 0o600)
	}()
	return ctx, `: >'` + reached + `'; while [ ! -e '` + canceled + `' ]; do sleep 0.02; done; sleep 0.1`
}

func TestCanceledBeforeTheTransactionWritesNothing(t *testing.T) {
	b := newBase(t)
	call := b.plan("page.md", "text\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.tool.Apply(ctx, call)
	requireFault(t, err, faults.Transient, faults.CodeInterrupted)
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, b.commits())
}

func TestHangingGitIsAskedToEndWithTheContext(t *testing.T) {
	b := newBase(t)
	call := b.plan("page.md", "text\n")
	hangs, ended := filepath.Join(t.TempDir(), "hangs"), filepath.Join(t.TempDir(), "ended")
	tool := newTool(t, b.path, gitpages.Options{Git: script(t,
		`case " $* " in *" write-tree "*) trap ": >'`+ended+`'; exit 1" TERM; : >'`+hangs+`'; while :; do sleep 0.02; done;; esac; exec `+realGit(t)+` "$@"`)})
	ctx, cancel := context.WithCancel(eventually(t))
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(hangs); err == nil {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, err := tool.Apply(ctx, call)
	requireFault(t, err, faults.Transient, faults.CodeInterrupted)
	require.FileExists(t, ended, "git had the time to clean up")
	require.Zero(t, b.commits())
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
