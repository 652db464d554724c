package workflows_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/workflows"
)

func startOptions() client.StartWorkflowOptions {
	return client.StartWorkflowOptions{ID: "tenant-a/weekly-2025-w40", TaskQueue: "test"}
}

func TestApprovedPlanIsCarriedOutInDependencyOrder(t *testing.T) {
	actions := actionsNamed("a", "b", "index", "c")
	actions[2].After = []int{0, 1, 3}
	w := newWorld(t, actions...)
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	status := w.run()

	require.Equal(t, workflows.Completed, status.Status)
	require.ElementsMatch(t, []string{"a", "b", "c"}, w.executed[:3])
	require.Equal(t, "index", w.executed[3])
	require.Equal(t, "bo.lin", status.Approval.Approvals[0].Approver)
	require.Equal(t, time.Hour, status.Approval.ExpiresAt.Sub(status.Approval.ApprovedAt))
	for _, step := range status.Steps {
		require.Equal(t, workflows.StepCompleted, step.Status, step.Name)
		require.Equal(t, 1, step.Attempts, step.Name)
		require.NotEmpty(t, step.IdempotencyKey)
		require.False(t, step.EndedAt.Before(*step.StartedAt))
	}
}

func TestParallelActionsKeepToTheBoundOfThePlan(t *testing.T) {
	var inFlight, most atomic.Int32
	w := newWorld(t, actionsNamed("a", "b", "c", "d", "e", "f", "g", "h")...)
	w.plans[0].Parallel = 2
	w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		now := inFlight.Add(1)
		for {
			if m := most.Load(); now <= m || most.CompareAndSwap(m, now) {
				break
			}
		}
		time.Sleep(20 * time.Millisecond)
		inFlight.Add(-1)
		return done(in), nil
	}
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	require.Equal(t, workflows.Completed, w.run().Status)
	require.Equal(t, int32(2), most.Load())
}

func TestPlanOfDoneActionsNeedsNoApproval(t *testing.T) {
	actions := actionsNamed("a")
	actions[0].DoneRef = "commit-1"
	w := newWorld(t, actions...)
	status := w.run()
	require.Equal(t, workflows.Completed, status.Status)
	require.Empty(t, w.executed)
	require.Equal(t, 1, status.Counts.AlreadyDone)
	require.Equal(t, "commit-1", status.Actions[0].Ref)
}

func TestRejectEndsTheRun(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.at(time.Minute, func() { w.send("reject", w.hash(0), "cy.ma") })
	status := w.run()
	require.Equal(t, workflows.Rejected, status.Status)
	require.Contains(t, status.Reason, "cy.ma")
	require.Empty(t, w.executed)
}

func TestReviseMakesANewPlanAndVoidsTheOldHash(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.plans = append(w.plans, planOf("plan 1", actionsNamed("b")...))
	w.at(time.Minute, func() {
		w.sendRaw(fmt.Sprintf(`{"decision":"revise","plan_hash":%q,"approver":"cy.ma","feedback":"only b"}`, w.hash(0)))
	})
	w.at(2*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	w.at(3*time.Minute, func() { w.send("approve", w.hash(1), "bo.lin") })
	status := w.run()
	require.Equal(t, workflows.Completed, status.Status)
	require.Equal(t, []string{"b"}, w.executed)
	require.Equal(t, []string{"accepted", "stale_plan", "accepted"}, codes(status))
	require.Equal(t, []string{"only b"}, w.made[1].Feedback)
	require.Equal(t, 1, w.made[1].Revision)
	require.NotEqual(t, w.made[0].RequestKey, w.made[1].RequestKey)
}

// One revision more than a run goes back for ends it, with the reason; the one
// before does not.
func TestRunGoesBackToPlanningTenTimes(t *testing.T) {
	for _, revisions := range []int{10, 11} {
		w := newWorld(t, actionsNamed("a")...)
		for n := range revisions {
			w.plans = append(w.plans, planOf(fmt.Sprintf("plan %d", n+1), actionsNamed("a")...))
			w.at(time.Duration(n+1)*time.Minute, func() {
				w.sendRaw(fmt.Sprintf(`{"decision":"revise","plan_hash":%q,"approver":"cy.ma","feedback":"again"}`, w.hash(n)))
			})
		}
		w.at(time.Duration(revisions+1)*time.Minute, func() { w.send("approve", w.hash(revisions), "bo.lin") })
		status := w.run()
		require.Len(t, w.made, 11, "the first plan and ten more")
		if revisions == 10 {
			require.Equal(t, workflows.Completed, status.Status)
			require.Equal(t, []string{"a"}, w.executed)
			continue
		}
		require.Equal(t, workflows.Failed, status.Status)
		require.Contains(t, status.Reason, "the run went back to planning 10 times: ")
		require.Empty(t, w.executed)
	}
}

func TestDriftLeadsBackToTheGateForWhatIsLeft(t *testing.T) {
	w := newWorld(t, actionsNamed("a", "b")...)
	second := actionsNamed("a", "b")
	second[0].DoneRef = "ref-a"
	w.plans = append(w.plans, planOf("plan 1", second...))
	drifted := false
	w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		if in.ActionID == "b" && !drifted {
			drifted = true
			return workflows.ExecuteActionResult{Attempt: 1, Outcome: workflows.OutcomeDrifted, Detail: "page b changed"}, nil
		}
		return done(in), nil
	}
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	w.at(2*time.Minute, func() { w.send("approve", w.hash(1), "bo.lin") })
	status := w.run()
	require.Equal(t, workflows.Completed, status.Status)
	require.Len(t, w.made, 2)
	require.Equal(t, map[string]int{"a": 1, "b": 2}, count(w.executed))
	require.Equal(t, []string{"accepted", "accepted"}, codes(status))
}

func TestRunGoesBackAtMostTenTimes(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.act = func(workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		return workflows.ExecuteActionResult{Attempt: 1, Outcome: workflows.OutcomeDrifted, Detail: "again"}, nil
	}
	for i := range 20 {
		w.at(time.Duration(i+1)*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	}
	status := w.run()
	require.Equal(t, workflows.Failed, status.Status)
	require.Len(t, w.made, 11) // the first plan, and ten more
}

// Nobody decides: the run ends, and not as approved.
func TestUndecidedRunExpires(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.decideWithin = 8 * time.Second
	status := w.run()
	require.Equal(t, workflows.Expired, status.Status)
	require.Empty(t, w.executed)
}

// C001: a string, a number or a list instead of an object is seen, and does
// not switch the expiry off.
func TestC001_WrongShapeDoesNotSwitchTheExpiryOff(t *testing.T) {
	for _, payload := range []string{`"approve"`, `42`, `["approve"]`} {
		t.Run(payload, func(t *testing.T) {
			w := newWorld(t, actionsNamed("a")...)
			w.decideWithin = 8 * time.Second
			w.at(time.Second, func() { w.sendRaw(payload) })
			status := w.run()
			require.Equal(t, workflows.Expired, status.Status)
			require.Equal(t, []string{"malformed"}, codes(status))
			require.Equal(t, 8*time.Second, status.DecideBy.Sub(*status.Steps[2].EndedAt))
			require.Empty(t, w.executed)
		})
	}
}

// C002: null, no input and an empty object never mean approve.
func TestC002_NothingIsNotYes(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.at(1*time.Second, func() { w.sendRaw(`null`) })
	w.at(2*time.Second, func() { w.env.SignalWorkflow(workflows.ApprovalName, nil) })
	w.at(3*time.Second, func() { w.sendRaw(`{}`) })
	w.at(4*time.Second, func() { require.Empty(t, w.executed); w.send("approve", w.hash(0), "bo.lin") })
	status := w.run()
	require.Equal(t, []string{"malformed", "malformed", "malformed", "accepted"}, codes(status))
	require.Equal(t, []string{"a"}, w.executed)
}

// C004: a key twice, or twice but for case, is ambiguous.
func TestC004_AmbiguousKeysAreRefused(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.decideWithin = time.Minute
	for i, form := range []string{
		`{"plan_hash":%q,"decision":"reject","Decision":"approve","approver":"bo.lin"}`,
		`{"plan_hash":%q,"decision":"reject","decision":"approve","approver":"bo.lin"}`,
		`{"PLAN_HASH":%q,"DECISION":"approve","APPROVER":"bo.lin"}`,
	} {
		w.at(time.Duration(i+1)*time.Second, func() { w.sendRaw(fmt.Sprintf(form, w.hash(0))) })
	}
	status := w.run()
	require.Equal(t, workflows.Expired, status.Status)
	require.Equal(t, []string{"malformed", "malformed", "malformed"}, codes(status))
	require.Empty(t, w.executed)
}

// C015: an encoding that is not JSON is malformed, not a stuck workflow task.
func TestOddEncodingIsMalformed(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.at(time.Second, func() {
		w.sendPayload(&commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("binary/protobuf")}, Data: []byte{1, 2, 3}})
	})
	w.at(2*time.Second, func() { w.send("approve", w.hash(0), "bo.lin") })
	status := w.run()
	require.Equal(t, workflows.Completed, status.Status)
	require.Equal(t, []string{"malformed", "accepted"}, codes(status))
}

// C007: two equal approvals are one approval and one duplicate.
func TestC007_SecondEqualApprovalIsADuplicate(t *testing.T) {
	for _, apart := range []time.Duration{0, 2 * time.Second} {
		t.Run(apart.String(), func(t *testing.T) {
			w := newWorld(t, actionsNamed("a")...)
			w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
				time.Sleep(50 * time.Millisecond)
				return done(in), nil
			}
			w.at(time.Minute, func() {
				w.send("approve", w.hash(0), "bo.lin")
				if apart == 0 {
					w.send("approve", w.hash(0), "bo.lin")
				}
			})
			if apart > 0 {
				w.at(time.Minute+time.Millisecond, func() { w.send("approve", w.hash(0), "bo.lin") })
			}
			status := w.run()
			require.Equal(t, workflows.Completed, status.Status)
			require.Equal(t, []string{"accepted", "duplicate"}, codes(status))
			require.Equal(t, "bo.lin", status.Decisions.Recent[1].Approver)
			require.False(t, status.Decisions.Recent[1].At.IsZero())
			require.Equal(t, []string{"a"}, w.executed)
		})
	}
}

// C008: the first valid decision wins; the other is in the record.
func TestC008_FirstValidDecisionWins(t *testing.T) {
	t.Run("approve first", func(t *testing.T) {
		w := newWorld(t, actionsNamed("a")...)
		w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin"); w.send("reject", w.hash(0), "cy.ma") })
		status := w.run()
		require.Equal(t, workflows.Completed, status.Status)
		require.Equal(t, []string{"accepted", "too_late"}, codes(status))
		require.Equal(t, []string{"a"}, w.executed)
	})
	t.Run("reject first", func(t *testing.T) {
		w := newWorld(t, actionsNamed("a")...)
		w.at(time.Minute, func() { w.send("reject", w.hash(0), "cy.ma"); w.send("approve", w.hash(0), "bo.lin") })
		status := w.run()
		require.Equal(t, workflows.Rejected, status.Status)
		require.Equal(t, []string{"accepted", "too_late"}, codes(status))
		require.Empty(t, w.executed)
	})
}

func TestDecisionBeforeThePlanIsAnswered(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.at(0, func() { w.send("approve", w.hash(0), "bo.lin") })
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	status := w.run()
	require.Equal(t, workflows.Completed, status.Status)
	require.Len(t, codes(status), 2)
	require.Equal(t, "accepted", codes(status)[1])
}

// Past expires_at no action begins: what is done is told from what is not.
func TestExpiredApprovalBeginsNothing(t *testing.T) {
	w := newWorld(t, actionsNamed("a", "b")...)
	w.plans[0].Parallel = 1
	w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		if in.ActionID == "b" {
			return workflows.ExecuteActionResult{Attempt: 1, Outcome: workflows.OutcomeExpired, Detail: "expired"}, nil
		}
		return done(in), nil
	}
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	status := w.run()
	require.Equal(t, workflows.Expired, status.Status)
	require.Equal(t, 1, status.Counts.Done)
	require.Equal(t, 1, status.Counts.Pending)
}

// C019: the second action fails; nothing runs the first one again.
func TestC019_FailedActionFailsTheRunAndNamesIt(t *testing.T) {
	fail := func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		if in.ActionID == "b" {
			return workflows.ExecuteActionResult{}, temporal.NewNonRetryableApplicationError("http_400: refused", "permanent", nil,
				workflows.FaultDetails{Class: "permanent", Code: "http_400", Attempt: 1})
		}
		return done(in), nil
	}
	t.Run("stop", func(t *testing.T) {
		w := newWorld(t, actionsNamed("a", "b", "c")...)
		w.plans[0].Parallel, w.act = 1, fail
		w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
		status := w.run()
		require.Equal(t, workflows.Failed, status.Status)
		require.Contains(t, status.Reason, "b: http_400: refused")
		require.Equal(t, []string{"a", "b"}, w.executed)
		require.Equal(t, workflows.StepSkipped, status.Actions[2].Status)
		require.Zero(t, status.Counts.InDoubt)
	})
	t.Run("continue", func(t *testing.T) {
		actions := actionsNamed("a", "b", "c", "d")
		actions[3].After = []int{1}
		w := newWorld(t, actions...)
		w.plans[0].Parallel, w.act = 1, fail
		w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
		in := task()
		in.OnFailure = workflows.Continue
		status := w.runTask(in)
		require.Equal(t, workflows.Failed, status.Status)
		require.Equal(t, []string{"a", "b", "c"}, w.executed)
		require.Equal(t, workflows.StepSkipped, status.Actions[3].Status)
	})
}

// C037: a result that carries neither receipt nor reason is no success.
func TestC037_ResultWithoutReceiptIsAFailure(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.act = func(workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		return workflows.ExecuteActionResult{Attempt: 1, Outcome: "failed"}, nil
	}
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	status := w.run()
	require.Equal(t, workflows.Failed, status.Status)
	require.Contains(t, status.Reason, "execute_action")
}

func TestCancelWaitsForActionsInFlight(t *testing.T) {
	w := newWorld(t, actionsNamed("a", "b")...)
	w.plans[0].Parallel = 1
	w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		w.env.CancelWorkflow()
		time.Sleep(20 * time.Millisecond)
		return done(in), nil
	}
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	status := w.run()
	require.Equal(t, workflows.Canceled, status.Status)
	require.Equal(t, []string{"a"}, w.executed)
	require.Equal(t, 1, status.Counts.Done)
	require.Equal(t, 1, status.Counts.Skipped)
}

func TestCancelAtTheGate(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.at(time.Minute, w.env.CancelWorkflow)
	status := w.run()
	require.Equal(t, workflows.Canceled, status.Status)
	require.Empty(t, w.executed)
}

func TestFailedStepFailsTheRun(t *testing.T) {
	w := newWorld(t)
	w.collect = temporal.NewNonRetryableApplicationError("empty_source: notes holds no document", "permanent", nil)
	status := w.run()
	require.Equal(t, workflows.Failed, status.Status)
	require.Equal(t, "collect_context: empty_source: notes holds no document", status.Reason)
	require.Equal(t, workflows.StepFailed, status.Steps[0].Status)
	require.Empty(t, w.made)
}

func TestBadTaskIsRefused(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	in := task()
	in.Tools = nil
	w.env.ExecuteWorkflow(workflows.WorkflowType, in, nil)
	require.ErrorContains(t, w.env.GetWorkflowError(), "tools: name at least one")
}

func count(names []string) map[string]int {
	counts := map[string]int{}
	for _, n := range names {
		counts[n]++
	}
	return counts
}
