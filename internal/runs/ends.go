package runs

import (
	"errors"
	"fmt"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"

	"github.com/holdpoint/holdpoint/workflows"
)

// errCut is what an action in flight knows of the end of its run: nothing. So
// it is in doubt.
var errCut = errors.New("the run was ended while this action was in flight")

// closed reads how the execution ended. A run has its result in every end
// that the workflow itself came to.
func (f *fold) closed(e *historypb.HistoryEvent) error {
	at := e.GetEventTime().AsTime()
	switch e.GetEventType() {
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
		return f.ended(e.GetWorkflowExecutionCompletedEventAttributes().GetResult())
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
		return f.ended(e.GetWorkflowExecutionCanceledEventAttributes().GetDetails())
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED:
		failure := e.GetWorkflowExecutionFailedEventAttributes().GetFailure()
		if details := failure.GetApplicationFailureInfo().GetDetails(); details != nil {
			return f.ended(details)
		}
		f.cut(failure.GetMessage(), at)
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED:
		ended := e.GetWorkflowExecutionTerminatedEventAttributes()
		f.cut("terminated by "+terminator(ended.GetIdentity())+": "+ended.GetReason(), at)
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT:
		f.cut("the workflow's own time limit ended it", at)
	}
	return nil
}

// terminator names who ended a workflow. The server itself does so to one whose
// history has grown beyond its limits.
func terminator(identity string) string {
	if identity == "history-service" {
		return "the Temporal server"
	}
	return "an operator"
}

func (f *fold) ended(payloads *commonpb.Payloads) error {
	var result workflows.Status
	if err := decode(payloads, &result); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	if result.Status == "" {
		return errors.New("the result holds no status")
	}
	f.result = &result
	return nil
}

// cut is an end that the workflow did not come to by itself, and so did not
// wait for what was in flight.
func (f *fold) cut(reason string, at time.Time) {
	f.state.Status, f.state.Reason = workflows.Failed, reason
	for i := range f.state.Actions {
		if f.state.Actions[i].Status == workflows.StepRunning {
			f.state.ActionFailed(i, errCut)
		}
	}
	for _, step := range f.state.Steps {
		if step.Status == workflows.StepRunning {
			f.state.Fail(step.Name, reason, 0, at)
		}
	}
}
