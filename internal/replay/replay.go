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

	"github.com/holdpoint/holdpoint/internal/regularfile"
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

// ReadFile is Read of a regular file of at most maxFileBytes; its error names the
// path. It waits for nobody: see package regularfile.
func ReadFile(path string) (history *historypb.History, err error) {
	file, err := regularfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("%s has %d bytes, and a saved history at most %d", path, info.Size(), int64(maxFileBytes))
	}
	if history, err = Read(io.LimitReader(file, maxFileBytes)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return history, nil
}

// maxFileBytes bounds a saved history. A server ends a run whose history has 50 MB
// (limit.historySize.error); as JSON it is several times as large, because what is
// binary is base64 and every field has its name.
const maxFileBytes = 256 << 20

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
