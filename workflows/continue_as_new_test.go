package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/workflows"
)

// A flood of decisions makes the waiting run continue as new: with its plan,
// its deadline, its counts, and nothing unjudged.
func TestFloodedGateContinuesAsNew(t *testing.T) {
	const flood = 2000
	w := newWorld(t, actionsNamed("a")...)
	for i := range 20 {
		w.at(time.Minute+time.Duration(i)*time.Second, func() {
			for range flood / 20 {
				w.sendRaw(`"noise"`)
			}
		})
	}
	w.env.ExecuteWorkflow(workflows.WorkflowType, task(), nil)
	var again *workflow.ContinueAsNewError
	require.ErrorAs(t, w.env.GetWorkflowError(), &again)
	var carriedTask workflows.Task
	var carried *workflows.State
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &carriedTask, &carried))
	require.Equal(t, workflows.WaitingApproval, carried.Status)
	require.Len(t, carried.Decisions.Recent, workflows.MaxVerdicts)
	require.Equal(t, flood, carried.Decisions.Counts[0].Count)

	next := newWorld(t, actionsNamed("a")...)
	next.env.SetStartTime(carried.DecideBy.Add(-30 * time.Minute))
	next.at(time.Minute, func() { next.send("approve", next.hash(0), "bo.lin") })
	next.env.ExecuteWorkflow(workflows.WorkflowType, carriedTask, carried)
	require.NoError(t, next.env.GetWorkflowError())
	var status workflows.Status
	require.NoError(t, next.env.GetWorkflowResult(&status))
	require.Equal(t, workflows.Completed, status.Status)
	require.Empty(t, next.made, "the plan was carried over, not made again")
	require.Equal(t, []string{"a"}, next.executed)
	require.Equal(t, 1, status.Steps[0].Attempts)

	late := newWorld(t, actionsNamed("a")...)
	late.env.SetStartTime(carried.DecideBy.Add(time.Minute))
	late.env.ExecuteWorkflow(workflows.WorkflowType, carriedTask, carried)
	require.NoError(t, late.env.GetWorkflowResult(&status))
	require.Equal(t, workflows.Expired, status.Status, "the deadline is the one that was fixed first")
}
