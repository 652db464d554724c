package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/workflows"
)

func newReplayCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "replay FILE…",
		Short: "Replay saved histories against this build; exit 1 when one does not fit",
		Long: `Replay saved histories against this build, before it meets the runs that wait.

Save a history with

  temporal workflow show --workflow-id RUN -o json > FILE`,
		Args:          cobra.MinimumNArgs(1),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(c *cobra.Command, files []string) error { return replay(files, c.OutOrStdout()) },
	}
}

// replay says of each file whether this build makes the same commands.
func replay(files []string, out io.Writer) error {
	failed := 0
	for _, file := range files {
		if err := replayFile(file); err != nil {
			failed++
			fmt.Fprintf(out, "FAILED  %s: %v\n", file, err)
			continue
		}
		fmt.Fprintf(out, "ok      %s\n", file)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d histories do not replay: this build would break runs like them", failed, len(files))
	}
	return nil
}

func replayFile(file string) error {
	raw, err := os.Open(file)
	if err != nil {
		return err
	}
	defer raw.Close()
	history, err := client.HistoryFromJSON(raw, client.HistoryJSONOptions{})
	if err != nil {
		return err
	}
	replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{
		Interceptors: []interceptor.WorkerInterceptor{workflows.NewInterceptor()},
	})
	if err != nil {
		return err
	}
	workflows.Register(replayer, workflows.DefaultSettings())
	return replayer.ReplayWorkflowHistoryWithOptions(log.NewStructuredLogger(slog.New(slog.DiscardHandler)), history,
		worker.ReplayWorkflowHistoryOptions{OriginalExecution: workflow.Execution{ID: runID(history)}})
}

// runID is the workflow ID that the history was recorded under. The workflow
// acts upon it: a run's id begins with its tenant.
func runID(history *historypb.History) string {
	if len(history.GetEvents()) == 0 {
		return ""
	}
	return history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowId()
}
