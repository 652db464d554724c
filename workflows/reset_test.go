package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// A state is what a run says of itself. Whoever can start a workflow could write
// one in which he was approved.
func TestForgedStateIsRefused(t *testing.T) {
	carriedTask, carried := newWorld(t, actionsNamed("a")...).flooded(time.Minute)
	w := newWorld(t, actionsNamed("a")...)
	w.env.ExecuteWorkflow(workflows.WorkflowType, carriedTask, carried)
	require.ErrorContains(t, w.env.GetWorkflowError(), "start a run with its task alone")
	require.Empty(t, w.executed)
}

// The execution that continues another takes over what was asked there; the reset
// of either is another execution.
func TestRequestGoesOnWithTheRunAndNotWithItsReset(t *testing.T) {
	const another = "the execution before a reset"
	carriedTask, carried := newWorld(t, actionsNamed("a")...).flooded(time.Minute)
	carried.Request.Execution = ""
	for name, tc := range map[string]struct {
		openedIn string
		asked    int // how often, in the execution that continues
	}{
		"recorded before executions were": {"", 0},
		"continued":                       {"continued", 0},
		"reset before it was continued":   {another, 1},
	} {
		t.Run(name, func(t *testing.T) {
			state := *carried
			request := *carried.Request
			request.Execution = tc.openedIn
			state.Request = &request
			w := newWorld(t, actionsNamed("a")...)
			w.env.SetStartTime(carried.DecideBy.Add(-30 * time.Minute))
			w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
			w.at(2*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
			w.continues(carriedTask, &state)
			require.NoError(t, w.env.GetWorkflowError())
			var status workflows.Status
			require.NoError(t, w.env.GetWorkflowResult(&status))
			require.Equal(t, workflows.Completed, status.Status)
			require.Equal(t, tc.asked, w.requests)
			anew := 0
			for _, code := range codes(status) {
				if code == string(approvals.AskedAnew) {
					anew++
				}
			}
			require.Equal(t, tc.asked, anew)
			require.Equal(t, []string{"a"}, w.executed)
		})
	}
}
