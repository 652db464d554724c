package workflows_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// The server gives a timeout the failure of the attempt before it as cause.
// That attempt surely wrote nothing; the one that timed out may have.
func TestTimeoutAfterAHarmlessFailureIsInDoubt(t *testing.T) {
	err := temporal.GetDefaultFailureConverter().FailureToError(&failurepb.Failure{
		Message: "activity timeout",
		FailureInfo: &failurepb.Failure_TimeoutFailureInfo{TimeoutFailureInfo: &failurepb.TimeoutFailureInfo{
			TimeoutType: enums.TIMEOUT_TYPE_HEARTBEAT,
		}},
		Cause: &failurepb.Failure{
			Message: "refs_locked: nothing was written",
			FailureInfo: &failurepb.Failure_ApplicationFailureInfo{
				ApplicationFailureInfo: &failurepb.ApplicationFailureInfo{Type: "transient"},
			},
		},
	})
	s := workflows.NewState(task())
	made := planOf("plan", actionsNamed("a")...)
	made.Limits = []workflows.ToolLimits{{Tool: "gitpages", Class: "conditional"}}
	s.NewPlan(&made)
	s.ActionBegun(0)
	s.ActionFailed(0, err)
	require.Equal(t, workflows.StepInDoubt, s.Actions[0].Status)
	require.True(t, s.Actions[0].Recoverable, "Git knows what became of it")
	require.Equal(t, "no answer in time (Heartbeat); see the worker's log", s.Actions[0].Error)
}

// A doubt is not forgotten when the run goes back to the gate: rejected there,
// it ends with the action named as in doubt.
func TestDoubtOutlivesANewPlan(t *testing.T) {
	w := newWorld(t, actionsNamed("a", "b")...)
	w.plans[0].Limits = []workflows.ToolLimits{{Tool: "gitpages", Class: plan.Conditional, MaxAttempts: 1}}
	second := actionsNamed("a", "b")
	second[0].InDoubt = true
	w.plans = append(w.plans, planOf("plan 1", second...))
	w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		return workflows.ExecuteActionResult{
			Attempt: 2, Outcome: workflows.OutcomePolicyChanged, Detail: "bo.lin is no approver now", InDoubt: in.ActionID == "a",
		}, nil
	}
	w.at(1e9, func() { w.send("approve", w.hash(0), "bo.lin") })
	w.at(2e9, func() { w.send("reject", w.hash(1), "cy.ma") })
	status := w.run()
	require.Equal(t, workflows.Rejected, status.Status)
	require.Equal(t, 1, status.Counts.InDoubt)
	require.Equal(t, workflows.StepInDoubt, status.Actions[0].Status)
}

// Approved, an action in doubt is carried out: that finds out.
func TestActionInDoubtIsCarriedOutInTheNextRound(t *testing.T) {
	actions := actionsNamed("a")
	actions[0].InDoubt = true
	w := newWorld(t, actions...)
	w.at(1e9, func() { w.send("approve", w.hash(0), "bo.lin") })
	status := w.run()
	require.Equal(t, workflows.Completed, status.Status)
	require.Equal(t, []string{"a"}, w.executed)
	require.Zero(t, status.Counts.InDoubt)
}
