package gitpages_test

import (
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
