package effects_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// items is a tool whose action writes many items, each under a key of its own
// that the target keeps apart. The target's journal has a line for each
// request, and a file for each item.
type items struct {
	dir, writer string
	count       int
	after       func(i int) // called when item i is written
}

func (m *items) Spec() tools.Spec {
	return tools.Spec{Name: "items", Version: "1", Class: plan.Conditional, CallTimeout: time.Minute}
}

func (m *items) Prepare(context.Context, tools.Proposal) (tools.Prepared, error) {
	return tools.Prepared{}, errors.New("not used here")
}

func (m *items) Count(context.Context, tools.Call) (int, error) { return -1, nil }

func (m *items) Apply(ctx context.Context, c tools.Call) (plan.Receipt, error) {
	for i := 1; i <= m.count; i++ {
		if err := c.Allowed(ctx); err != nil {
			if i > 1 {
				err = &faults.Fault{Class: faults.Unknown, Code: faults.Name(err).Code, Reason: "a part is written", Cause: err}
			}
			return plan.Receipt{}, err
		}
		if err := m.write(fmt.Sprintf("%s.%d", c.Action.IdempotencyKey, i)); err != nil {
			return plan.Receipt{}, err
		}
		m.after(i)
	}
	return plan.Receipt{
		IdempotencyKey: c.Action.IdempotencyKey, Tool: "items", Target: c.Action.Target,
		Ref: "items by " + m.writer, At: time.Now().UTC().Truncate(time.Second),
	}, nil
}

func (m *items) write(key string) error {
	lines, err := os.OpenFile(filepath.Join(m.dir, journal), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = lines.WriteString(m.writer + " " + key + "\n")
	if err := errors.Join(err, lines.Close()); err != nil {
		return err
	}
	item, err := os.OpenFile(filepath.Join(m.dir, key), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = item.WriteString(m.writer)
	return errors.Join(err, item.Close())
}

// afterItem is the point right after item i.
func afterItem(i int) effects.Point { return effects.Point(fmt.Sprint("after_item_", i)) }

// A worker is stopped in the middle of an action of ten writes, another one
// takes over and writes all ten, and the first one comes back: it stops before
// its next write.
func TestC018_StoppedWorkerStopsBeforeItsNextWrite(t *testing.T) {
	const written, all = 4, 10
	w := place(t)
	w.Items, w.PauseAt = all, afterItem(written)
	first := start(t, w.named("first"))
	first.waitUntilPaused()
	first.suspend()
	first.goOn() // read as soon as it is resumed

	w.PauseAt, w.Retry = "", true
	second := start(t, w.named("second")).report()
	require.Empty(t, second.Code)
	require.True(t, second.Outcome.Recovered)

	first.resume()
	zombie := first.report()
	require.Equal(t, "superseded", zombie.Code)
	require.False(t, zombie.CompleteRefused, "it has nothing to complete")

	requests := map[string]int{}
	text, err := os.ReadFile(filepath.Join(w.Folder, journal))
	require.NoError(t, err)
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		writer, _, _ := strings.Cut(line, " ")
		requests[writer]++
	}
	require.Equal(t, map[string]int{"first": written, "second": all}, requests)

	for i := 1; i <= all; i++ {
		writer, err := os.ReadFile(filepath.Join(w.Folder, fmt.Sprintf("%s.%d", theKey, i)))
		require.NoError(t, err)
		want := "second"
		if i <= written {
			want = "first"
		}
		require.Equal(t, want, string(writer), "item %d", i)
	}
	files, err := os.ReadDir(w.Folder)
	require.NoError(t, err)
	require.Len(t, files, all+1, "ten items and the journal")

	row := w.row(t)
	require.Equal(t, effects.Completed, row.State)
	require.Equal(t, "items by second", row.Receipt.Ref)
	require.EqualValues(t, 2, row.Token)
}

// An approval that ends in the middle of an action stops it there, and what is
// written is not named as not done.
func TestApprovalThatEndsInTheMiddleLeavesADoubt(t *testing.T) {
	s := newScene(t)
	over := false
	tool := &items{dir: t.TempDir(), writer: "first", count: 10, after: func(i int) { over = i == 4 }}
	call := theCall()
	call.MayBegin = func(context.Context) error {
		if !over {
			return nil
		}
		return &faults.Fault{Class: faults.Permanent, Code: "expired", Reason: "the approval has expired"}
	}
	_, err := s.Run(t.Context(), tool, call, 1, "acme")
	requireFault(t, err, faults.Unknown, "expired")
	s.requireParked("expired: a part is written")
	files, err := os.ReadDir(tool.dir)
	require.NoError(t, err)
	require.Len(t, files, 4+1, "four items and the journal")
}
