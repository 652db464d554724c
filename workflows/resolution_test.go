package workflows_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// doubtful is an approved plan of actions a, b and c, where c depends on a,
// whose outcome nobody knows the first so many times.
func doubtful(t *testing.T, times int) *world {
	t.Helper()
	actions := actionsNamed("a", "b", "c")
	actions[2].After = []int{0}
	w := newWorld(t, actions...)
	w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		if in.ActionID == "a" && w.times("a") <= times {
			return workflows.ExecuteActionResult{}, unknown()
		}
		return done(in), nil
	}
	w.at(time.Second, func() { w.send("approve", w.hash(0), "bo.lin") })
	return w
}

// times is how often an action was begun.
func (w *world) times(id string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return count(w.executed)[id]
}

func (w *world) status() workflows.Status {
	w.t.Helper()
	answer, err := w.env.QueryWorkflow(workflows.StatusQuery)
	require.NoError(w.t, err)
	var s workflows.Status
	require.NoError(w.t, answer.Get(&s))
	return s
}

func TestUnknownOutcomeWaitsForAPersonAndTheOthersGoOn(t *testing.T) {
	w := doubtful(t, 1)
	w.at(time.Minute, func() {
		s := w.status()
		require.Equal(t, workflows.WaitingResolution, s.Status)
		require.Equal(t, "nobody knows what became of action a: no answer", s.Reason)
		require.Equal(t, workflows.StepInDoubt, s.Actions[0].Status)
		require.Equal(t, "key-a", s.Actions[0].Key)
		require.Equal(t, "kb/a", s.Actions[0].Doubt.Target)
		require.Equal(t, workflows.StepCompleted, s.Actions[1].Status, "b does not depend on it")
		require.Equal(t, workflows.StepPending, s.Actions[2].Status, "c does")
		require.Equal(t, "bo.lin", s.Resolver)
		w.resolve("a", "happened", "cy.ma")
	})
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, 1, w.times("a"), "what happened is not sent again")
	require.Equal(t, 1, w.times("c"))
	require.Equal(t, "by the word of cy.ma", s.Actions[0].Ref)
	require.Equal(t, "looked at the wiki", s.Actions[0].Resolution.Evidence)
	require.Equal(t, "cy.ma", s.Actions[0].Resolution.Operator)
	require.True(t, s.Actions[0].Resolution.Applied)
	require.Equal(t, []string{"accepted", "accepted"}, codes(s))
}

func TestNotHappenedSendsAgainUnderTheSameKey(t *testing.T) {
	w := doubtful(t, 1)
	var keys []string
	act := w.act
	w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		if in.ActionID == "a" {
			keys = append(keys, in.Key)
		}
		return act(in)
	}
	w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, []string{"key-a", "key-a"}, keys)
	require.Equal(t, "ref-a", s.Actions[0].Ref)
}

func TestAbortEndsTheRunWithTheDoubtNamed(t *testing.T) {
	w := doubtful(t, 1)
	w.at(time.Minute, func() { w.resolve("a", "abort", "cy.ma") })
	s := w.run()
	require.Equal(t, workflows.Failed, s.Status)
	require.Equal(t, "execute_action: a: its outcome stays unknown; aborted by cy.ma", s.Reason)
	require.Equal(t, 1, s.Counts.InDoubt)
	require.Equal(t, 1, w.times("a"))
	require.Equal(t, workflows.StepSkipped, s.Actions[2].Status)
}

// What a person said of one claim says nothing about the next.
func TestSecondDoubtNeedsAWordOfItsOwn(t *testing.T) {
	w := doubtful(t, 2)
	word := func(claim string) string {
		return fmt.Sprintf(`{"action_id":"a","plan_hash":%q,"outcome":"not_happened","operator":"cy.ma","evidence":"e","claim":%q}`, w.hash(0), claim)
	}
	w.at(time.Minute, func() { w.resolveRaw(word("1")) })
	w.at(2*time.Minute, func() {
		require.Equal(t, workflows.WaitingResolution, w.status().Status, "in doubt once more")
		require.Equal(t, 2, w.times("a"))
		w.resolveRaw(word("1")) // sent twice
	})
	w.at(3*time.Minute, func() {
		require.Equal(t, 2, w.times("a"), "the second copy resolves nothing")
		w.resolveRaw(word("2"))
	})
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, 3, w.times("a"))
	require.Equal(t, []string{"accepted", "accepted", "not_in_doubt", "accepted"}, codes(s))
}

func TestResolutionsAreJudged(t *testing.T) {
	w := doubtful(t, 1)
	w.at(time.Minute, func() {
		w.resolve("a", "happened", "ann.wu")
		w.resolve("a", "happened", "dan.xu")
		w.resolve("b", "happened", "cy.ma")
		w.resolveRaw(`"happened"`)
		w.resolveRaw(fmt.Sprintf(`{"action_id":"a","plan_hash":%q,"outcome":"happened","operator":"cy.ma","evidence":"e"}`, plan.Sum([]byte("other"))))
		w.resolveRaw(fmt.Sprintf(`{"action_id":"a","plan_hash":%q,"outcome":"happened","operator":"cy.ma","evidence":" "}`, w.hash(0)))
		w.resolve("a", "happened", "cy.ma")
		w.resolve("a", "not_happened", "bo.lin")
	})
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, []string{
		"accepted", // the approval
		"self_approval", "not_a_resolver", "not_in_doubt", "malformed", "stale_plan", "malformed", "accepted", "contradicts",
	}, codes(s))
	require.Equal(t, 1, w.times("a"))
}

// The ledger is asked before a person is: it may know by now.
func TestLedgerMayKnowWhatBecameOfAnAction(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer workflows.SettleActionResult
		want   workflows.RunStatus
		doubts int
	}{
		{"done", workflows.SettleActionResult{Standing: workflows.StandingDone, Receipt: &plan.Receipt{Ref: "r"}}, workflows.Completed, 0},
		{"absent", workflows.SettleActionResult{Standing: workflows.StandingAbsent}, workflows.Failed, 0},
		{"no standing", workflows.SettleActionResult{}, workflows.Failed, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := doubtful(t, 1)
			w.settle = func(workflows.SettleActionInput) (workflows.SettleActionResult, error) { return tt.answer, nil }
			s := w.run()
			require.Equal(t, tt.want, s.Status)
			require.Equal(t, tt.doubts, s.Counts.InDoubt)
			require.Equal(t, 1, w.times("a"))
		})
	}
}

func TestCancelWhileWaitingForAResolution(t *testing.T) {
	w := doubtful(t, 1)
	w.at(time.Minute, w.env.CancelWorkflow)
	s := w.run()
	require.Equal(t, workflows.Canceled, s.Status)
	require.Equal(t, 1, s.Counts.InDoubt)
}

// The wait for a person has no deadline; the approval has: what did not happen
// is not sent after it.
func TestNothingIsSentAgainAfterTheApprovalExpired(t *testing.T) {
	w := doubtful(t, 1)
	w.at(25*time.Hour, func() {
		require.Equal(t, workflows.WaitingResolution, w.status().Status)
		w.resolve("a", "not_happened", "cy.ma")
	})
	s := w.run()
	require.Equal(t, workflows.Expired, s.Status)
	require.Equal(t, 1, w.times("a"))
	require.Zero(t, s.Counts.InDoubt)
	require.Equal(t, workflows.StepPending, s.Actions[0].Status)
}

// A failure of another action ends the run, but not before the doubt is
// resolved: a run must not end with what nobody knows.
func TestFailedRunStillWaitsForItsDoubt(t *testing.T) {
	w := doubtful(t, 1)
	act := w.act
	w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		if in.ActionID == "b" {
			return workflows.ExecuteActionResult{}, refusedByTarget()
		}
		return act(in)
	}
	w.at(time.Minute, func() { w.resolve("a", "happened", "cy.ma") })
	s := w.run()
	require.Equal(t, workflows.Failed, s.Status)
	require.Equal(t, workflows.StepCompleted, s.Actions[0].Status)
	require.Zero(t, s.Counts.InDoubt)
	require.Equal(t, 0, w.times("c"), "nothing begins after a failure")
}

// A flood of resolutions makes the waiting run continue as new, with what is
// done, what is in doubt, and the approval.
func TestFloodedWaitForAResolutionContinuesAsNew(t *testing.T) {
	w := doubtful(t, 1)
	for i := range 20 {
		w.at(time.Minute+time.Duration(i)*time.Second, func() {
			for range 100 {
				w.resolveRaw(`"noise"`)
			}
		})
	}
	w.env.ExecuteWorkflow(workflows.WorkflowType, task(), nil)
	var again *workflow.ContinueAsNewError
	require.ErrorAs(t, w.env.GetWorkflowError(), &again)
	var carriedTask workflows.Task
	var carried *workflows.State
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &carriedTask, &carried))

	next := newWorld(t, w.plans[0].Actions...)
	next.executed = []string{"a"} // by the execution before
	next.at(time.Minute, func() {
		s := next.status()
		require.Equal(t, workflows.WaitingResolution, s.Status)
		require.Equal(t, "a", s.Actions[0].ID)
		next.send("approve", next.hash(0), "bo.lin")
		next.resolve("a", "happened", "cy.ma")
	})
	next.continues(carriedTask, carried)
	var s workflows.Status
	require.NoError(t, next.env.GetWorkflowResult(&s))
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, []string{"a", "c"}, next.executed, "b was done before")
	require.Equal(t, approvals.Accepted, s.Decisions.Recent[len(s.Decisions.Recent)-1].Code)
	require.Equal(t, approvals.Duplicate, s.Decisions.Recent[len(s.Decisions.Recent)-2].Code)
}

// Independent actions run side by side up to the tool's own limit.
func TestToolsLimitBoundsTheActionsInFlight(t *testing.T) {
	w := newWorld(t, actionsNamed("a", "b", "c", "d", "e", "f")...)
	w.plans[0].Parallel = 6
	w.plans[0].Limits = []workflows.ToolLimits{{Tool: "gitpages", Concurrency: 2, CallTimeout: time.Minute, MaxAttempts: 1}}
	inFlight, most := 0, 0
	w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		w.mu.Lock()
		inFlight++
		most = max(most, inFlight)
		w.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
		w.mu.Lock()
		inFlight--
		w.mu.Unlock()
		return done(in), nil
	}
	w.at(time.Second, func() { w.send("approve", w.hash(0), "bo.lin") })
	require.Equal(t, workflows.Completed, w.run().Status)
	require.LessOrEqual(t, most, 2)
	require.Len(t, w.executed, 6)
}

// What the one who records a word does not take is as if it had not been said:
// nothing is sent, and the run waits for another.
func TestWordThatIsNotRecordedIsAskedForAgain(t *testing.T) {
	w := doubtful(t, 1)
	refuse := true
	w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
		require.Equal(t, "ann.wu", in.Requester)
		if in.Resolution == nil || !refuse {
			return w.settled(in)
		}
		refuse = false
		return workflows.SettleActionResult{
			Attempt: 1, Standing: workflows.StandingInDoubt, Doubt: &workflows.Doubt{Token: 1, Detail: "killed"},
			Refused: "the word of cy.ma was not recorded: bad_signature",
		}, nil
	}
	w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
	w.at(2*time.Minute, func() {
		s := w.status()
		require.Equal(t, workflows.WaitingResolution, s.Status)
		require.Equal(t, 1, w.times("a"), "nothing was sent")
		require.Nil(t, s.Actions[0].Resolution)
		require.Equal(t, "the word of cy.ma was not recorded: bad_signature; before that: killed", s.Actions[0].Doubt.Detail)
	})
	w.at(3*time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, 2, w.times("a"))
}
