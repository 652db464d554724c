package scene

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/devserver/devtest"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// Hears sends something to the run, which need not be a decision at all. The
// answer is its verdict, when a worker is there to give one.
func (r *Run) Hears(way Way, said any) Answer {
	r.stage.t.Helper()
	if way == Update || way == CLIUpdate {
		if r.stage.worker == nil {
			r.stage.require.Fail("an update needs a worker")
		}
		return r.updated(way, said)
	}
	before := r.judged()
	r.stage.require.NoError(r.signals(way, said))
	if r.stage.worker == nil {
		return Answer{run: r}
	}
	var seen *runs.Run
	r.stage.Eventually(r.ID+" judges what it heard", func() bool {
		now, err := r.Look()
		seen = now
		return err == nil && count(now.Status.Decisions) > before
	})
	recent := seen.State.Decisions.Recent
	return Answer{run: r, heard: true, Verdict: recent[len(recent)-1]}
}

// judged is how many decisions have been judged so far.
func (r *Run) judged() int {
	r.stage.t.Helper()
	return count(r.Status().Decisions)
}

func count(d workflows.Decisions) int {
	n := 0
	for _, c := range d.Counts {
		n += c.Count
	}
	return n
}

func (r *Run) updated(way Way, said any) Answer {
	r.stage.t.Helper()
	a := Answer{run: r, heard: true}
	var err error
	if way == CLIUpdate {
		a.Verdict, err = r.updateByCLI(said)
	} else {
		a.Verdict, err = r.TryUpdate(r.stage.t.Context(), workflows.ApprovalName, said)
	}
	r.stage.require.NoError(err)
	return a
}

// TryUpdate sends an update of that name and returns its verdict, for any
// goroutine. What the run does not even admit is a verdict too: malformed.
func (r *Run) TryUpdate(ctx context.Context, name string, said any) (approvals.Verdict, error) {
	var v approvals.Verdict
	handle, err := r.stage.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: r.ID, UpdateName: name, Args: []any{said}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err != nil {
		return v, err
	}
	err = handle.Get(ctx, &v)
	if refused, ok := errors.AsType[*temporal.ApplicationError](err); ok && refused.Type() == string(approvals.Malformed) {
		return approvals.Verdict{Code: approvals.Malformed, Reason: refused.Message()}, nil
	}
	return v, err
}

// TrySignal sends a signal of that name, for any goroutine.
func (r *Run) TrySignal(ctx context.Context, name string, said any) error {
	return r.stage.client.SignalWorkflow(ctx, r.ID, "", name, said)
}

// Payload is a signal's or update's input as it stands, in whatever encoding.
func Payload(encoding string, data []byte) any {
	return converter.NewRawValue(&commonpb.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encoding)}, Data: data})
}

func (r *Run) signals(way Way, said any) error {
	if way == Signal {
		return r.TrySignal(r.stage.t.Context(), workflows.ApprovalName, said)
	}
	_, err := r.command("signal", said)
	return err
}

func (r *Run) updateByCLI(said any) (approvals.Verdict, error) {
	var answer struct {
		Result approvals.Verdict `json:"result"`
	}
	out, err := r.command("update execute", said, "-o", "json")
	if err != nil {
		return answer.Result, err
	}
	err = json.Unmarshal(out, &answer)
	return answer.Result, err
}

// command runs the plain temporal command.
func (r *Run) command(what string, said any, more ...string) ([]byte, error) {
	input, err := json.Marshal(said)
	if err != nil {
		return nil, err
	}
	args := append([]string{"workflow"}, strings.Fields(what)...)
	args = append(args, "--address", r.stage.server.Address(), "--workflow-id", r.ID, "--name", workflows.ApprovalName, "--input", string(input))
	cmd := exec.CommandContext(r.stage.t.Context(), devtest.CLI(r.stage.t), append(args, more...)...)
	// No profile of whoever runs the test.
	cmd.Env = append(os.Environ(), "TEMPORAL_CONFIG_FILE="+filepath.Join(r.stage.data, "no-profile.toml"))
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("temporal workflow %s: %s", what, exit.Stderr)
	}
	return out, err
}
