package effects_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestWhatALookAtTheTargetMeans(t *testing.T) {
	fault := func(c faults.Class, cause error) error {
		return &faults.Fault{Class: c, Code: "code", Reason: "reason", RetryAfter: 7 * time.Second, Cause: cause}
	}
	other := theReceipt
	other.IdempotencyKey = "another key"
	tests := []struct {
		name    string
		finding tools.Finding
		err     error
		class   faults.Class
		code    string
	}{
		{"not proven", notProven, nil, faults.Unknown, faults.CodeOutcomeUnknown},
		{"the zero finding", tools.Finding{}, nil, faults.Unknown, faults.CodeOutcomeUnknown},
		{"a presence nobody has heard of", tools.Finding{Presence: 99}, nil, faults.Unknown, faults.CodeOutcomeUnknown},
		{"found, without a receipt", tools.Finding{Presence: tools.Found}, nil, faults.Unknown, faults.CodeOutcomeUnknown},
		{"found, another effect", tools.Finding{Presence: tools.Found, Receipt: other}, nil, faults.Unknown, faults.CodeOutcomeUnknown},
		{"transient", tools.Finding{}, fault(faults.Transient, nil), faults.Unknown, "code"},
		{"throttled", tools.Finding{}, fault(faults.Throttled, nil), faults.Unknown, "code"},
		{"permanent", tools.Finding{}, fault(faults.Permanent, nil), faults.Unknown, "code"},
		{"in progress", tools.Finding{}, fault(faults.InProgress, nil), faults.InProgress, "code"},
		{"unknown", tools.Finding{}, fault(faults.Unknown, nil), faults.Unknown, "code"},
		{"unnamed", tools.Finding{}, errors.New("SECRET"), faults.Unknown, "unnamed"},
		{"an error beside a finding", absent, fault(faults.Transient, nil), faults.Unknown, "code"},
		{"an error that speaks of a call", tools.Finding{}, fault(faults.Permanent, tools.ErrAbsent), faults.Unknown, "code"},
		{"an error that speaks of drift", tools.Finding{}, fault(faults.Permanent, tools.ErrDrift), faults.Unknown, "code"},
		{"a bare cancellation", tools.Finding{}, context.Canceled, faults.Unknown, faults.CodeInterrupted},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := of(t, plan.Lookup, 0, true)
			s.clock.pass(quiet)
			s.sees(tt.finding, tt.err)
			_, err := s.run()
			f := requireFault(t, err, tt.class, tt.code)
			require.Equal(t, faults.Name(tt.err).RetryAfter, f.RetryAfter)
			require.NotContains(t, err.Error(), "SECRET")
			require.Zero(t, s.tool.calls, "nothing is sent on a guess")
			row := s.row()
			require.Equal(t, effects.Started, row.State)
			require.Zero(t, row.LeaseUntil)

			s.sees(found, nil)
			out, err := s.run()
			require.NoError(t, err, "nothing was sent, so the next look need not wait")
			require.Equal(t, effects.Outcome{
				Receipt: theReceipt, Recovered: true, Detail: "an earlier attempt had left the outcome unknown; the target settled it",
			}, out)
			require.Zero(t, s.tool.calls)
		})
	}
}

func TestEffectThatIsSurelyAbsentIsMade(t *testing.T) {
	surelyAbsent := func(t *testing.T) *scene {
		s := of(t, plan.Lookup, 0, true)
		s.clock.pass(quiet)
		s.sees(absent, nil)
		return s
	}
	t.Run("and found out", func(t *testing.T) {
		s := surelyAbsent(t)
		out, err := s.run()
		require.NoError(t, err)
		require.True(t, out.Recovered)
		require.Equal(t, []int{1, 1}, []int{s.tool.looks, s.tool.calls})
		require.False(t, s.tool.last.InDoubt)
		require.Equal(t, effects.Completed, s.row().State)
	})
	t.Run("and refused: that is the whole truth", func(t *testing.T) {
		s := surelyAbsent(t)
		s.answer(plan.Receipt{}, &faults.Fault{Class: faults.Permanent, Code: "http_422", Reason: "refused"})
		_, err := s.run()
		requireFault(t, err, faults.Permanent, "http_422")
		s.requireReleased("http_422: refused")
	})
	t.Run("and in doubt again: the wait is for the new call", func(t *testing.T) {
		s := surelyAbsent(t)
		s.tool.find = func(context.Context) (tools.Finding, error) {
			s.clock.pass(callTimeout - time.Second) // a slow target
			return absent, nil
		}
		s.answer(plan.Receipt{}, &faults.Fault{Code: "timeout", Reason: "no answer"})
		_, err := s.run()
		requireFault(t, err, faults.Unknown, "timeout")
		require.Equal(t, 1, s.tool.calls)

		s.clock.pass(quiet - 15*time.Second)
		_, err = s.run()
		requireFault(t, err, faults.InProgress, "lease_held")
		s.clock.pass(15 * time.Second)
		s.sees(found, nil)
		_, err = s.run()
		require.NoError(t, err)
		require.Equal(t, 1, s.tool.calls)
	})
	t.Run("but not when the approval has ended", func(t *testing.T) {
		s := surelyAbsent(t)
		over := &faults.Fault{Class: faults.Permanent, Code: "expired", Reason: "the approval has expired"}
		call := theCall()
		call.MayBegin = func(context.Context) error { return over }
		_, err := s.with(t.Context(), call)
		require.Equal(t, error(over), err, "the effect is absent, and stays so")
		require.Zero(t, s.tool.calls)
		s.requireReleased("expired: the approval has expired")
	})
	t.Run("but not by one who lost the claim while looking", func(t *testing.T) {
		s := surelyAbsent(t)
		s.tool.find = func(context.Context) (tools.Finding, error) {
			s.takeOver()
			return absent, nil
		}
		_, err := s.run()
		requireFault(t, err, faults.InProgress, "superseded")
		require.Zero(t, s.tool.calls)
		require.Equal(t, "worker-2", s.row().LeaseOwner)
	})
	t.Run("but not by one whom another preceded", func(t *testing.T) {
		s := surelyAbsent(t)
		l := s.broken()
		l.afterRelease = func() {
			_, err := s.Ledger.(*faulty).Ledger.Begin(t.Context(), effects.Claim{
				Key: theKey, Fingerprint: s.row().Fingerprint, Owner: "worker-2", Lease: time.Hour,
			})
			require.NoError(t, err)
		}
		_, err := s.run()
		requireFault(t, err, faults.InProgress, "superseded")
		require.Zero(t, s.tool.calls)
		require.Equal(t, "worker-2", s.row().LeaseOwner)
	})
	t.Run("but not without a claim of its own", func(t *testing.T) {
		s := surelyAbsent(t)
		l := s.broken()
		l.afterRelease = func() { l.begin = errGone }
		_, err := s.run()
		requireFault(t, err, faults.Unknown, "ledger_unavailable")
		require.Zero(t, s.tool.calls)
		l.begin = nil
		out, err := s.run()
		require.NoError(t, err)
		require.False(t, out.Recovered, "that it was absent is in the ledger")
	})
}

// The lease is kept while the tool looks, and its loss ends the look.
func TestLostLeaseStopsALook(t *testing.T) {
	s := of(t, plan.Lookup, 0, true)
	s.clock.pass(quiet)
	s.Renew = 5 * time.Millisecond
	s.tool.find = func(ctx context.Context) (tools.Finding, error) {
		s.takeOver()
		<-ctx.Done()
		require.ErrorIs(t, context.Cause(ctx), effects.ErrNotHeld)
		return tools.Finding{}, ctx.Err()
	}
	_, err := s.run()
	requireFault(t, err, faults.InProgress, "superseded")
	require.Equal(t, "worker-2", s.row().LeaseOwner)
}
