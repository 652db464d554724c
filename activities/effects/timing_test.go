package effects_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The protocol asks its ledger twice for an action that goes well, and once
// for one that is done.
func TestLedgerIsAskedTwiceForAnAction(t *testing.T) {
	s := newScene(t)
	l := s.counted()
	_, err := s.run()
	require.NoError(t, err)
	require.EqualValues(t, 2, l.calls.Load())
	_, err = s.run()
	require.NoError(t, err)
	require.EqualValues(t, 3, l.calls.Load())
}

func TestWaitForAnotherAttempt(t *testing.T) {
	// held leaves the key with a claim that nobody is at work on any more.
	held := func(t *testing.T, lease time.Duration) (*scene, *counting) {
		s := newScene(t)
		s.Lease = lease
		require.Panics(t, func() {
			p := *s.Protocol
			p.Reached = func(effects.Point) { panic("killed") }
			p.Run(t.Context(), s.tool, theCall(), 1, "acme")
		})
		return s, s.counted()
	}
	t.Run("a short lease is waited for", func(t *testing.T) {
		s, l := held(t, 300*time.Millisecond)
		out, err := s.run()
		require.NoError(t, err)
		require.True(t, out.Recovered)
		require.EqualValues(t, 2, l.begins.Load())
	})
	t.Run("a long one is left to the next attempt", func(t *testing.T) {
		s, l := held(t, time.Hour)
		_, err := s.run()
		requireFault(t, err, faults.InProgress, "lease_held")
		require.EqualValues(t, 1, l.begins.Load())
	})
	t.Run("not beyond the attempt's own time", func(t *testing.T) {
		s, l := held(t, 5*time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		_, err := s.with(ctx, theCall())
		requireFault(t, err, faults.InProgress, "lease_held")
		require.NoError(t, ctx.Err())
		require.EqualValues(t, 1, l.begins.Load())
	})
	t.Run("not after the end of the attempt", func(t *testing.T) {
		s, l := held(t, 5*time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		l.Ledger = &faulty{Ledger: l.Ledger, afterBegin: cancel}
		_, err := s.with(ctx, theCall())
		requireFault(t, err, faults.InProgress, "lease_held")
		require.EqualValues(t, 1, l.begins.Load())
		require.Zero(t, s.tool.calls)
	})
}

// A call ends by a time that counts from its claim, and not from the moment at
// which the process got round to it: the ledger tells others the same time.
func TestCallEndsByATimeThatCountsFromItsClaim(t *testing.T) {
	t.Run("a prompt call has its whole time", func(t *testing.T) {
		s := newScene(t)
		s.tool.spec.CallTimeout = time.Hour
		s.tool.apply = func(ctx context.Context) (plan.Receipt, error) {
			by, ok := ctx.Deadline()
			require.True(t, ok)
			require.Greater(t, time.Until(by), time.Hour-time.Minute)
			require.LessOrEqual(t, time.Until(by), time.Hour)
			return theReceipt, nil
		}
		_, err := s.run()
		require.NoError(t, err)
	})
	t.Run("the ledger is told a time that is not earlier", func(t *testing.T) {
		s := newScene(t)
		s.Renew = 20 * time.Millisecond
		s.tool.spec.CallTimeout, s.tool.spec.Settle = time.Minute, time.Second
		s.Reached = func(p effects.Point) {
			if p == effects.PointBegun {
				time.Sleep(2 * s.Renew)
			}
		}
		s.tool.apply = func(ctx context.Context) (plan.Receipt, error) {
			by, ok := ctx.Deadline()
			require.True(t, ok)
			quiet := s.row().QuietUntil
			require.Positive(t, quiet)
			require.False(t, by.Add(s.tool.spec.Settle).After(quiet.Add(time.Millisecond)), "the call may end at %s, and the ledger says %s", by, quiet)
			return theReceipt, nil
		}
		_, err := s.run()
		require.NoError(t, err)
	})
	t.Run("a tool without a limit has one", func(t *testing.T) {
		s := newScene(t)
		s.tool.apply = func(ctx context.Context) (plan.Receipt, error) {
			by, ok := ctx.Deadline()
			require.True(t, ok)
			require.Less(t, time.Until(by), time.Minute)
			return theReceipt, nil
		}
		_, err := s.run()
		require.NoError(t, err)
	})
	t.Run("a look has a limit too", func(t *testing.T) {
		s := of(t, plan.Lookup, 0, true)
		s.clock.pass(quiet)
		s.tool.find = func(ctx context.Context) (tools.Finding, error) {
			by, ok := ctx.Deadline()
			require.True(t, ok)
			require.LessOrEqual(t, time.Until(by), callTimeout)
			return found, nil
		}
		_, err := s.run()
		require.NoError(t, err)
	})
	// As after a SIGSTOP between the claim and the call, when nobody else had
	// an interest in the key.
	t.Run("one that comes too late is not made", func(t *testing.T) {
		s := newScene(t)
		s.Renew, s.tool.spec.CallTimeout = 20*time.Millisecond, 20*time.Millisecond
		s.Reached = func(effects.Point) { time.Sleep(60 * time.Millisecond) }
		_, err := s.run()
		requireFault(t, err, faults.Transient, "claim_too_old")
		require.Zero(t, s.tool.calls)
		require.Equal(t, effects.Released, s.row().State)
	})
}

// What a tool leaves running behind cannot begin a write.
func TestNoWriteBeginsAfterTheCallHasReturned(t *testing.T) {
	s := newScene(t)
	_, err := s.run()
	require.NoError(t, err)
	requireFault(t, s.tool.last.Allowed(t.Context()), faults.InProgress, "call_ended")
}

// A tool that asks in the middle of its call gets the reason for which the
// call was stopped.
func TestWriteIsRefusedWithTheReason(t *testing.T) {
	s := newScene(t)
	s.Renew = 5 * time.Millisecond
	s.tool.apply = func(ctx context.Context) (plan.Receipt, error) {
		require.NoError(t, s.tool.last.Allowed(ctx))
		s.takeOver()
		<-ctx.Done()
		err := s.tool.last.Allowed(ctx)
		requireFault(t, err, faults.InProgress, "superseded")
		return plan.Receipt{}, err
	}
	_, err := s.run()
	requireFault(t, err, faults.InProgress, "superseded")
}
