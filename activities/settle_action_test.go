package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// settle runs settle_action for the first action of a plan.
func (h *house) settle(p workflows.MakePlanResult, claim int64, word *workflows.Resolved) (out workflows.SettleActionResult) {
	h.t.Helper()
	require.NoError(h.t, h.do(workflows.SettleAction, workflows.SettleActionInput{
		RunID: runID, Tenant: tenant, Requester: "ann.wu", PlanHash: p.PlanHash, ActionID: p.Actions[0].ID, Key: p.Actions[0].Key, Resolution: word, Token: claim,
	}, &out))
	return out
}

func word(outcome approvals.Outcome) *workflows.Resolved {
	return &workflows.Resolved{
		Outcome: outcome, Operator: "cy.ma", Evidence: "commit 4f2 on main", At: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC),
	}
}

func TestWhatTheLedgerSaysOfAnAction(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	require.Equal(t, workflows.StandingAbsent, h.settle(p, 0, nil).Standing, "nothing was ever begun")

	h.inDoubt(p, 0)
	looked := h.settle(p, 0, nil)
	require.Equal(t, workflows.StandingInDoubt, looked.Standing)
	require.EqualValues(t, 1, looked.Doubt.Token)
	require.Equal(t, "killed", looked.Doubt.Detail)
	require.Equal(t, "gitpages", looked.Doubt.Tool)
	require.False(t, looked.Doubt.SentAt.IsZero())

	stale := h.settle(p, 7, word(approvals.Happened))
	require.Equal(t, workflows.StandingInDoubt, stale.Standing, "a word about another claim changes nothing")

	settled := h.settle(p, 1, word(approvals.Happened))
	require.Equal(t, workflows.StandingDone, settled.Standing)
	require.Equal(t, &plan.Receipt{
		IdempotencyKey: p.Actions[0].Key, Tool: "gitpages", Target: looked.Doubt.Target,
		Ref: "by the word of cy.ma", Detail: "commit 4f2 on main", At: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC),
	}, settled.Receipt)
	require.Equal(t, settled.Receipt, h.settle(p, 1, word(approvals.Happened)).Receipt, "said twice is said once")
	require.Equal(t, workflows.StandingDone, h.settle(p, 1, word(approvals.NotHappened)).Standing, "what is settled stays settled")

	done, err := h.execute(h.action(p, 0))
	require.NoError(t, err)
	require.True(t, done.Duplicate)
	require.Equal(t, "by the word of cy.ma", done.Receipt.Ref)
	require.Zero(t, h.pages.applied.Load(), "it is not sent again")
}

func TestWhatDidNotHappenCanBeSentAgain(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	h.inDoubt(p, 0)
	require.Equal(t, workflows.StandingAbsent, h.settle(p, 1, word(approvals.NotHappened)).Standing)
	rows, err := h.acts.Effects.Ledger.Rows(t.Context(), []string{p.Actions[0].Key})
	require.NoError(t, err)
	require.Equal(t, effects.Released, rows[0].State)
	require.Equal(t, "not_happened, says cy.ma: commit 4f2 on main", rows[0].Reason)

	done, err := h.execute(h.action(p, 0))
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeDone, done.Outcome)
	require.False(t, done.Recovered, "nothing is in doubt any more")
	require.Equal(t, []string{p.Actions[0].Key}, h.keys())
}

// While an attempt is at work nobody can say that it did not happen.
func TestSettlingWaitsForTheAttemptAtWork(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	action := h.document(p).Actions[0]
	fingerprint, err := plan.Fingerprint(action.Parameters)
	require.NoError(t, err)
	begun, err := h.acts.Effects.Ledger.Begin(t.Context(), effects.Claim{
		Key: action.IdempotencyKey, Fingerprint: fingerprint, Tenant: tenant, RunID: runID, ActionID: action.ID,
		Tool: action.Tool, Target: action.Target, Attempt: 1, Owner: "at work", Lease: time.Minute, Quiet: 300 * time.Millisecond,
	})
	require.NoError(t, err)
	said := make(chan workflows.SettleActionResult, 1)
	go func() { said <- h.settle(p, begun.Token, word(approvals.NotHappened)) }()
	select {
	case out := <-said:
		require.Fail(t, "settled under a running lease", "%+v", out)
	case <-time.After(100 * time.Millisecond):
	}
	require.NoError(t, h.acts.Effects.Ledger.Complete(t.Context(), action.IdempotencyKey, begun.Token,
		plan.Receipt{IdempotencyKey: action.IdempotencyKey, Ref: "it did", At: time.Now().UTC().Truncate(time.Second)}))
	out := <-said
	require.Equal(t, workflows.StandingDone, out.Standing)
	require.Equal(t, "it did", out.Receipt.Ref)
}

// Whoever could make a workflow say that a person has spoken could have an effect
// made twice. The one who records a word takes it on nobody's.
func TestWordThatThePolicyDoesNotTakeIsNotRecorded(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*workflows.Resolved)
		says   string
	}{
		"of a stranger":    {func(w *workflows.Resolved) { w.Operator = "mallory" }, "mallory is not a resolver"},
		"of the requester": {func(w *workflows.Resolved) { w.Operator = "ann.wu" }, "ann.wu requested this run"},
		"of nobody":        {func(w *workflows.Resolved) { w.Operator = "" }, "was not recorded"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			p := h.planned()
			h.inDoubt(p, 0)
			for _, outcome := range []approvals.Outcome{approvals.NotHappened, approvals.Happened} {
				said := word(outcome)
				tc.change(said)
				out := h.settle(p, 1, said)
				require.Equal(t, workflows.StandingInDoubt, out.Standing)
				require.Contains(t, out.Refused, tc.says)
				require.EqualValues(t, 1, out.Doubt.Token, "the claim in doubt is the one before")
			}
		})
	}
}
