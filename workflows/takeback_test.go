package workflows_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// quiet makes the ledger settle no absence before the time is over.
func (w *world) quiet(d time.Duration) (asked *int) {
	asked = new(int)
	var until time.Time
	w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
		*asked++
		if in.Resolution == nil || in.Resolution.Outcome != approvals.NotHappened {
			return w.settled(in)
		}
		if !in.Waits {
			return workflows.SettleActionResult{}, errors.New("the activity would wait")
		}
		if until.IsZero() {
			until = w.env.Now().Add(d)
		}
		if wait := until.Sub(w.env.Now()); wait > 0 {
			return workflows.SettleActionResult{
				Standing: workflows.StandingInDoubt, Wait: wait,
				Doubt: &workflows.Doubt{Token: in.Token, Target: "kb/a", QuietUntil: &until, Detail: "no answer"},
			}, nil
		}
		return w.settled(in)
	}
	return asked
}

// Until nothing can be under way any more, what did not happen waits, and
// people can see for how long, and what they can still do about it.
func TestWhatDidNotHappenWaitsInTheWorkflow(t *testing.T) {
	w := doubtful(t, 1)
	w.grantLife = 48 * time.Hour
	asked := w.quiet(5 * time.Hour)
	w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
	w.at(2*time.Minute, func() {
		s := w.status()
		require.Equal(t, workflows.WaitingResolution, s.Status)
		require.Equal(t, fmt.Sprintf("action a is sent again after %s unless somebody says that it happened, or aborts",
			s.Actions[0].Doubt.QuietUntil.Format(time.RFC3339)), s.Reason)
		require.Equal(t, workflows.StepInDoubt, s.Actions[0].Status)
		require.True(t, s.Actions[0].Resolvable())
		require.Equal(t, "bo.lin", s.Resolver)
		require.Equal(t, workflows.StepRunning, s.Steps[3].Status)
	})
	w.at(5*time.Hour, func() {
		require.Equal(t, 1, w.times("a"))
		require.Equal(t, workflows.WaitingResolution, w.status().Status)
	})
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, 2, w.times("a"))
	require.Equal(t, 3, *asked, "a look, the word, and the word when the time was over")
	require.Equal(t, "1", s.Actions[0].Resolution.Claim)
}

// The cautious word wins for as long as it can.
func TestNotHappenedCanBeTakenBackUntilItIsRecorded(t *testing.T) {
	t.Run("it happened after all", func(t *testing.T) {
		w := doubtful(t, 1)
		w.quiet(5 * time.Hour)
		w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
		w.at(2*time.Minute, func() {
			w.resolve("a", "not_happened", "bo.lin")
			w.resolve("a", "happened", "bo.lin")
			w.resolve("a", "not_happened", "cy.ma")
		})
		began := time.Time{}
		w.at(time.Minute, func() { began = w.env.Now() })
		s := w.run()
		require.Equal(t, workflows.Completed, s.Status)
		require.Less(t, w.env.Now().Sub(began), time.Hour, "nobody waits for what cannot come any more")
		require.Equal(t, 1, w.times("a"), "it is not sent again")
		require.Equal(t, "by the word of bo.lin", s.Actions[0].Ref)
		require.Equal(t, approvals.Happened, s.Actions[0].Resolution.Outcome)
		require.Equal(t, []string{"accepted", "accepted", "duplicate", "accepted", "contradicts"}, codes(s))
	})
	t.Run("it is given up", func(t *testing.T) {
		w := doubtful(t, 1)
		w.quiet(5 * time.Hour)
		w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
		w.at(2*time.Minute, func() { w.resolve("a", "abort", "bo.lin") })
		s := w.run()
		require.Equal(t, workflows.Failed, s.Status)
		require.Equal(t, "execute_action: a: its outcome stays unknown; aborted by bo.lin", s.Reason)
		require.Equal(t, 1, s.Counts.InDoubt)
		require.Equal(t, 1, w.times("a"))
	})
	t.Run("the run is canceled", func(t *testing.T) {
		w := doubtful(t, 1)
		w.quiet(5 * time.Hour)
		w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
		w.at(2*time.Minute, w.env.CancelWorkflow)
		s := w.run()
		require.Equal(t, workflows.Canceled, s.Status)
		require.Equal(t, 1, s.Counts.InDoubt, "what a person said of it is not recorded")
		require.Equal(t, 1, w.times("a"))
	})
	t.Run("in one batch", func(t *testing.T) {
		for _, order := range [][]string{{"not_happened", "happened"}, {"happened", "not_happened"}} {
			w := doubtful(t, 1)
			w.at(time.Minute, func() {
				for _, outcome := range order {
					w.resolve("a", outcome, "cy.ma")
				}
			})
			s := w.run()
			require.Equal(t, workflows.Completed, s.Status)
			require.Equal(t, 1, w.times("a"), order)
			require.Equal(t, "by the word of cy.ma", s.Actions[0].Ref)
		}
	})
	t.Run("while it is being recorded", func(t *testing.T) {
		w := doubtful(t, 1)
		w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
			if in.Resolution != nil && in.Resolution.Outcome == approvals.NotHappened {
				w.resolve("a", "happened", "bo.lin")
				time.Sleep(20 * time.Millisecond)
			}
			return w.settled(in)
		}
		w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
		s := w.run()
		require.Equal(t, workflows.Completed, s.Status)
		require.Equal(t, 1, w.times("a"), "it is not sent again")
		require.Equal(t, "by the word of bo.lin", s.Actions[0].Ref)
	})
	t.Run("while it is being recorded, and is judged only afterwards", func(t *testing.T) {
		w := doubtful(t, 1)
		w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
			if in.Resolution != nil && in.Resolution.Outcome == approvals.NotHappened {
				w.judging = 200 * time.Millisecond
				w.resolve("a", "happened", "bo.lin")
				time.Sleep(20 * time.Millisecond) // until the workflow has it
			}
			return w.settled(in)
		}
		w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
		s := w.run()
		require.Equal(t, workflows.Completed, s.Status)
		require.Equal(t, 1, w.times("a"), "it is not sent again")
		require.Equal(t, "by the word of bo.lin", s.Actions[0].Ref)
	})
	t.Run("while the ledger is away", func(t *testing.T) {
		w := doubtful(t, 1)
		w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
			if in.Resolution != nil && in.Resolution.Outcome == approvals.NotHappened {
				return workflows.SettleActionResult{}, temporal.NewApplicationError("ledger_unavailable: no answer", workflows.ClassTransient)
			}
			return w.settled(in)
		}
		w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
		w.at(70*time.Second, func() { // the test environment does not retry for much longer
			require.Equal(t, workflows.WaitingResolution, w.status().Status)
			w.resolve("a", "happened", "bo.lin")
		})
		s := w.run()
		require.Equal(t, workflows.Completed, s.Status, s.Reason)
		require.Equal(t, 1, w.times("a"))
	})
}

// What is recorded stands, and who says something else is told so.
func TestWordThatComesTooLateContradicts(t *testing.T) {
	w := doubtful(t, 1)
	w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		switch n := w.times("a"); {
		case in.ActionID == "a" && n == 1:
			return workflows.ExecuteActionResult{}, unknown()
		case in.ActionID == "a":
			w.resolveRaw(fmt.Sprintf(`{"action_id":"a","plan_hash":%q,"claim":"1","outcome":"happened","operator":"bo.lin","evidence":"e"}`, w.hash(0)))
			w.resolveRaw(fmt.Sprintf(`{"action_id":"a","plan_hash":%q,"claim":"1","outcome":"not_happened","operator":"bo.lin","evidence":"e"}`, w.hash(0)))
			time.Sleep(20 * time.Millisecond)
		}
		return done(in), nil
	}
	w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, []string{"accepted", "accepted", "contradicts", "duplicate"}, codes(s))
	require.Contains(t, s.Decisions.Recent[2].Reason, "was resolved as not_happened before, and that is recorded")
	require.Contains(t, s.Decisions.Recent[2].Reason, "cancel the run if nothing more must be sent")
}

func TestNotHappenedWithoutAClaimIsMalformed(t *testing.T) {
	w := doubtful(t, 1)
	w.at(time.Minute, func() {
		w.resolveRaw(fmt.Sprintf(`{"action_id":"a","plan_hash":%q,"outcome":"not_happened","operator":"cy.ma","evidence":"e"}`, w.hash(0)))
	})
	w.at(2*time.Minute, func() {
		require.Equal(t, 1, w.times("a"))
		verdict := w.status().Decisions.Recent[1]
		require.Equal(t, approvals.Malformed, verdict.Code)
		require.Contains(t, verdict.Reason, `There is no claim, which not_happened needs`)
		require.Contains(t, verdict.Reason, `"claim":"1"`)
		w.resolveRaw(fmt.Sprintf(`{"action_id":"a","plan_hash":%q,"outcome":"happened","operator":"cy.ma","evidence":"e"}`, w.hash(0)))
	})
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, 1, w.times("a"))
	require.Equal(t, "1", s.Actions[0].Resolution.Claim, "that in doubt now")
}

// What was to be sent again when the run was canceled is not.
func TestResolvedActionOfACanceledRunIsSkipped(t *testing.T) {
	w := doubtful(t, 1)
	w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
		if in.Resolution != nil {
			w.env.CancelWorkflow()
			time.Sleep(20 * time.Millisecond)
		}
		return w.settled(in)
	}
	w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
	s := w.run()
	require.Equal(t, workflows.Canceled, s.Status)
	require.Equal(t, workflows.StepSkipped, s.Actions[0].Status)
	require.Equal(t, workflows.StepSkipped, s.Actions[2].Status)
	require.Equal(t, 1, w.times("a"))
}

// A run that waits to send again can continue as new meanwhile.
func TestWaitToSendAgainContinuesAsNew(t *testing.T) {
	w := doubtful(t, 1)
	w.grantLife = 48 * time.Hour
	w.quiet(5 * time.Hour)
	w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
	for i := range 20 {
		w.at(time.Hour+time.Duration(i)*time.Second, func() {
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
	require.Equal(t, approvals.NotHappened, carried.Actions[0].Resolution.Outcome)

	next := newWorld(t, w.plans[0].Actions...)
	next.executed = []string{"a"}
	next.env.SetStartTime(w.env.Now())
	next.quiet(2 * time.Hour)
	next.at(time.Hour, func() {
		require.Equal(t, workflows.WaitingResolution, next.status().Status)
		require.Equal(t, 1, next.times("a"))
	})
	next.continues(carriedTask, carried)
	var s workflows.Status
	require.NoError(t, next.env.GetWorkflowResult(&s))
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, []string{"a", "a", "c"}, next.executed)
}

// The table of what becomes of an action, by what the ledger says and what a
// person has said.
func TestRowAfterSettling(t *testing.T) {
	receipt := &plan.Receipt{Ref: "r"}
	doubt := &workflows.Doubt{Token: 2}
	for _, tt := range []struct {
		standing workflows.Standing
		word     approvals.Outcome
		want     workflows.StepStatus
		ref      string
	}{
		{workflows.StandingDone, "", workflows.StepCompleted, "r"},
		{workflows.StandingDone, approvals.Happened, workflows.StepCompleted, "r"},
		{workflows.StandingDone, approvals.NotHappened, workflows.StepCompleted, "r"},
		{workflows.StandingAbsent, "", workflows.StepFailed, ""},
		{workflows.StandingAbsent, approvals.Happened, workflows.StepCompleted, "by the word of cy.ma"},
		{workflows.StandingAbsent, approvals.NotHappened, workflows.StepPending, ""},
		{workflows.StandingAbsent, approvals.Abort, workflows.StepInDoubt, ""},
		{workflows.StandingInDoubt, "", workflows.StepInDoubt, ""},
		{workflows.StandingInDoubt, approvals.Happened, workflows.StepInDoubt, ""},
		{workflows.StandingInDoubt, approvals.NotHappened, workflows.StepInDoubt, ""},
		{"", approvals.NotHappened, workflows.StepInDoubt, ""},
	} {
		t.Run(fmt.Sprintf("%s, %s", tt.standing, tt.word), func(t *testing.T) {
			row := workflows.Action{
				ID: "a", Status: workflows.StepInDoubt, Doubt: &workflows.Doubt{Token: 1},
				Error: "ledger_unavailable: no answer" + workflows.EarlierUnknown,
			}
			var word *workflows.Resolved
			if tt.word != "" {
				word = &workflows.Resolved{Outcome: tt.word, Operator: "cy.ma", Claim: "1"}
				row.Resolution = word
			}
			out := workflows.SettleActionResult{Standing: tt.standing}
			switch tt.standing {
			case workflows.StandingDone:
				out.Receipt = receipt
			case workflows.StandingInDoubt:
				out.Doubt = doubt
			case workflows.StandingAbsent:
			}
			s := workflows.State{Actions: []workflows.Action{row}}
			s.ActionSettled(0, word, out)
			got := s.Actions[0]
			require.Equal(t, tt.want, got.Status)
			require.Equal(t, tt.ref, got.Ref)
			switch tt.want { //nolint:exhaustive // the others have nothing of their own
			case workflows.StepFailed:
				require.Equal(t, "ledger_unavailable: no answer", got.Error, "nothing is unknown any more")
			case workflows.StepInDoubt:
				if tt.standing == workflows.StandingInDoubt {
					require.Equal(t, doubt, got.Doubt)
					require.Nil(t, got.Resolution, "the word was about an earlier claim")
				}
			}
		})
	}
}

// A malformed update is refused at once, and says once why.
func TestMalformedUpdateIsRefusedInOneSentence(t *testing.T) {
	w := doubtful(t, 1)
	var refused error
	w.at(time.Minute, func() {
		w.env.UpdateWorkflow(workflows.ResolutionName, "u1", &testsuite.TestUpdateCallback{
			OnAccept:   func() { t.Error("it is admitted") },
			OnReject:   func(err error) { refused = err },
			OnComplete: func(any, error) {},
		}, json.RawMessage(fmt.Sprintf(`{"action_id":"a","plan_hash":%q,"outcome":"not_happened","operator":"cy.ma","evidence":"e"}`, w.hash(0))))
		w.resolve("a", "happened", "cy.ma")
	})
	s := w.run()
	require.Equal(t, workflows.Completed, s.Status)
	require.Equal(t, []string{"accepted", "accepted"}, codes(s), "it leaves no trace")
	app, ok := errors.AsType[*temporal.ApplicationError](refused)
	require.True(t, ok)
	require.Equal(t, "malformed", app.Type())
	require.Contains(t, app.Message(), "there is no claim, which not_happened needs")
	require.NoError(t, app.Unwrap(), "a cause would say all of it again")
}
