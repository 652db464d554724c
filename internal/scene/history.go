package scene

import (
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
)

// History is that of the run's newest execution.
func (r *Run) History() (*historypb.History, error) {
	ctx := r.stage.t.Context()
	history := &historypb.History{}
	events := r.stage.client.GetWorkflowHistory(ctx, r.ID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return nil, err
		}
		history.Events = append(history.Events, event)
	}
	return history, nil
}

// Execution is the id of the newest one.
func (r *Run) Execution() string { return r.execution().GetRunId() }

// execution is the newest one.
func (r *Run) execution() *commonpb.WorkflowExecution {
	r.stage.t.Helper()
	described, err := r.stage.client.DescribeWorkflow(r.stage.t.Context(), r.ID, "")
	r.stage.require.NoError(err)
	return &commonpb.WorkflowExecution{WorkflowId: r.ID, RunId: described.WorkflowExecution.RunID}
}
