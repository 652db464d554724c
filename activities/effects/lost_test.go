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

// attempt makes one of which it is known that another may have come before it.
func (s *scene) attempt(which effects.Attempt) (effects.Outcome, error) {
	return s.Attempt(s.t.Context(), s.tool.asTool(), theCall(), which)
}

// lostRow is a scene whose tool has made its effect, and whose ledger has no row
// of it.
func lostRow(t *testing.T, class plan.DeliveryClass, window time.Duration, finds bool) *scene {
	t.Helper()
	s := newTimedScene(t)
	s.tool.spec = tools.Spec{Name: "scripted", Class: class, CallTimeout: callTimeout, Settle: settle, KeyWindow: window}
	if finds {
		s.sees(found, nil)
	}
	return s
}

// A row that is missing although an attempt came before says nothing about what
// that one did.
func TestMissingRowOfAnEarlierAttemptIsADoubt(t *testing.T) {
	second := effects.Attempt{Number: 2, Tenant: "acme", Earlier: time.Minute}
	t.Run("nobody can tell: a person is asked, and nothing is sent", func(t *testing.T) {
		s := lostRow(t, plan.Once, 0, false)
		_, err := s.attempt(second)
		f := requireFault(t, err, faults.InProgress, "row_missing")
		require.Greater(t, f.RetryAfter, quiet, "the earlier call may be under way")
		s.requireParked("an earlier attempt was handed to a worker, and the ledger has no row of it: the worker died before it began, or the row was lost since, with a restored backup")
		s.clock.pass(quiet)
		_, err = s.attempt(second)
		requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
		require.ErrorContains(t, err, "the ledger has no row of it")
		require.Zero(t, s.tool.calls)

		settled, err := s.Ledger.Settle(t.Context(), effects.Settlement{Key: theKey, Token: s.row().Token, Reason: "not_happened, says mei"})
		require.NoError(t, err)
		require.True(t, settled.Changed)
		out, err := s.attempt(second)
		require.NoError(t, err)
		require.Equal(t, 1, s.tool.calls, "a person said that it did not happen")
		require.False(t, out.Recovered)
	})
	t.Run("the target is asked when no call can be under way", func(t *testing.T) {
		s := lostRow(t, plan.Lookup, 0, true)
		_, err := s.attempt(second)
		requireFault(t, err, faults.InProgress, "row_missing")
		require.Zero(t, s.tool.looks)
		s.clock.pass(quiet)
		out, err := s.attempt(second)
		require.NoError(t, err)
		require.True(t, out.Recovered)
		require.Equal(t, []int{1, 0}, []int{s.tool.looks, s.tool.calls})
	})
	t.Run("the same call again, inside the window that counts from the earlier one", func(t *testing.T) {
		s := lostRow(t, plan.Keyed, 10*time.Minute, false)
		out, err := s.attempt(second)
		require.NoError(t, err)
		require.True(t, out.Recovered)
		require.True(t, s.tool.last.InDoubt, "the tool is told")

		s = lostRow(t, plan.Keyed, 10*time.Minute, false)
		_, err = s.attempt(effects.Attempt{Number: 2, Tenant: "acme", Earlier: 10 * time.Minute})
		requireFault(t, err, faults.InProgress, "row_missing")
		require.Zero(t, s.tool.calls)
	})
	t.Run("the target deduplicates for ever", func(t *testing.T) {
		s := lostRow(t, plan.Conditional, 0, false)
		out, err := s.attempt(second)
		require.NoError(t, err)
		require.False(t, out.Recovered)
		require.Equal(t, 1, s.tool.calls)
	})
	t.Run("there was none before", func(t *testing.T) {
		s := lostRow(t, plan.Once, 0, false)
		_, err := s.attempt(effects.Attempt{Number: 2, Tenant: "acme"})
		require.NoError(t, err)
		require.Equal(t, 1, s.tool.calls)
	})
}

// A ledger of other data is not asked: what is not in it may have happened.
func TestAnotherLedgerIsRefused(t *testing.T) {
	s := newTimedScene(t)
	identity, err := s.Ledger.Identity(t.Context())
	require.NoError(t, err)
	for _, class := range []plan.DeliveryClass{plan.Once, plan.Conditional} {
		s.tool.spec.Class = class
		out, err := s.attempt(effects.Attempt{Number: 1, Tenant: "acme", Ledger: "another"})
		requireFault(t, err, faults.Unknown, effects.CodeOtherLedger)
		require.ErrorContains(t, err, "give the worker its ledger back")
		require.True(t, out.Idle)
		require.True(t, out.Unclaimed)
	}
	require.Zero(t, s.tool.calls)
	rows, err := s.Ledger.Rows(t.Context(), []string{theKey})
	require.NoError(t, err)
	require.Empty(t, rows)

	_, err = s.attempt(effects.Attempt{Number: 2, Tenant: "acme", Ledger: identity})
	require.NoError(t, err)
	require.Equal(t, 1, s.tool.calls)
}

var noSecret = faults.SecretMissing("the DSN", errors.New("the environment variable DSN is not set"))

// What a ledger that is away, or a secret that is not here, keeps an attempt from is none of its tool's.
func TestAttemptWithoutALedgerOrASecretIsIdle(t *testing.T) {
	t.Run("at Begin", func(t *testing.T) {
		s := newScene(t)
		s.broken().begin = errGone
		out, err := s.run()
		require.Error(t, err)
		require.True(t, out.Idle)
		require.True(t, out.Unclaimed)
	})
	t.Run("at Begin, and the claim may have been made", func(t *testing.T) {
		s := newScene(t)
		s.broken().begin = &faults.Fault{Class: faults.Unknown, Code: effects.CodeUnavailable, Reason: "no answer to COMMIT"}
		out, err := s.run()
		require.Error(t, err)
		require.True(t, out.Idle)
		require.False(t, out.Unclaimed)
	})
	t.Run("at the last check", func(t *testing.T) {
		s := newScene(t)
		s.Renew = time.Millisecond
		s.Reached = func(effects.Point) { time.Sleep(2 * s.Renew) }
		s.broken().renewFails.Store(true)
		out, err := s.run()
		require.Error(t, err)
		require.True(t, out.Idle)
		require.False(t, out.Unclaimed)
	})
	t.Run("but one that made its call is not", func(t *testing.T) {
		s := newScene(t)
		s.broken().complete = errGone
		out, err := s.run()
		require.Error(t, err)
		require.False(t, out.Idle)
	})
	t.Run("one whose tool lacks a secret is", func(t *testing.T) {
		s := newScene(t)
		s.answer(plan.Receipt{}, noSecret)
		out, err := s.run()
		requireFault(t, err, faults.Transient, faults.CodeSecretMissing)
		require.True(t, out.Idle)
		require.False(t, out.Unclaimed)
		s.requireReleased(noSecret.Error())
	})
	t.Run("also when an earlier attempt is in doubt, and stays so", func(t *testing.T) {
		s := newScene(t)
		s.inDoubt()
		s.answer(plan.Receipt{}, noSecret)
		out, err := s.run()
		requireFault(t, err, faults.Unknown, faults.CodeSecretMissing)
		require.True(t, out.Idle)
		s.requireParked(noSecret.Error())
	})
	t.Run("also when it is for want of a secret that nobody can look", func(t *testing.T) {
		s := of(t, plan.Lookup, 0, true)
		s.clock.pass(quiet)
		s.sees(tools.Finding{}, noSecret)
		out, err := s.run()
		requireFault(t, err, faults.Unknown, faults.CodeSecretMissing)
		require.True(t, out.Idle)
		require.Zero(t, s.tool.calls)
		s.requireParked(noSecret.Error())
	})
	t.Run("but not when it had sent something before", func(t *testing.T) {
		s := newScene(t)
		sent := *noSecret
		sent.Class = faults.Unknown
		s.answer(plan.Receipt{}, &sent)
		out, err := s.run()
		requireFault(t, err, faults.Unknown, faults.CodeSecretMissing)
		require.False(t, out.Idle)
		s.requireParked(noSecret.Error())
	})
	t.Run("nor one whose tool failed", func(t *testing.T) {
		s := newScene(t)
		s.answer(plan.Receipt{}, &faults.Fault{Class: faults.Transient, Code: "http_503", Reason: "later"})
		out, err := s.run()
		require.Error(t, err)
		require.False(t, out.Idle)
	})
}

// A call that nobody else may make, and nobody can find, is not broken off
// because the ledger is away: its answer is all that will ever be known.
func TestCallOfOnceOutlivesItsLease(t *testing.T) {
	once := func(t *testing.T) (*scene, *faulty) {
		s := newScene(t)
		s.tool.spec = tools.Spec{Name: "scripted", Class: plan.Once, CallTimeout: time.Minute}
		s.Lease, s.Renew = 100*time.Millisecond, 10*time.Millisecond
		return s, s.broken()
	}
	t.Run("its answer is recorded when the ledger is back", func(t *testing.T) {
		s, l := once(t)
		s.tool.apply = func(ctx context.Context) (plan.Receipt, error) {
			l.renewFails.Store(true)
			l.away.Store(true)
			require.Eventually(t, func() bool { return time.Now().After(s.row().LeaseUntil.Add(s.Lease)) }, 30*time.Second, time.Millisecond)
			require.NoError(t, ctx.Err(), "the call goes on")
			time.AfterFunc(200*time.Millisecond, func() { l.away.Store(false) })
			return theReceipt, nil
		}
		out, err := s.run()
		require.NoError(t, err)
		require.Equal(t, theReceipt, out.Receipt)
		require.Equal(t, effects.Completed, s.row().State)
		require.Equal(t, 1, s.tool.calls)
	})
	t.Run("not if the claim is another's by then", func(t *testing.T) {
		s, _ := once(t)
		s.tool.apply = func(ctx context.Context) (plan.Receipt, error) {
			s.takeOver()
			time.Sleep(3 * s.Renew)
			require.NoError(t, ctx.Err(), "the call goes on")
			return theReceipt, nil
		}
		_, err := s.run()
		requireFault(t, err, faults.InProgress, "superseded")
		require.Equal(t, "worker-2", s.row().LeaseOwner)
		require.Nil(t, s.row().Receipt)
	})
	t.Run("a ledger that stays away: the receipt stands in the error", func(t *testing.T) {
		s, l := once(t)
		ctx, cancel := context.WithCancel(t.Context())
		s.tool.apply = func(context.Context) (plan.Receipt, error) {
			l.away.Store(true)
			time.AfterFunc(20*time.Millisecond, cancel)
			return theReceipt, nil
		}
		_, err := s.with(ctx, theCall())
		requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
		require.ErrorContains(t, err, "the effect was made (commit-1), and the ledger did not take its receipt")
		require.ErrorContains(t, err, theKey)
	})
	t.Run("a second write does not begin without the lease", func(t *testing.T) {
		s, l := once(t)
		s.tool.apply = func(ctx context.Context) (plan.Receipt, error) {
			l.renewFails.Store(true)
			require.Eventually(t, func() bool { return s.tool.last.Allowed(ctx) != nil }, 30*time.Second, time.Millisecond)
			return plan.Receipt{}, s.tool.last.Allowed(ctx)
		}
		_, err := s.run()
		require.Error(t, err)
	})
}

// What a person reads says once where to look, and never nothing.
func TestDoubtSaysOnceWhereToLook(t *testing.T) {
	s := of(t, plan.Once, 0, false)
	s.clock.pass(quiet)
	for range 3 {
		_, err := s.run()
		require.EqualError(t, err, "outcome_unknown: an earlier attempt may have had its effect, and nothing here can tell; it ended so: timeout: no answer; "+
			"a person must look at kb/page.md for the key "+theKey)
		s.requireParked("outcome_unknown: an earlier attempt may have had its effect, and nothing here can tell; it ended so: timeout: no answer")
		s.clock.pass(quiet)
	}
}
