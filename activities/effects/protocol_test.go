package effects_test

import (
	"context"
	"errors"
	"fmt"
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
}

func newScene(t *testing.T) *scene {
	t.Helper()
	ledger, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "effects.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ledger.Close()) })
	s := &scene{t: t, tool: &scripted{class: plan.Conditional}}
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
	return s.Run(ctx, s.tool, call, 1, "acme")
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
	s.tool.calls, s.points = 0, nil
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
		Key: theKey, Fingerprint: row.Fingerprint, Attempt: 2, Owner: "worker-2", Lease: time.Hour,
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

func TestEffectIsMadeAndRecorded(t *testing.T) {
	s := newScene(t)
	out, err := s.run()
	require.NoError(t, err)
	require.Equal(t, effects.Outcome{Receipt: theReceipt}, out)
	require.Equal(t, []effects.Point{effects.PointBegun, effects.PointEffect, effects.PointRecorded}, s.points)

	row := s.row()
	require.Equal(t, effects.Completed, row.State)
	require.Equal(t, &theReceipt, row.Receipt)
	require.Equal(t, []string{"acme", "acme/demo-001", "page-1", "scripted", "kb/page.md", "worker-1"},
		[]string{row.Tenant, row.RunID, row.ActionID, row.Tool, row.Target, row.LeaseOwner})
	require.Equal(t, 1, row.Attempt)
	// printf '{"title":"Week 48"}' | sha256sum
	require.Equal(t, "sha256:a047acd8e46bcdff6597c2efa709c8324f70486201fb5dc6c82faae50ef548f6", row.Fingerprint.String())
}

func TestSecondRequestIsAnsweredByTheLedger(t *testing.T) {
	s := newScene(t)
	_, err := s.run()
	require.NoError(t, err)
	for _, spelling := range []string{`{"title":"Week 48"}`, "{ \"title\" : \"Week \\u0034\\u0038\" }"} {
		out, err := s.with(t.Context(), callWith(spelling))
		require.NoError(t, err)
		require.True(t, out.Duplicate)
		require.False(t, out.Recovered)
		require.Equal(t, theReceipt, out.Receipt)
		require.Contains(t, out.Detail, "acme/demo-001")
	}
	require.Equal(t, 1, s.tool.calls)
}

func TestOtherParametersUnderOneKeyAreAConflict(t *testing.T) {
	t.Run("after completion", func(t *testing.T) {
		s := newScene(t)
		_, err := s.run()
		require.NoError(t, err)
		_, err = s.with(t.Context(), callWith(`{"title":"Week 49"}`))
		requireFault(t, err, faults.Permanent, "key_conflict")
		require.Equal(t, 1, s.tool.calls)
	})
	t.Run("in doubt", func(t *testing.T) {
		s := newScene(t)
		s.inDoubt()
		before := s.row()
		_, err := s.with(t.Context(), callWith(`{"title":"Week 49"}`))
		requireFault(t, err, faults.Permanent, "key_in_doubt")
		require.Zero(t, s.tool.calls)
		require.Equal(t, before, s.row())
	})
	t.Run("after a release it is a new request", func(t *testing.T) {
		s := newScene(t)
		s.answer(plan.Receipt{}, &faults.Fault{Class: faults.Permanent, Code: "http_422", Reason: "refused"})
		_, err := s.run()
		require.Error(t, err)
		s.answer(theReceipt, nil)
		out, err := s.with(t.Context(), callWith(`{"title":"Week 49"}`))
		require.NoError(t, err)
		require.Equal(t, theReceipt, out.Receipt)
	})
	t.Run("parameters without a fingerprint", func(t *testing.T) {
		s := newScene(t)
		_, err := s.with(t.Context(), callWith(`{"title":`))
		requireFault(t, err, faults.Permanent, "bad_parameters")
		require.Zero(t, s.tool.calls)
	})
}

func TestRunningLeaseIsAskedForAgainWhenItEnds(t *testing.T) {
	s := newScene(t)
	s.tool.apply = func(context.Context) (plan.Receipt, error) {
		_, err := s.Run(t.Context(), &scripted{}, theCall(), 2, "acme")
		f := requireFault(t, err, faults.InProgress, "lease_held")
		require.Greater(t, f.RetryAfter, 59*time.Minute)
		require.LessOrEqual(t, f.RetryAfter, time.Hour+time.Second)
		return theReceipt, nil
	}
	_, err := s.run()
	require.NoError(t, err)
	require.Equal(t, 1, s.tool.calls)
}

func TestWhatAnErrorOfTheToolMeans(t *testing.T) {
	drift := &faults.Fault{Class: faults.Permanent, Code: "page_changed", Reason: "somebody wrote it", Cause: tools.ErrDrift}
	fault := func(c faults.Class) error {
		return &faults.Fault{Class: c, Code: "code", Reason: "reason", RetryAfter: 7 * time.Second}
	}
	tests := []struct {
		name     string
		err      error
		released bool // else parked
		reason   string
		class    faults.Class
		code     string
		drifted  bool // else an error
	}{
		{"transient", fault(faults.Transient), true, "code: reason", faults.Transient, "code", false},
		{"throttled", fault(faults.Throttled), true, "code: reason", faults.Throttled, "code", false},
		{"permanent", fault(faults.Permanent), true, "code: reason", faults.Permanent, "code", false},
		{"in progress", fault(faults.InProgress), false, "code: reason", faults.InProgress, "code", false},
		{"unknown", fault(faults.Unknown), false, "code: reason", faults.Unknown, "code", false},
		{"wrapped", fmt.Errorf("x: %w", fault(faults.Throttled)), true, "code: reason", faults.Throttled, "code", false},
		{"unnamed", errors.New("SECRET"), false, "unnamed: an error of type *errors.errorString; see the worker's log", faults.Unknown, "unnamed", false},
		{"a bare cancellation", context.Canceled, false, "interrupted: the step was interrupted before it was done", faults.Unknown, "interrupted", false},
		{"a bare deadline", context.DeadlineExceeded, false, "deadline_exceeded: the step ran out of time", faults.Unknown, "deadline_exceeded", false},
		{"drift", drift, true, "page_changed: somebody wrote it", 0, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			s.answer(plan.Receipt{}, tt.err)
			out, err := s.run()
			if tt.drifted {
				require.NoError(t, err)
				require.Equal(t, effects.Outcome{Drifted: true, Detail: "somebody wrote it"}, out)
			} else {
				requireFault(t, err, tt.class, tt.code)
				require.Equal(t, faults.Name(tt.err).RetryAfter, faults.Name(err).RetryAfter)
			}
			if tt.released {
				s.requireReleased(tt.reason)
			} else {
				s.requireParked(tt.reason)
			}
			require.Equal(t, []effects.Point{effects.PointBegun}, s.points)

			s.answer(theReceipt, nil)
			out, err = s.run()
			require.NoError(t, err)
			require.Equal(t, theReceipt, out.Receipt)
			require.Equal(t, !tt.released, out.Recovered)
			require.Equal(t, 2, s.tool.calls)
		})
		t.Run(tt.name+" while recovering", func(t *testing.T) {
			s := newScene(t)
			s.inDoubt()
			s.answer(plan.Receipt{}, tt.err)
			out, err := s.run()
			if tt.drifted {
				require.NoError(t, err)
				require.True(t, out.Drifted)
				s.requireReleased(tt.reason)
				return
			}
			s.requireParked(tt.reason)
			want := faults.Unknown
			if tt.class == faults.InProgress {
				want = faults.InProgress
			}
			f := requireFault(t, err, want, tt.code)
			require.Equal(t, faults.Name(tt.err).RetryAfter, f.RetryAfter)
		})
	}
}

func TestUnknownOutcomeIsRecoveredOnlyByItsClass(t *testing.T) {
	for _, class := range []plan.DeliveryClass{plan.Transactional, plan.Keyed, plan.Lookup, plan.Once, "unheard of"} {
		t.Run(string(class), func(t *testing.T) {
			s := newScene(t)
			s.tool.class = class
			s.inDoubt()
			for range 2 {
				_, err := s.run()
				requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
			}
			require.Zero(t, s.tool.calls, "never sent again on a guess")
			require.Equal(t, effects.Started, s.row().State)
		})
	}
	t.Run("conditional", func(t *testing.T) {
		s := newScene(t)
		s.inDoubt()
		out, err := s.run()
		require.NoError(t, err)
		require.True(t, out.Recovered)
		require.False(t, out.Duplicate)
		require.Equal(t, 1, s.tool.calls)
		require.Equal(t, effects.Completed, s.row().State)
	})
}

// An approval that ended while the attempt waited begins nothing.
func TestCallThatIsNotAllowedAnyMore(t *testing.T) {
	over := &faults.Fault{Class: faults.Permanent, Code: "expired", Reason: "the approval has expired"}
	refusing := func(s *scene) tools.Call {
		call := theCall()
		call.MayBegin = func(context.Context) error {
			require.Equal(t, []effects.Point{effects.PointBegun}, s.points, "asked when all waiting is over")
			return over
		}
		return call
	}
	t.Run("a fresh claim is released", func(t *testing.T) {
		s := newScene(t)
		_, err := s.with(t.Context(), refusing(s))
		require.Equal(t, error(over), err)
		require.Zero(t, s.tool.calls)
		s.requireReleased("expired: the approval has expired")
	})
	t.Run("a recovery stays in doubt", func(t *testing.T) {
		s := newScene(t)
		s.inDoubt()
		_, err := s.with(t.Context(), refusing(s))
		requireFault(t, err, faults.Unknown, "expired")
		require.ErrorIs(t, err, over)
		require.Zero(t, s.tool.calls)
		s.requireParked("expired: the approval has expired")
	})
	t.Run("what is recorded is answered", func(t *testing.T) {
		s := newScene(t)
		_, err := s.run()
		require.NoError(t, err)
		out, err := s.with(t.Context(), refusing(s))
		require.NoError(t, err)
		require.True(t, out.Duplicate)
	})
}

func TestPanicOfATool(t *testing.T) {
	s := newScene(t)
	s.tool.apply = func(context.Context) (plan.Receipt, error) { panic("PANIC-SECRET") }
	require.PanicsWithValue(t, "PANIC-SECRET", func() { s.run() })
	s.requireParked("the tool panicked")
}
