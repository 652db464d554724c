// Package replay runs recorded histories against this build's workflow code.
package replay

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/workflows"
)

// Read reads a history as `temporal workflow show -o json` writes it.
func Read(in io.Reader) (*historypb.History, error) {
	history, err := client.HistoryFromJSON(in, client.HistoryJSONOptions{})
	if err != nil {
		return nil, fmt.Errorf("not a history of `temporal workflow show -o json`: %w", err)
	}
	if len(history.GetEvents()) == 0 || history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes() == nil {
		return nil, errors.New("the history does not begin with the start of a workflow")
	}
	return history, nil
}

// Run replays a history; an error says where this build would do something
// else. Further interceptors stand inside of the product's own.
func Run(history *historypb.History, inner ...interceptor.WorkerInterceptor) error {
	replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{
		Interceptors: append([]interceptor.WorkerInterceptor{workflows.NewInterceptor()}, inner...),
	})
	if err != nil {
		return err
	}
	workflows.Register(replayer, workflows.DefaultSettings())
	// A run's id decides what it may do, so the replay must have the real one.
	id := history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowId()
	return replayer.ReplayWorkflowHistoryWithOptions(log.NewStructuredLogger(slog.New(slog.DiscardHandler)), history,
		worker.ReplayWorkflowHistoryOptions{OriginalExecution: workflow.Execution{ID: id}})
}
