package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// workflowTaskTimeout is how long a killed worker holds a workflow task.
const workflowTaskTimeout = 3 * time.Second

// launch is how a start ended.
type launch struct {
	RunID     string    `json:"run_id"`
	Started   bool      `json:"started"` // false: an equal run was there already
	TaskQueue string    `json:"task_queue"`
	Uploads   []item    `json:"uploads,omitempty"` // what was stored before
	Existing  *runs.Run `json:"-"`
}

// taskQueue is where a run is to be started.
type taskQueue struct {
	name  string
	asked bool // by a flag: the name is not the default
}

// has reports why a run is not attached to: whoever names a queue wants its
// workers, and an execution cannot change its queue.
func (q taskQueue) has(run *runs.Run) error {
	if !q.asked || run.Closed || run.TaskQueue == q.name {
		return nil
	}
	return fmt.Errorf("run %s is there already, on task queue %s and not on %s: name that one with -t, or leave -t out",
		run.ID, run.TaskQueue, q.name)
}

// start starts a run, or attaches to the equal one that is there.
//
//   - no run of that id: started;
//   - any, other input: an error, also with again;
//   - running or completed, equal input: attached; while it runs, an error when
//     another task queue was asked for;
//   - rejected, expired, failed or canceled, equal input: an error that names
//     --again, and with again a new execution. What the one before left in
//     doubt stays so under its key: the new one finds out, or asks a person,
//     before it sends anything.
func start(ctx context.Context, c client.Client, r runs.Reader, task workflows.Task, queue taskQueue, again bool) (launch, error) {
	sum, err := task.Digest()
	if err != nil {
		return launch{}, err
	}
	l := launch{RunID: task.RunID(), TaskQueue: queue.name}
	policy := enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	existing, err := r.Read(ctx, l.RunID)
	switch {
	case errors.Is(err, runs.ErrNotFound):
	case err != nil:
		return l, err
	default:
		attach, err := mayAttach(existing, sum, again)
		if attach || err != nil {
			return l.attached(existing, queue, err)
		}
		policy = reuse(existing.Status.Status)
	}
	_, err = c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: l.RunID, TaskQueue: queue.name,
		WorkflowIDReusePolicy:                    policy,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		WorkflowTaskTimeout:                      workflowTaskTimeout,
		Memo:                                     map[string]any{workflows.TaskDigestMemo: sum.String()},
		TypedSearchAttributes: temporal.NewSearchAttributes(
			temporal.NewSearchAttributeKeyKeyword(workflows.TenantAttribute).ValueSet(task.Tenant),
			temporal.NewSearchAttributeKeyKeyword(workflows.StatusAttribute).ValueSet(string(workflows.Running))),
		StaticSummary: summary(task.Goal),
	}, workflows.WorkflowType, task)
	var already *serviceerror.WorkflowExecutionAlreadyStarted
	switch {
	case errors.As(err, &already):
		// Somebody else was quicker, with this input or another.
		if existing, err = r.Read(ctx, l.RunID); err != nil {
			return l, err
		}
		_, err = mayAttach(existing, sum, false)
		return l.attached(existing, queue, err)
	case err != nil:
		return l, fmt.Errorf("start %s: %w", l.RunID, err)
	}
	l.Started = true
	return l, nil
}

// attached is the launch that attached to a run, unless something keeps it from
// that.
func (l launch) attached(run *runs.Run, queue taskQueue, err error) (launch, error) {
	if err != nil {
		return l, err
	}
	l.Existing, l.TaskQueue = run, run.TaskQueue
	return l, queue.has(run)
}

// reuse is what the server checks when a run that ended so is started once
// more. After a failure it is that nothing has completed under the id since we
// looked, so that of two who start at the same moment the second never repeats
// what the first completed. REJECTED and EXPIRED are completed for the server:
// there nothing is checked, and a run that was started, approved and completed
// between our look and our start, one call later, would be run once more. Its
// plan would hold nothing but actions that are done already.
func reuse(status workflows.RunStatus) enums.WorkflowIdReusePolicy {
	if status == workflows.Failed || status == workflows.Canceled {
		return enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
	}
	return enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
}

// mayAttach decides what a start means for a run that is there: attach to it,
// start it once more, or an error.
func mayAttach(run *runs.Run, input plan.Digest, again bool) (attach bool, err error) {
	status := run.Status.Status
	if run.TaskDigest != input {
		return false, fmt.Errorf("run %s was already started with other input: choose another business id, or start it with the input it has", run.ID)
	}
	if !status.Ended() || status == workflows.Completed {
		return true, nil
	}
	if !again {
		return false, fmt.Errorf("%w\nStart it once more with --again%s", errEnded(run), stillInDoubt(run.Status))
	}
	return false, nil
}

// errEnded says how a run ended that did not complete. Its reason may quote a
// comment of several lines, of which none may look like a line of ours.
func errEnded(run *runs.Run) error {
	return fmt.Errorf("run %s ended %s: %s", run.ID, run.Status.Status, strings.Join(strings.Fields(run.Status.Reason), " "))
}

func summary(goal string) string {
	const limit = 180
	if len(goal) <= limit {
		return goal
	}
	return strings.ToValidUTF8(goal[:limit], "") + "…"
}
