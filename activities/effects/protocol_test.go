package effects_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

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
