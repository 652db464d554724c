package activities_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// away is a ledger that hands out nothing for the first so many times that it
// is asked for each key.
type away struct {
	effects.Ledger
	times int

	mu    sync.Mutex
	asked map[string]int
}

func (l *away) Begin(ctx context.Context, c effects.Claim) (effects.Begun, error) {
	l.mu.Lock()
	l.asked[c.Key]++
	n := l.asked[c.Key]
	l.mu.Unlock()
	if n <= l.times {
		return effects.Begun{}, &faults.Fault{Class: faults.Transient, Code: effects.CodeUnavailable, Reason: "the disk is full"}
	}
	return l.Ledger.Begin(ctx, c)
}

// A ledger that is away for longer than a tool has attempts fails no action of
// which nothing was sent.
func TestLedgerThatIsAwaySpendsNoAttempts(t *testing.T) {
	h := newHouse(t)
	h.pages.spec.MaxAttempts = 1
	// The SDK's test environment makes ten attempts where a server makes any number.
	ledger := &away{Ledger: h.acts.Effects.Ledger, times: 8, asked: map[string]int{}}
	h.acts.Effects.Ledger = ledger
	done := h.run()
	require.Equal(t, workflows.Completed, done.Status, done.Reason)
	require.Len(t, h.keys(), len(done.Actions), "each is there once")
	require.EqualValues(t, len(done.Actions), h.pages.applied.Load())
	for _, action := range done.Actions {
		require.Equal(t, 9, ledger.asked[action.Key])
		require.Equal(t, 9, action.Attempts)
	}
}

// The tool's own failures still count, after an outage as before.
func TestToolsAttemptsAreBoundedByTheActivity(t *testing.T) {
	h := newHouse(t)
	h.pages.spec.MaxAttempts = 3
	h.acts.Effects.Ledger = &away{Ledger: h.acts.Effects.Ledger, times: 5, asked: map[string]int{}}
	h.pages.apply = func(context.Context, tools.Call) (plan.Receipt, error) {
		return plan.Receipt{}, &faults.Fault{Class: faults.Transient, Code: "locked", Reason: "the repository is locked"}
	}
	failed := h.run()
	require.Equal(t, workflows.Failed, failed.Status)
	require.Empty(t, h.keys())
	require.Zero(t, failed.Counts.InDoubt)
	for _, action := range failed.Actions {
		if action.Status == workflows.StepFailed {
			require.Equal(t, 5+3, action.Attempts)
		}
	}
	require.Positive(t, failed.Counts.Failed)
	require.EqualValues(t, 3*failed.Counts.Failed, h.pages.applied.Load())
}

// What another ledger does not know may well have happened.
func TestRunIsCarriedOutWithItsOwnLedgerAlone(t *testing.T) {
	s := newShop(t, orders)
	p := s.planned()
	require.NotEmpty(t, p.Ledger)
	own := s.acts.Effects.Ledger
	other, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "other.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close()) })

	s.acts.Effects.Ledger = other
	_, err = s.execute(s.action(p, 0))
	app := refused(t, err, faults.Unknown, effects.CodeOtherLedger)
	require.Contains(t, app.Message(), "give the worker its ledger back")
	require.False(t, app.NonRetryable(), "it goes on when the ledger is back")
	require.Zero(t, s.server.All(), "nothing is sent")

	in := workflows.SettleActionInput{
		RunID: runID, Tenant: tenant, PlanHash: p.PlanHash, ActionID: p.Actions[0].ID, Key: p.Actions[0].Key, Ledger: p.Ledger, Waits: true,
	}
	for _, in.Resolution = range []*workflows.Resolved{nil, word(approvals.Happened), word(approvals.NotHappened)} {
		err = s.do(workflows.SettleAction, in, new(workflows.SettleActionResult))
		refused(t, err, faults.Transient, effects.CodeOtherLedger)
	}
	collected, err := s.collect(task())
	require.NoError(t, err)
	err = s.do(string(workflows.MakePlan), workflows.MakePlanInput{
		RunID: runID, Task: task(), ContextDigest: collected.Digest, Manifest: collected.Manifest, Ledger: p.Ledger,
	}, new(workflows.MakePlanResult))
	refused(t, err, faults.Transient, effects.CodeOtherLedger)

	expired := s.action(p, 0)
	expired.Grant.ExpiresAt = expired.Grant.ApprovedAt
	out, err := s.execute(expired)
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeExpired, out.Outcome)
	require.True(t, out.InDoubt, "another ledger does not say that nothing happened")

	s.acts.Effects.Ledger = own
	done, err := s.execute(s.action(p, 0))
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeDone, done.Outcome)
	require.Equal(t, 1, s.server.All())
}

// Histories from before ledgers had an identity are content with any.
func TestRunWithoutALedgersIdentityGoesOn(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	in := h.action(p, 0)
	in.Ledger = ""
	done, err := h.execute(in)
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeDone, done.Outcome)
}

// A row that the plan saw in doubt, and that is gone now, is still a doubt.
func TestRowThatThePlanSawIsMissed(t *testing.T) {
	s := newShop(t, orders)
	p := s.planned()
	in := s.action(p, 0)
	in.Expected = true
	_, err := s.execute(in)
	refused(t, err, faults.InProgress, "row_missing")
	require.Zero(t, s.server.All(), "nothing is sent")
	require.Equal(t, workflows.StandingInDoubt, s.settle(p, 0, nil).Standing, "a person is asked")
}

// What happened by a person's word is recorded, whatever the ledger has, and is
// never sent again.
func TestWhatHappenedIsNeverSentAgain(t *testing.T) {
	claim := func(s *shop, p workflows.MakePlanResult) effects.Begun {
		s.t.Helper()
		action := s.document(p).Actions[0]
		fingerprint, err := plan.Fingerprint(action.Parameters)
		require.NoError(s.t, err)
		begun, err := s.acts.Effects.Ledger.Begin(s.t.Context(), effects.Claim{
			Key: action.IdempotencyKey, Fingerprint: fingerprint, Tenant: tenant, RunID: runID, ActionID: action.ID,
			Tool: action.Tool, Target: action.Target, Attempt: 1, Owner: "killed", Lease: time.Minute,
		})
		require.NoError(s.t, err)
		return begun
	}
	for name, before := range map[string]func(*shop, workflows.MakePlanResult){
		"no row": func(*shop, workflows.MakePlanResult) {},
		"a released row": func(s *shop, p workflows.MakePlanResult) {
			require.NoError(s.t, s.acts.Effects.Ledger.Release(s.t.Context(), p.Actions[0].Key, claim(s, p).Token, "refused"))
		},
		"a row in doubt": func(s *shop, p workflows.MakePlanResult) {
			require.NoError(s.t, s.acts.Effects.Ledger.Park(s.t.Context(), p.Actions[0].Key, claim(s, p).Token, "no answer", false))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, orders)
			p := s.planned()
			before(s, p)
			settled := s.settle(p, 1, word(approvals.Happened))
			require.Equal(t, workflows.StandingDone, settled.Standing)
			require.Equal(t, "by the word of cy.ma", settled.Receipt.Ref)
			require.Equal(t, workflows.StandingDone, s.settle(p, 1, word(approvals.NotHappened)).Standing, "it is recorded")
			done, err := s.execute(s.action(p, 0))
			require.NoError(t, err)
			require.True(t, done.Duplicate)
			require.Equal(t, "by the word of cy.ma", done.Receipt.Ref)
			require.Zero(t, s.server.All(), "the target was sent nothing")
		})
	}
	t.Run("what did not happen and has no row is absent", func(t *testing.T) {
		s := newShop(t, orders)
		require.Equal(t, workflows.StandingAbsent, s.settle(s.planned(), 1, word(approvals.NotHappened)).Standing)
	})
}

// For the end of a call that may be under way the workflow waits, and not the
// activity.
func TestSettlingAnswersWithTheTimeToWait(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	action := h.document(p).Actions[0]
	fingerprint, err := plan.Fingerprint(action.Parameters)
	require.NoError(t, err)
	begun, err := h.acts.Effects.Ledger.Begin(t.Context(), effects.Claim{
		Key: action.IdempotencyKey, Fingerprint: fingerprint, Tenant: tenant, RunID: runID, ActionID: action.ID,
		Tool: action.Tool, Target: action.Target, Attempt: 1, Owner: "killed", Lease: 20 * time.Millisecond, Quiet: 24 * time.Hour,
	})
	require.NoError(t, err)
	var out workflows.SettleActionResult
	require.NoError(t, h.do(workflows.SettleAction, workflows.SettleActionInput{
		RunID: runID, Tenant: tenant, PlanHash: p.PlanHash, ActionID: action.ID, Key: action.IdempotencyKey,
		Requester: "ann.wu", Resolution: word(approvals.NotHappened), Token: begun.Token, Waits: true,
	}, &out))
	require.Equal(t, workflows.StandingInDoubt, out.Standing)
	require.Greater(t, out.Wait, 23*time.Hour)
	require.LessOrEqual(t, out.Wait, 24*time.Hour)
	require.Equal(t, begun.Row.QuietUntil, *out.Doubt.QuietUntil)
	require.Equal(t, "its worker was killed, or could not reach the ledger: nothing was heard of it since", out.Doubt.Detail, "never nothing")
}
