package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"

	"github.com/holdpoint/holdpoint/workflows"
)

// Execution is one workflow execution of a run, with its whole history.
type Execution struct {
	RunID   string // the execution's, as Temporal names it
	History *historypb.History
}

// Chain returns the executions of a run, the oldest first: the given one, or
// the newest when execution is empty, and all those that it continued. It is an
// error when the server does not have one of them any more.
func (r Reader) Chain(ctx context.Context, runID, execution string) ([]Execution, error) {
	description, err := r.Client.DescribeWorkflow(ctx, runID, execution)
	if err != nil {
		return nil, r.explain(runID, err)
	}
	info := description.RawResponse.GetWorkflowExecutionInfo()
	if info.GetType().GetName() != workflows.WorkflowType {
		return nil, fmt.Errorf("workflow %q is a %s, not a Holdpoint run", runID, info.GetType().GetName())
	}
	var chain []Execution
	for next := info.GetExecution().GetRunId(); next != ""; {
		history, err := r.history(ctx, runID, next)
		if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
			return nil, fmt.Errorf("run %q: the server has the history of execution %s no more: a namespace keeps it for its retention period after the end",
				runID, next)
		}
		if err != nil {
			return nil, r.explain(runID, err)
		}
		chain = append(chain, Execution{RunID: next, History: history})
		next = history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId()
	}
	slices.Reverse(chain)
	return chain, nil
}

func (r Reader) history(ctx context.Context, runID, execution string) (*historypb.History, error) {
	history := &historypb.History{}
	events := r.Client.GetWorkflowHistory(ctx, runID, execution, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return nil, err
		}
		history.Events = append(history.Events, event)
	}
	if len(history.GetEvents()) == 0 {
		return nil, fmt.Errorf("the history of execution %s is empty", execution)
	}
	return history, nil
}

// StatusOf folds one execution's history into the status of its run.
func StatusOf(runID string, history *historypb.History) (workflows.Status, error) {
	f := newFold(runID)
	for _, event := range history.GetEvents() {
		if err := f.event(event); err != nil {
			return workflows.Status{}, fmt.Errorf("event %d: %w", event.GetEventId(), err)
		}
	}
	return f.view(), nil
}
