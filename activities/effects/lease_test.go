package effects_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestLeaseIsRenewedWhileTheToolIsAtWork(t *testing.T) {
	s := newScene(t)
	s.Lease, s.Renew = 300*time.Millisecond, 10*time.Millisecond
	s.tool.apply = func(ctx context.Context) (plan.Receipt, error) {
		first := s.row().LeaseUntil
		require.Eventually(t, func() bool { return s.row().LeaseUntil.After(first.Add(2 * s.Lease)) },
			30*time.Second, 5*time.Millisecond)
		require.NoError(t, ctx.Err())
		return theReceipt, nil
	}
	out, err := s.run()
	require.NoError(t, err)
	require.False(t, out.Recovered)
	require.EqualValues(t, 1, s.row().Token)
}

func TestRenewDefaultsToAThirdOfTheLease(t *testing.T) {
	s := newScene(t)
	s.Lease, s.Renew = 300*time.Millisecond, 0
	l := s.broken()
	s.tool.apply = func(context.Context) (plan.Receipt, error) {
		require.Eventually(t, func() bool { return l.renewals.Load() >= 3 }, 30*time.Second, time.Millisecond)
		return theReceipt, nil
	}
	_, err := s.run()
	require.NoError(t, err)
}

// An attempt that lost its lease stops before its next write.
func TestLostLeaseStopsTheCall(t *testing.T) {
	s := newScene(t)
	s.Renew = 5 * time.Millisecond
	s.tool.apply = func(ctx context.Context) (plan.Receipt, error) {
		s.takeOver()
		<-ctx.Done()
		require.ErrorIs(t, context.Cause(ctx), effects.ErrNotHeld)
		return plan.Receipt{}, ctx.Err()
	}
	_, err := s.run()
	f := requireFault(t, err, faults.InProgress, "superseded")
	require.ErrorIs(t, f, effects.ErrNotHeld)
	require.Equal(t, "worker-2", s.row().LeaseOwner, "the other's claim is untouched")
	require.Equal(t, effects.Started, s.row().State)
}

// A tool that does not notice brings a receipt that does not count.
func TestReceiptOfALostLeaseDoesNotCount(t *testing.T) {
	s := newScene(t)
	s.tool.apply = func(context.Context) (plan.Receipt, error) {
		s.takeOver()
		return theReceipt, nil
	}
	_, err := s.run()
	requireFault(t, err, faults.InProgress, "superseded")
	row := s.row()
	require.Equal(t, effects.Started, row.State)
	require.Nil(t, row.Receipt)
	require.Equal(t, []effects.Point{effects.PointBegun, effects.PointEffect}, s.points)
}

// An attempt that was suspended right after Begin does not call the tool.
func TestLeaseLostBeforeTheCall(t *testing.T) {
	s := newScene(t)
	s.Renew = time.Millisecond
	s.Reached = func(effects.Point) {
		s.takeOver()
		time.Sleep(2 * s.Renew)
	}
	_, err := s.run()
	requireFault(t, err, faults.InProgress, "superseded")
	require.Zero(t, s.tool.calls)
	require.Equal(t, "worker-2", s.row().LeaseOwner)
}

func TestFreshClaimIsNotAskedForAgain(t *testing.T) {
	s := newScene(t)
	l := s.broken()
	_, err := s.run()
	require.NoError(t, err)
	require.Zero(t, l.renewals.Load())
}

// A ledger that does not answer for as long as the lease runs may have given
// the key to another.
func TestLeaseThatCannotBeRenewedStopsTheCall(t *testing.T) {
	s := newScene(t)
	s.Lease, s.Renew = time.Second, 20*time.Millisecond
	l := s.broken()
	s.tool.apply = func(ctx context.Context) (plan.Receipt, error) {
		l.renewFails.Store(true)
		<-ctx.Done()
		requireFault(t, context.Cause(ctx), faults.InProgress, "lease_lost")
		require.Greater(t, l.renewals.Load(), int64(1), "one failure alone does not stop it")
		return plan.Receipt{}, ctx.Err()
	}
	_, err := s.run()
	requireFault(t, err, faults.Unknown, faults.CodeInterrupted)
	s.requireParked("interrupted: the step was interrupted before it was done")
}

func TestLedgerThatFails(t *testing.T) {
	// Also the first attempt of an activity may follow one, under an earlier
	// plan, that left the key in doubt.
	t.Run("at Begin: nobody saw how earlier attempts ended", func(t *testing.T) {
		s := newScene(t)
		s.inDoubt()
		l := s.broken()
		for _, number := range []int{1, 2} {
			for _, l.begin = range []error{errGone, context.Canceled} {
				_, err := s.Run(t.Context(), s.tool, theCall(), number, "acme")
				requireFault(t, err, faults.Unknown, faults.Name(l.begin).Code)
				require.ErrorContains(t, err, "whether an earlier attempt had its effect is not known")
			}
		}
		require.Zero(t, s.tool.calls)
		require.Empty(t, s.points)
	})
	t.Run("at the last check: nothing was sent", func(t *testing.T) {
		s := newScene(t)
		s.Renew = time.Millisecond
		s.Reached = func(effects.Point) { time.Sleep(2 * s.Renew) }
		s.broken().renewFails.Store(true)
		_, err := s.run()
		requireFault(t, err, faults.Transient, "ledger_unavailable")
		require.Zero(t, s.tool.calls)
		s.requireReleased("ledger_unavailable: no answer")
	})
	t.Run("at the last check of a recovery: the earlier outcome stays unknown", func(t *testing.T) {
		s := newScene(t)
		s.inDoubt()
		s.Renew = time.Millisecond
		s.Reached = func(effects.Point) { time.Sleep(2 * s.Renew) }
		s.broken().renewFails.Store(true)
		_, err := s.run()
		requireFault(t, err, faults.Unknown, "ledger_unavailable")
		require.Zero(t, s.tool.calls)
		s.requireParked("ledger_unavailable: no answer")
	})
	t.Run("at Complete: the next attempt finds the effect", func(t *testing.T) {
		s := newScene(t)
		l := s.broken()
		l.complete = errGone
		_, err := s.run()
		f := requireFault(t, err, faults.Unknown, "receipt_not_recorded")
		require.ErrorIs(t, f, errGone)
		s.requireParked("the effect was made (commit-1), and its receipt could not be recorded")
		l.complete = nil
		out, err := s.run()
		require.NoError(t, err)
		require.True(t, out.Recovered)
	})
	t.Run("at Release: what the tool said still holds", func(t *testing.T) {
		s := newScene(t)
		s.broken().release = errors.New("gone")
		s.answer(plan.Receipt{}, &faults.Fault{Class: faults.Permanent, Code: "http_422", Reason: "refused"})
		_, err := s.run()
		requireFault(t, err, faults.Permanent, "http_422")
	})
}

func TestEndOfTheContext(t *testing.T) {
	t.Run("before Begin", func(t *testing.T) {
		s := newScene(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.with(ctx, theCall())
		requireFault(t, err, faults.Unknown, faults.CodeInterrupted)
		rows, err := s.Ledger.Rows(t.Context(), []string{theKey})
		require.NoError(t, err)
		require.Empty(t, rows)
	})
	t.Run("before the call", func(t *testing.T) {
		s := newScene(t)
		ctx, cancel := context.WithCancel(t.Context())
		s.Reached = func(effects.Point) { cancel() }
		_, err := s.with(ctx, theCall())
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorAs(t, err, new(*faults.Fault), "the SDK must see whose cancellation it is")
		require.Zero(t, s.tool.calls)
		s.requireReleased("interrupted: the step was interrupted before it was done")
	})
	t.Run("before the call of a recovery", func(t *testing.T) {
		s := newScene(t)
		s.inDoubt()
		ctx, cancel := context.WithCancel(t.Context())
		s.Reached = func(effects.Point) { cancel() }
		_, err := s.with(ctx, theCall())
		requireFault(t, err, faults.Unknown, faults.CodeInterrupted)
		require.Zero(t, s.tool.calls)
		s.requireParked("interrupted: the step was interrupted before it was done")
	})
	t.Run("during the call, which is made all the same", func(t *testing.T) {
		s := newScene(t)
		ctx, cancel := context.WithCancel(t.Context())
		s.tool.apply = func(ctx context.Context) (plan.Receipt, error) {
			cancel()
			<-ctx.Done()
			return theReceipt, nil
		}
		out, err := s.with(ctx, theCall())
		require.NoError(t, err)
		require.Equal(t, theReceipt, out.Receipt)
		require.Equal(t, effects.Completed, s.row().State)
	})
	t.Run("during the call, which breaks off", func(t *testing.T) {
		s := newScene(t)
		ctx, cancel := context.WithCancel(t.Context())
		s.tool.apply = func(ctx context.Context) (plan.Receipt, error) {
			cancel()
			<-ctx.Done()
			return plan.Receipt{}, ctx.Err()
		}
		_, err := s.with(ctx, theCall())
		requireFault(t, err, faults.Unknown, faults.CodeInterrupted)
		s.requireParked("interrupted: the step was interrupted before it was done")
	})
	t.Run("during the call: the lease lives as long as the call", func(t *testing.T) {
		s := newScene(t)
		s.Renew = 5 * time.Millisecond
		l := s.broken()
		ctx, cancel := context.WithCancel(t.Context())
		s.tool.apply = func(context.Context) (plan.Receipt, error) {
			cancel()
			before := l.renewals.Load()
			require.Eventually(t, func() bool { return l.renewals.Load() >= before+2 }, 30*time.Second, time.Millisecond)
			return theReceipt, nil
		}
		_, err := s.with(ctx, theCall())
		require.NoError(t, err)
		after := l.renewals.Load()
		time.Sleep(4 * s.Renew)
		require.Equal(t, after, l.renewals.Load(), "and not longer")
	})
}
