package gitpages_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

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
