package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// away is what a ledger says that cannot be asked.
func away() error {
	return temporal.NewApplicationError("ledger_unavailable: no answer", workflows.ClassTransient)
}

// A ledger, or whatever else a word needs to be recorded, may be away for long. That
// keeps no run from its end.
func TestCancelEndsARunWhoseLedgerIsAway(t *testing.T) {
	for name, outcome := range map[string]approvals.Outcome{
		"while a word is recorded": approvals.Happened, "while a word that can be taken back is": approvals.NotHappened,
		"while it is given up": approvals.Abort,
	} {
		t.Run(name, func(t *testing.T) {
			w := doubtful(t, 1)
			w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
				if in.Resolution != nil {
					return workflows.SettleActionResult{}, away()
				}
				return w.settled(in)
			}
			w.at(time.Minute, func() { w.resolve("a", string(outcome), "cy.ma") })
			w.at(70*time.Second, func() {
				require.Equal(t, workflows.WaitingResolution, w.status().Status)
				w.env.CancelWorkflow()
			})
			s := w.run()
			require.Equal(t, workflows.Canceled, s.Status)
			require.Equal(t, 1, s.Counts.InDoubt)
			require.Equal(t, outcome, s.Actions[0].Resolution.Outcome)
			require.Equal(t, "the run ended before the word of cy.ma was recorded; before that: no answer", s.Actions[0].Doubt.Detail)
			require.Equal(t, 1, w.times("a"))
			require.Equal(t, workflows.StepSkipped, s.Actions[2].Status)
		})
	}
	for name, answer := range map[string]func() (workflows.SettleActionResult, error){
		"while it is looked at": func() (workflows.SettleActionResult, error) { return workflows.SettleActionResult{}, away() },
		"while a call may be under way": func() (workflows.SettleActionResult, error) {
			return workflows.SettleActionResult{Attempt: 1, Standing: workflows.StandingInDoubt, Doubt: &workflows.Doubt{Token: 1}, Wait: 5 * time.Hour}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := doubtful(t, 1)
			began := w.env.Now()
			w.settle = func(workflows.SettleActionInput) (workflows.SettleActionResult, error) { return answer() }
			w.at(10*time.Second, w.env.CancelWorkflow)
			s := w.run()
			require.Equal(t, workflows.Canceled, s.Status)
			require.Equal(t, workflows.StepInDoubt, s.Actions[0].Status)
			require.Less(t, w.env.Now().Sub(began), time.Minute)
		})
	}
}

// A ledger that is there has the time to record a word that came with the
// cancellation.
func TestWordIsStillRecordedWhenTheRunIsCanceled(t *testing.T) {
	w := doubtful(t, 1)
	w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
		if in.Resolution != nil {
			w.env.CancelWorkflow()
			time.Sleep(20 * time.Millisecond) // until the workflow has it
		}
		return w.settled(in)
	}
	w.at(time.Minute, func() { w.resolve("a", "happened", "cy.ma") })
	s := w.run()
	require.Equal(t, workflows.Canceled, s.Status)
	require.Equal(t, workflows.StepCompleted, s.Actions[0].Status)
	require.Zero(t, s.Counts.InDoubt)
}

// What the policy of the day does not take ends no run: it is as if it had not been
// said, and others are asked.
func TestAbortIsTakenByThePolicyOfTheDay(t *testing.T) {
	w := doubtful(t, 1)
	var told []workflows.SettleActionInput
	w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
		if in.Resolution == nil {
			return w.settled(in)
		}
		told = append(told, in)
		out := workflows.SettleActionResult{Attempt: 1, Standing: workflows.StandingInDoubt, Doubt: in.Doubt}
		if in.Resolution.Operator == "bo.lin" {
			out.Refused = "the word of bo.lin was not recorded: not_a_resolver"
			out.Today = &approvals.Resolving{Label: "new", Version: "new@sha256:01", Proof: approvals.ByClaim,
				Resolvers: []approvals.Resolvers{{Members: []string{"cy.ma"}}}}
		}
		return out, nil
	}
	w.at(time.Minute, func() { w.resolve("a", "abort", "bo.lin") })
	w.at(2*time.Minute, func() {
		s := w.status()
		require.Equal(t, workflows.WaitingResolution, s.Status)
		require.Nil(t, s.Actions[0].Resolution)
		require.Equal(t, "the word of bo.lin was not recorded: not_a_resolver; before that: no answer", s.Actions[0].Doubt.Detail)
		require.Equal(t, workflows.StepPending, s.Actions[2].Status)
		require.Equal(t, "cy.ma", s.Resolver)
		w.resolve("a", "abort", "bo.lin")
		w.resolve("a", "abort", "cy.ma")
	})
	s := w.run()
	require.Equal(t, workflows.Failed, s.Status)
	require.Equal(t, "execute_action: a: its outcome stays unknown; aborted by cy.ma", s.Reason)
	require.Equal(t, []string{"accepted", "not_a_resolver", "accepted"}, codes(s)[1:])
	require.Len(t, told, 2)
	for _, in := range told {
		require.Zero(t, in.Token, "no worker takes it for a word that ends the claim")
		require.EqualValues(t, 1, in.Doubt.Token)
	}
	require.Equal(t, 1, w.times("a"))
}

// So it is with an abort that takes the place of a word that waits, or is being
// recorded.
func TestAbortInPlaceOfAnotherWordIsTakenByThePolicyOfTheDay(t *testing.T) {
	for name, refused := range map[string]string{"taken": "", "refused": "the word of bo.lin was not recorded: not_a_resolver"} {
		t.Run(name, func(t *testing.T) {
			w := doubtful(t, 1)
			w.grantLife = 48 * time.Hour
			w.quiet(5 * time.Hour)
			records := w.settle
			aborts := 0
			w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
				if in.Resolution == nil || in.Resolution.Outcome != approvals.Abort {
					return records(in)
				}
				aborts++
				require.Zero(t, in.Token)
				return workflows.SettleActionResult{Attempt: 1, Standing: workflows.StandingInDoubt, Doubt: in.Doubt, Refused: refused}, nil
			}
			w.at(time.Minute, func() { w.resolve("a", "not_happened", "cy.ma") })
			w.at(2*time.Minute, func() { w.resolve("a", "abort", "bo.lin") })
			w.at(24*time.Hour, func() {
				require.Nil(t, w.status().Actions[0].Resolution, "nothing is sent by the word before")
				w.resolve("a", "happened", "cy.ma")
			})
			s := w.run()
			require.Equal(t, map[string]workflows.RunStatus{"taken": workflows.Failed, "refused": workflows.Completed}[name], s.Status)
			require.Equal(t, 1, aborts)
			require.Equal(t, 1, w.times("a"))
		})
	}
}

// A run that is given up does not wait for what another action's word needs.
func TestAbortEndsARunWhoseLedgerIsAway(t *testing.T) {
	w := newWorld(t, actionsNamed("a", "b")...)
	w.act = func(workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		return workflows.ExecuteActionResult{}, unknown()
	}
	w.settle = func(in workflows.SettleActionInput) (workflows.SettleActionResult, error) {
		if in.Resolution != nil && in.Resolution.Outcome == approvals.Happened {
			return workflows.SettleActionResult{}, away()
		}
		return w.settled(in)
	}
	w.at(time.Second, func() { w.send("approve", w.hash(0), "bo.lin") })
	w.at(time.Minute, func() { w.resolve("b", "happened", "cy.ma") })
	w.at(70*time.Second, func() { w.resolve("a", "abort", "cy.ma") })
	s := w.run()
	require.Equal(t, workflows.Failed, s.Status)
	require.Equal(t, "execute_action: a: its outcome stays unknown; aborted by cy.ma", s.Reason)
	require.Equal(t, 2, s.Counts.InDoubt)
}
