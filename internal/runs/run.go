// Package runs looks at runs from outside: it folds a run's history, and what
// the server says of it now, into the same status that the workflow's own
// query gives. It needs no worker, so it answers also while none runs.
package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// Run is a run as seen from outside.
type Run struct {
	ID        string           // workflow ID
	Task      workflows.Task   // what was asked for
	Status    workflows.Status // where it stands
	State     workflows.State  // with the plan and every kept verdict
	TaskQueue string
	Pollers   int       // workers that polled the task queue lately
	Pending   []Pending // attempts that run or wait now
	Closed    bool
	// TaskDigest is the digest of Task. The memo holds one too, which whoever
	// started the run may have made up.
	TaskDigest plan.Digest
}

// Pending is an activity that has been scheduled and has not ended.
type Pending struct {
	Activity string // activity type, and the action's id
	Attempt  int32
	Failure  string // of the attempt before
	NextAt   time.Time
	// Progress is how far a collect_context is; nil before the server has heard
	// of it.
	Progress *workflows.CollectProgress `json:"progress,omitempty"`
}

// ErrNotFound says that the namespace has no run of that id.
var ErrNotFound = errors.New("no such run")

// Reader reads runs.
type Reader struct {
	Client    client.Client
	Namespace string
}

// Read returns the newest execution of a run.
func (r Reader) Read(ctx context.Context, runID string) (*Run, error) {
	description, err := r.Client.DescribeWorkflow(ctx, runID, "")
	if err != nil {
		return nil, r.explain(runID, err)
	}
	described := description.RawResponse
	info := described.GetWorkflowExecutionInfo()
	run := &Run{
		ID:        runID,
		TaskQueue: described.GetExecutionConfig().GetTaskQueue().GetName(),
		Closed:    info.GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING,
	}
	if info.GetType().GetName() != workflows.WorkflowType {
		return nil, fmt.Errorf("workflow %q is a %s, not a Holdpoint run", runID, info.GetType().GetName())
	}
	f := newFold(runID)
	if err := r.fold(ctx, f, info.GetExecution().GetRunId()); err != nil {
		return nil, err
	}
	run.Task, run.State = f.task, f.state
	if run.TaskDigest, err = f.task.Digest(); err != nil {
		return nil, fmt.Errorf("run %q: %w", runID, err)
	}
	run.Status = f.view()
	run.Pending = f.pending(described.GetPendingActivities())
	if !run.Closed {
		if run.Pollers, err = r.Pollers(ctx, run.TaskQueue); err != nil {
			return nil, err
		}
	}
	return run, nil
}

// fold reads the history of one execution of a run, or of the newest when
// execution is empty.
func (r Reader) fold(ctx context.Context, f *fold, execution string) error {
	events := r.Client.GetWorkflowHistory(ctx, f.runID, execution, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return r.explain(f.runID, err)
		}
		if err := f.event(event); err != nil {
			return fmt.Errorf("history of run %q, event %d: %w", f.runID, event.GetEventId(), err)
		}
	}
	return nil
}

// Pollers counts the workers that have polled the task queue within the last
// 70 seconds: a poll waits a minute on the server, and that of a worker which
// was killed since does too.
func (r Reader) Pollers(ctx context.Context, queue string) (int, error) {
	described, err := r.Client.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return 0, fmt.Errorf("who polls task queue %s: %w", queue, err)
	}
	n := 0
	for _, p := range described.GetPollers() {
		if time.Since(p.GetLastAccessTime().AsTime()) < 70*time.Second {
			n++
		}
	}
	return n, nil
}

func (r Reader) explain(runID string, err error) error {
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return fmt.Errorf("%w: %q in namespace %q", ErrNotFound, runID, r.Namespace)
	}
	return fmt.Errorf("run %q: %w", runID, err)
}
