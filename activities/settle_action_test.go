package activities_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"

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

// What a person said of one claim says nothing of the next, whatever the workflow
// makes of it: it is not recorded, and the doubt of now is named.
func TestWordAboutAnotherClaimIsNotRecorded(t *testing.T) {
	for _, outcome := range []approvals.Outcome{approvals.Happened, approvals.NotHappened} {
		h := newHouse(t)
		p := h.planned()
		h.inDoubt(p, 0)
		h.inDoubt(p, 0)
		said := word(outcome)
		said.Claim = "1"
		out := h.settle(p, 2, said)
		require.Equal(t, workflows.StandingInDoubt, out.Standing)
		require.EqualValues(t, 2, out.Doubt.Token)
		require.Equal(t, "the word of cy.ma was not recorded: it is about the claim 1, and the claim 2 is in doubt", out.Refused)
		rows, err := h.acts.Effects.Ledger.Rows(t.Context(), []string{p.Actions[0].Key})
		require.NoError(t, err)
		require.Equal(t, effects.Started, rows[0].State)
		said.Claim = "2"
		require.Empty(t, h.settle(p, 2, said).Refused)
	}
}

// A reset takes back what took a word back. What was said in the execution before
// it has nothing sent again; that an effect is there stays true.
func TestNotHappenedOfAnotherExecutionIsNotRecorded(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	h.inDoubt(p, 0)
	here := h.settle(p, 0, nil).Doubt.Execution
	require.NotEmpty(t, here, "a doubt names the execution in which it is shown")
	said := word(approvals.NotHappened)
	said.Execution = "the execution before a reset"
	out := h.settle(p, 1, said)
	require.Equal(t, workflows.StandingInDoubt, out.Standing)
	require.Contains(t, out.Refused, "the word of cy.ma was not recorded: the run was reset since")
	require.Equal(t, here, out.Doubt.Execution)

	said = word(approvals.Happened)
	said.Execution = "the execution before a reset"
	require.Equal(t, workflows.StandingDone, h.settle(p, 1, said).Standing)

	again := newHouse(t)
	p = again.planned()
	again.inDoubt(p, 0)
	said = word(approvals.NotHappened)
	said.Execution = here
	require.Equal(t, workflows.StandingAbsent, again.settle(p, 1, said).Standing)
}

// A run judges words by the policy of its request until it hears of another. It
// hears of it with every look, and with every word that is refused.
func TestPolicyOfTheDayIsToldToARunThatWaits(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	h.inDoubt(p, 0)
	said := word(approvals.Happened)
	said.Operator = "mallory"
	for name, tc := range map[string]struct {
		judgedBy string
		word     *workflows.Resolved
		told     bool
	}{
		"the same policy":                      {h.acts.Policy.Version(), nil, false},
		"the same policy, and a word refused":  {h.acts.Policy.Version(), said, false},
		"another":                              {"old@sha256:01", nil, true},
		"another, and a word refused":          {"old@sha256:01", said, true},
		"a workflow of before":                 {"", nil, false},
		"a workflow of before, a word refused": {"", said, true},
	} {
		var out workflows.SettleActionResult
		require.NoError(t, h.do(workflows.SettleAction, workflows.SettleActionInput{
			RunID: runID, Tenant: tenant, Requester: "ann.wu", PlanHash: p.PlanHash, ActionID: p.Actions[0].ID, Key: p.Actions[0].Key,
			Resolution: tc.word, Token: 1, Policy: tc.judgedBy,
		}, &out), name)
		require.Equal(t, tc.told, out.Today != nil, name)
		if tc.told {
			require.Equal(t, h.acts.Policy.Version(), out.Today.Version)
			require.Contains(t, out.Today.Resolvers[0].Members, "cy.ma")
			kept, err := h.acts.Blobs.Get(t.Context(), tenant, plan.Sum(h.acts.Policy.Canonical()), 1<<20)
			require.NoError(t, err, "whoever checks the run later evaluates it again")
			require.Equal(t, h.acts.Policy.Canonical(), kept)
		}
	}
}

// That a person gives an action up is compared with the policy of the day, and told
// to no ledger: it changes nothing there, and none need be at hand.
func TestAbortIsToldToNoLedger(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	h.inDoubt(p, 0)
	shown := h.settle(p, 0, nil).Doubt
	gone := word(approvals.Abort)
	gone.Operator = "mallory"
	ask := func(said *workflows.Resolved, claim int64) (out workflows.SettleActionResult) {
		said.Claim = "1"
		require.NoError(t, h.do(workflows.SettleAction, workflows.SettleActionInput{
			RunID: runID, Tenant: tenant, Requester: "ann.wu", PlanHash: p.PlanHash, ActionID: p.Actions[0].ID, Key: p.Actions[0].Key,
			Resolution: said, Token: claim, Doubt: shown, Policy: "old@sha256:01", Waits: true,
		}, &out))
		return out
	}
	for _, claim := range []int64{0, 1} { // a workflow of before named the claim
		require.Empty(t, ask(word(approvals.Abort), claim).Refused)
		refused := ask(gone, claim)
		require.Contains(t, refused.Refused, "the word of mallory was not recorded: not_a_resolver")
		require.Equal(t, workflows.StandingInDoubt, refused.Standing)
		require.Equal(t, shown, refused.Doubt)
		require.Equal(t, h.acts.Policy.Version(), refused.Today.Version)
	}
	rows, err := h.acts.Effects.Ledger.Rows(t.Context(), []string{p.Actions[0].Key})
	require.NoError(t, err)
	require.Equal(t, effects.Started, rows[0].State, "no other run may send it because of that")

	require.NoError(t, h.acts.Effects.Ledger.Close())
	require.Empty(t, ask(word(approvals.Abort), 0).Refused, "the ledger is away")
	require.NotEmpty(t, ask(gone, 0).Refused)
}

// A run that only asks for the policy of the day is told it, whatever the ledger is.
func TestPolicyOfTheDayIsToldWithoutTheLedger(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	require.NoError(t, h.acts.Effects.Ledger.Close())
	for version, told := range map[string]bool{"old@sha256:01": true, h.acts.Policy.Version(): false} {
		var out workflows.SettleActionResult
		require.NoError(t, h.do(workflows.SettleAction, workflows.SettleActionInput{
			RunID: runID, Tenant: tenant, Requester: "ann.wu", PlanHash: p.PlanHash, ActionID: p.Actions[0].ID, Key: p.Actions[0].Key,
			Policy: version, Hears: true, Waits: true,
		}, &out))
		require.Equal(t, told, out.Today != nil, version)
		require.Empty(t, out.Standing)
	}
}

// The judge says when it refuses somebody by a policy that is not the one of the day.
func TestJudgeSaysThatThePolicyHasChanged(t *testing.T) {
	h := newHouse(t)
	hash := plan.Sum([]byte("plan"))
	judge := func(version, action, operator string) workflows.JudgeDecisionsResult {
		raw, err := json.Marshal(approvals.Resolution{ActionID: action, PlanHash: hash, Outcome: approvals.Happened, Operator: operator, Evidence: "e"})
		require.NoError(t, err)
		payloads, err := converter.GetDefaultDataConverter().ToPayloads(json.RawMessage(raw))
		require.NoError(t, err)
		sent, err := workflows.MarshalPayloads(payloads)
		require.NoError(t, err)
		out, err := h.acts.JudgeResolutions(t.Context(), workflows.JudgeResolutionsInput{
			Doubts: approvals.Doubts{RunID: runID, PlanHash: hash, Requester: "ann.wu", Waiting: []approvals.InDoubt{{ActionID: "a", Claim: "1"}},
				Terms: approvals.Terms{Label: "old", Version: version, Proof: approvals.ByClaim, Resolvers: []approvals.Resolvers{{Members: []string{"old.hand"}}}}},
			Arrivals: []workflows.Arrival{{Payloads: sent, Via: approvals.ViaSignal}},
		})
		require.NoError(t, err)
		return out
	}
	const old = "old@sha256:01"
	out := judge(old, "a", "cy.ma")
	require.True(t, out.Outdated)
	require.Equal(t, approvals.NotAResolver, out.Verdicts[0].Code)
	require.Contains(t, out.Verdicts[0].Reason, "say it again in a moment")
	for name, out := range map[string]workflows.JudgeDecisionsResult{
		"the policy of the day":            judge(h.acts.Policy.Version(), "a", "cy.ma"),
		"who is taken":                     judge(old, "a", "old.hand"),
		"an action that waits for no word": judge(old, "b", "cy.ma"),
	} {
		require.False(t, out.Outdated, name)
		require.NotContains(t, out.Verdicts[0].Reason, "in a moment", name)
	}
}
