package effects_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// scene is a protocol on a real ledger and a tool that does as told.
type scene struct {
	*effects.Protocol
	t      *testing.T
	tool   *scripted
	points []effects.Point
	clock  *clock // of the ledger; nil when it has its own
}

func newScene(t *testing.T) *scene {
	t.Helper()
	ledger, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "effects.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ledger.Close()) })
	return sceneOn(t, ledger)
}

// newTimedScene is a scene whose ledger's time the test sets: what takes the
// protocol minutes takes the test none.
func newTimedScene(t *testing.T) *scene {
	t.Helper()
	clock := &clock{}
	s := sceneOn(t, newMemory(clock))
	s.clock = clock
	return s
}

func sceneOn(t *testing.T, ledger effects.Ledger) *scene {
	t.Helper()
	s := &scene{t: t, tool: &scripted{spec: tools.Spec{Name: "scripted", Class: plan.Conditional}}}
	s.Protocol = &effects.Protocol{
		Ledger: ledger, Owner: "worker-1", Lease: time.Hour, Renew: time.Minute,
		Reached: func(p effects.Point) { s.points = append(s.points, p) },
	}
	s.answer(theReceipt, nil)
	return s
}

// answer sets what the tool answers from now on.
func (s *scene) answer(r plan.Receipt, err error) {
	s.tool.apply = func(context.Context) (plan.Receipt, error) { return r, err }
}

func (s *scene) run() (effects.Outcome, error) { return s.with(s.t.Context(), theCall()) }

func (s *scene) with(ctx context.Context, call tools.Call) (effects.Outcome, error) {
	return s.Run(ctx, s.tool.asTool(), call, 1, "acme")
}

func (s *scene) row() effects.Row {
	s.t.Helper()
	rows, err := s.Ledger.Rows(s.t.Context(), []string{theKey})
	require.NoError(s.t, err)
	require.Len(s.t, rows, 1)
	return rows[0]
}

// inDoubt leaves the key as an attempt of unknown outcome leaves it.
func (s *scene) inDoubt() {
	s.t.Helper()
	s.answer(plan.Receipt{}, &faults.Fault{Code: "timeout", Reason: "no answer"})
	_, err := s.run()
	require.Equal(s.t, faults.Unknown, faults.ClassOf(err))
	s.requireParked("timeout: no answer")
	s.tool.calls, s.tool.looks, s.points = 0, 0, nil
	s.answer(theReceipt, nil)
}

func (s *scene) requireParked(reason string) {
	s.t.Helper()
	row := s.row()
	require.Equal(s.t, effects.Started, row.State)
	require.Zero(s.t, row.LeaseUntil, "the next attempt need not wait")
	require.Equal(s.t, reason, row.Reason)
}

func (s *scene) requireReleased(reason string) {
	s.t.Helper()
	row := s.row()
	require.Equal(s.t, effects.Released, row.State)
	require.Equal(s.t, reason, row.Reason)
}

// takeOver puts the key into other hands while an attempt is at work, as
// happens when its lease runs out.
func (s *scene) takeOver() {
	s.t.Helper()
	row := s.row()
	require.NoError(s.t, s.Ledger.Park(s.t.Context(), theKey, row.Token, "the lease is over", false))
	begun, err := s.Ledger.Begin(s.t.Context(), effects.Claim{
		Key: theKey, Fingerprint: row.Fingerprint, Attempt: 2, Owner: "worker-2", Lease: time.Hour, Resend: tools.Always,
	})
	require.NoError(s.t, err)
	require.Equal(s.t, row.Token+1, begun.Token)
}

func requireFault(t *testing.T, err error, class faults.Class, code string) *faults.Fault {
	t.Helper()
	var f *faults.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, class.String(), f.Class.String())
	require.Equal(t, code, f.Code)
	return f
}
