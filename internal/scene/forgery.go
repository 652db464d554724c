package scene

import (
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/workflows"
)

// Chain is a way in which the server starts a workflow again by itself, with the
// input of whoever started the first.
type Chain func(*client.StartWorkflowOptions)

// ByCron starts it every second.
func ByCron(o *client.StartWorkflowOptions) { o.CronSchedule = "@every 1s" }

// ByRetry starts it once more whenever it has not ended after two seconds.
func ByRetry(o *client.StartWorkflowOptions) {
	o.WorkflowRunTimeout = 2 * time.Second
	o.RetryPolicy = &temporal.RetryPolicy{InitialInterval: time.Millisecond, BackoffCoefficient: 1}
}

// IsTerminated ends the run at once, as an operator may.
func (r *Run) IsTerminated() {
	r.stage.t.Helper()
	r.stage.require.NoError(r.stage.client.TerminateWorkflow(r.stage.t.Context(), r.ID, "", "a scene"))
}

// IsForged starts the run once more, under its own id, with a state that somebody
// has written, in a chain.
func (r *Run) IsForged(state *workflows.State, chain Chain) {
	r.stage.t.Helper()
	options := client.StartWorkflowOptions{ID: r.ID, TaskQueue: r.stage.queue, WorkflowTaskTimeout: 3 * time.Second}
	chain(&options)
	_, err := r.stage.client.ExecuteWorkflow(r.stage.t.Context(), options, workflows.WorkflowType, r.task, state)
	r.stage.require.NoError(err)
}

// ExecutionAfter waits until the server has begun another execution of the run
// than this one, and returns its id.
func (r *Run) ExecutionAfter(execution string) (next string) {
	r.stage.t.Helper()
	r.stage.Eventually(r.ID+" is started again", func() bool {
		next = r.Execution()
		return next != execution
	})
	return next
}

// Failure waits until one execution of the run has ended, and returns what the
// server wrote down that it failed with; "" when it did not. One that ran out of
// time before a worker came to it says nothing: the one after it is asked.
func (r *Run) Failure(execution string) string {
	r.stage.t.Helper()
	ctx := r.stage.t.Context()
	last := r.stage.client.GetWorkflowHistory(ctx, r.ID, execution, true, enums.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT)
	event, err := last.Next()
	r.stage.require.NoError(err)
	if next := event.GetWorkflowExecutionTimedOutEventAttributes().GetNewExecutionRunId(); next != "" {
		return r.Failure(next)
	}
	if failed := event.GetWorkflowExecutionFailedEventAttributes(); failed != nil {
		return failed.GetFailure().GetMessage()
	}
	again := event.GetWorkflowExecutionContinuedAsNewEventAttributes() // of a cron schedule
	return again.GetFailure().GetMessage()                             //nolint:staticcheck // the server still says it here alone
}
