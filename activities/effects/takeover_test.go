package effects_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// place makes a ledger and a target, and returns the worker that uses them.
func place(t *testing.T) worker {
	t.Helper()
	return worker{Ledger: filepath.Join(t.TempDir(), "effects.db"), Folder: t.TempDir()}
}

func (w worker) named(name string) worker {
	w.Name = name
	return w
}

// effectsAtTarget counts where the effect is made, not in our own ledger.
func (w worker) effectsAtTarget(t *testing.T) int {
	t.Helper()
	n, err := (&folder{dir: w.Folder}).Count(t.Context(), tools.Call{Action: plan.Action{IdempotencyKey: theKey}})
	require.NoError(t, err)
	return n
}

func (w worker) row(t *testing.T) effects.Row {
	t.Helper()
	ledger, err := sqlite.Open(t.Context(), w.Ledger)
	require.NoError(t, err)
	defer ledger.Close()
	rows, err := ledger.Rows(t.Context(), []string{theKey})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	return rows[0]
}

// A process is suspended in the middle of an attempt, another one finishes the
// action, and the first one comes back.
func TestSuspendedProcessComesBackToALostLease(t *testing.T) {
	tests := []struct {
		name            string
		pauseAt         effects.Point
		effectsBefore   int
		completeRefused bool
	}{
		{"between Begin and the last check: the tool is not called", effects.PointBegun, 0, false},
		{"between Begin and the tool's write: the receipt is refused", beforeWrite, 0, true},
		{"between the effect and its receipt: the receipt is refused", effects.PointEffect, 1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := place(t)
			w.PauseAt = tt.pauseAt
			first := start(t, w.named("first"))
			first.waitUntilPaused()
			first.suspend()
			first.goOn() // read as soon as it is resumed
			require.Equal(t, tt.effectsBefore, w.effectsAtTarget(t))

			w.PauseAt, w.Retry = "", true
			second := start(t, w.named("second")).report()
			require.Empty(t, second.Code)
			require.True(t, second.Outcome.Recovered)
			require.False(t, second.CompleteRefused)
			require.Equal(t, 1, w.effectsAtTarget(t))

			first.resume()
			zombie := first.report()
			require.Equal(t, "superseded", zombie.Code)
			require.Equal(t, tt.completeRefused, zombie.CompleteRefused)
			require.Equal(t, 1, w.effectsAtTarget(t))
			row := w.row(t)
			require.Equal(t, "second", row.LeaseOwner)
			require.EqualValues(t, 2, row.Token)
			require.Equal(t, second.Outcome.Receipt, *row.Receipt)
		})
	}
}

func TestKilledAfterBegin(t *testing.T) {
	w := crashedAt(t, effects.PointBegun)
	require.Equal(t, 0, w.effectsAtTarget(t))
	next := start(t, w).report()
	require.Empty(t, next.Code)
	require.True(t, next.Outcome.Recovered)
	require.Equal(t, 1, w.effectsAtTarget(t))
	require.Equal(t, effects.Completed, w.row(t).State)
}

func TestEffectHappenedButReceiptLost(t *testing.T) {
	w := crashedAt(t, effects.PointEffect)
	require.Equal(t, 1, w.effectsAtTarget(t))
	require.Equal(t, effects.Started, w.row(t).State)
	first, err := (&folder{}).earlier(filepath.Join(w.Folder, theKey))
	require.NoError(t, err)

	next := start(t, w).report()
	require.Empty(t, next.Code)
	require.True(t, next.Outcome.Recovered)
	require.Equal(t, first, next.Outcome.Receipt, "the receipt is the first attempt's")
	require.Equal(t, 1, w.effectsAtTarget(t))
	require.Equal(t, &first, w.row(t).Receipt)
}

func TestKilledAfterComplete(t *testing.T) {
	w := crashedAt(t, effects.PointRecorded)
	row := w.row(t)
	require.Equal(t, effects.Completed, row.State)
	next := start(t, w).report()
	require.Empty(t, next.Code)
	require.True(t, next.Outcome.Duplicate)
	require.Equal(t, *row.Receipt, next.Outcome.Receipt)
	require.Equal(t, 1, w.effectsAtTarget(t))
	require.Equal(t, row, w.row(t))
}

// crashedAt ends a worker at a point, and returns the one that comes after it.
func crashedAt(t *testing.T, point effects.Point) worker {
	t.Helper()
	w := place(t).named("first")
	w.ExitAt = point
	start(t, w).crash()
	w = w.named("second")
	w.ExitAt, w.Retry = "", true
	return w
}

func TestManyWorkersResumeOneAction(t *testing.T) {
	w := place(t)
	w.PauseAt = beforeWrite
	killed := start(t, w.named("killed"))
	killed.waitUntilPaused()
	require.NoError(t, killed.cmd.Process.Kill())
	require.Error(t, killed.cmd.Wait())

	w.PauseAt, w.Retry = "", true
	var others []*process
	for i := range 4 {
		others = append(others, start(t, w.named(fmt.Sprint("worker-", i))))
	}
	duplicates, recoveries := 0, 0
	for _, p := range others {
		r := p.report()
		require.Empty(t, r.Code)
		if r.Outcome.Duplicate {
			duplicates++
		}
		if r.Outcome.Recovered {
			recoveries++
		}
	}
	require.Equal(t, 1, recoveries)
	require.Equal(t, 3, duplicates)
	require.Equal(t, 1, w.effectsAtTarget(t))
}
