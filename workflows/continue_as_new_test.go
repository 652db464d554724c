package workflows_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// A flood of decisions makes the waiting run continue as new: with its plan,
// its deadline, its counts, and nothing unjudged.
func TestFloodedGateContinuesAsNew(t *testing.T) {
	carriedTask, carried := newWorld(t, actionsNamed("a")...).flooded(time.Minute)
	require.Equal(t, workflows.WaitingApproval, carried.Status)
	require.Len(t, carried.Decisions.Recent, workflows.MaxVerdicts)
	require.Equal(t, flood, carried.Decisions.Counts[0].Count)

	next := newWorld(t, actionsNamed("a")...)
	next.env.SetStartTime(carried.DecideBy.Add(-30 * time.Minute))
	next.at(time.Minute, func() { next.send("approve", next.hash(0), "bo.lin") })
	next.continues(carriedTask, carried)
	require.NoError(t, next.env.GetWorkflowError())
	var status workflows.Status
	require.NoError(t, next.env.GetWorkflowResult(&status))
	require.Equal(t, workflows.Completed, status.Status)
	require.Empty(t, next.made, "the plan was carried over, not made again")
	require.Equal(t, []string{"a"}, next.executed)
	require.Equal(t, 1, status.Steps[0].Attempts)

	late := newWorld(t, actionsNamed("a")...)
	late.env.SetStartTime(carried.DecideBy.Add(time.Minute))
	late.continues(carriedTask, carried)
	require.NoError(t, late.env.GetWorkflowResult(&status))
	require.Equal(t, workflows.Expired, status.Status, "the deadline is the one that was fixed first")
}

// flood is more than one execution at the gate judges.
const flood = 2000

// flooded starts a run whose gate is flooded some time later, and returns what
// it continues with as new.
func (w *world) flooded(at time.Duration) (of workflows.Task, carried *workflows.State) {
	w.t.Helper()
	for i := range 20 {
		w.at(at+time.Duration(i)*time.Second, func() {
			for range flood / 20 {
				w.sendRaw(`"noise"`)
			}
		})
	}
	w.env.ExecuteWorkflow(workflows.WorkflowType, task(), nil)
	var again *workflow.ContinueAsNewError
	require.ErrorAs(w.t, w.env.GetWorkflowError(), &again)
	require.NoError(w.t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &of, &carried))
	return of, carried
}

// After a continue-as-new, too, a decision that came after the deadline is
// late, although it lies before the new execution's timer in its history.
func TestLateDecisionIsLateAfterContinuingAsNew(t *testing.T) {
	carried := waitingState(t, 0)
	w := newWorld(t, actionsNamed("a")...)
	w.env.SetStartTime(carried.DecideBy.Add(time.Minute))
	w.at(0, func() { w.send("approve", w.hash(0), "bo.lin") })
	w.continues(task(), carried)
	var status workflows.Status
	require.NoError(t, w.env.GetWorkflowResult(&status))
	require.Equal(t, workflows.Expired, status.Status)
	require.Empty(t, w.executed)
	require.Contains(t, status.Decisions.Counts, workflows.CodeCount{Code: approvals.Expired, Count: 1})
}

// A word about one action waits as long as the approval holds, and not only until
// the time to decide, also in front of an execution that continues as new.
func TestWordAboutOneActionIsLateWhenTheApprovalHasEnded(t *testing.T) {
	for name, tc := range map[string]struct {
		after time.Duration // the time to decide, of which the approval lives an hour more
		code  approvals.Code
		end   workflows.RunStatus
	}{
		"before":            {30 * time.Minute, approvals.Accepted, workflows.Completed},
		"when it has ended": {time.Hour, approvals.Expired, workflows.Expired},
	} {
		t.Run(name, func(t *testing.T) {
			carried := waitingState(t, 0)
			s := carried.Resumed(task(), "tenant-a/weekly-2025-w40")
			s.Decisions = workflows.Decisions{}
			s.Request.Terms.Confirm = []string{"a"}
			approved := approvals.Verdict{
				Code: approvals.Accepted, Decision: approvals.Approve, Approver: "bo.lin", PlanHash: s.Plan.PlanHash.String(), At: *s.DecideBy,
			}
			s.Take(&approved)
			s.MarkUnconfirmed()
			w := newWorld(t, actionsNamed("a")...)
			w.env.SetStartTime(s.DecideBy.Add(tc.after))
			w.at(0, func() { w.confirm("approve", "a", "cy.ma") })
			w.continues(task(), s.Carried())
			var status workflows.Status
			require.NoError(t, w.env.GetWorkflowResult(&status))
			require.Equal(t, tc.end, status.Status, status.Reason)
			require.Equal(t, []string{string(tc.code)}, codes(status))
		})
	}
}

// What is carried over fits one event, with the largest plan and hostile
// decisions.
func TestCarriedStateFitsOneEvent(t *testing.T) {
	raw, err := json.Marshal(waitingState(t, plan.MaxActions))
	require.NoError(t, err)
	require.Less(t, len(raw), 256<<10)
}

// So does what a run carries that many people with large keys are asked about,
// half of whom have approved.
func TestCarriedApprovalsFitOneEvent(t *testing.T) {
	s := *waitingState(t, plan.MaxActions)
	s.Request.Terms.Label = strings.Repeat("x", 47<<10) // terms of 48 kB are the largest that request_approval returns
	for i := range 20 {
		s.Gate.Taken = append(s.Gate.Taken, approvals.Taken{
			Approval: approvals.Approval{
				Approver: fmt.Sprintf("%02d%s", i, strings.Repeat("a", 252)), Comment: strings.Repeat("<", 166),
				Proven: approvals.Proven{Proof: approvals.BySignature, Signature: strings.Repeat("s", 1600)}, // of a key of 4,096 bits
			},
			Decision: approvals.Approve,
		})
	}
	raw, err := json.Marshal(s.Carried())
	require.NoError(t, err)
	require.Less(t, len(raw), 256<<10)
}

// waitingState is a run at the gate with so many further actions, or one.
func waitingState(t *testing.T, actions int) *workflows.State {
	t.Helper()
	s := workflows.NewState(task())
	made := planOf("plan 0", actionsNamed("a")...)
	for i := range actions {
		made.Actions = append(made.Actions, workflows.PlannedAction{
			ID: fmt.Sprintf("topic-with-a-name-of-its-own-%d", i), Tool: "gitpages", Key: strings.Repeat("a", 40),
		})
	}
	made.Plan = json.RawMessage(`"` + strings.Repeat("x", 100<<10) + `"`)
	s.NewPlan(&made)
	decideBy := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	s.Status, s.DecideBy = workflows.WaitingApproval, &decideBy
	s.Context = &workflows.CollectContextResult{Attempt: 1}
	s.Request = &workflows.RequestApprovalResult{RequestID: "request-1", Terms: termsOf("bo.lin", "cy.ma", time.Hour, time.Hour)}
	s.OpenGate(task(), "tenant-a/weekly-2025-w40")
	angry := strings.Repeat("<", 4096)
	for range 1000 {
		s.Decisions.Add(approvals.Verdict{Code: approvals.StalePlan, Approver: angry[:254], Comment: angry, Feedback: angry, Reason: angry})
	}
	return s.Carried()
}
