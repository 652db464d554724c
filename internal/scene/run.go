package scene

import (
	"context"
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/replay"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// Run is one run of a stage.
type Run struct {
	ID string

	stage      *Stage
	businessID string
	task       workflows.Task
}

// TryStart starts a run, as StartsPlans does, for any goroutine.
func (p *Person) TryStart(plans ...[]Step) (*Run, error) {
	s := p.stage
	r := &Run{stage: s, businessID: fmt.Sprintf("%s-run-%d", s.queue, s.runs.Add(1))}
	s.script.write(r.businessID, plans)
	r.task = workflows.Task{
		Tenant: p.tenant, BusinessID: r.businessID, Goal: "pay what is due", Requester: p.name, Planner: "script",
		Context: []workflows.Source{{Root: "notes"}}, Tools: []workflows.ToolUse{{Tool: ToolName, Target: bankName}},
	}
	r.ID = r.task.RunID()
	_, err := s.client.ExecuteWorkflow(s.t.Context(), client.StartWorkflowOptions{
		ID: r.ID, TaskQueue: s.queue, WorkflowTaskTimeout: 3 * time.Second,
	}, workflows.WorkflowType, r.task)
	return r, err
}

func (r *Run) tenant() string {
	tenant, _, _ := strings.Cut(r.ID, "/")
	return tenant
}

// Look reads the run from outside, also while no worker is there.
func (r *Run) Look() (*runs.Run, error) { return r.stage.reader.Read(r.stage.t.Context(), r.ID) }

// Status is where the run stands now.
func (r *Run) Status() workflows.Status {
	r.stage.t.Helper()
	seen, err := r.Look()
	r.stage.require.NoError(err)
	return seen.Status
}

// Hash is that of the plan that the run has now.
func (r *Run) Hash() plan.Digest {
	r.stage.t.Helper()
	hash := r.Status().PlanHash
	r.stage.require.False(hash.IsZero(), "%s has no plan", r.ID)
	return hash
}

// Until waits until the run's status is as wanted.
func (r *Run) Until(what string, so func(workflows.Status) bool) workflows.Status {
	r.stage.t.Helper()
	var now workflows.Status
	r.stage.Eventually(r.ID+" "+what, func() bool {
		seen, err := r.Look()
		if err != nil {
			return false
		}
		now = seen.Status
		if so(now) {
			return true
		}
		r.stage.require.False(seen.Closed, "%s %s: it ended %s: %s", r.ID, what, now.Status, now.Reason)
		return false
	})
	return now
}

// Waits waits until the run stands at the gate.
func (r *Run) Waits() workflows.Status {
	r.stage.t.Helper()
	return r.Until("waits", waits)
}

func waits(s workflows.Status) bool {
	return s.Status == workflows.WaitingApproval && s.Approval == nil
}

// WaitsFor waits until the run stands at the gate, where these are missing, such
// as "1 of security".
func (r *Run) WaitsFor(missing string) workflows.Status {
	r.stage.t.Helper()
	return r.Until("waits for "+missing, func(s workflows.Status) bool { return waits(s) && s.Missing == missing })
}

// WaitsForNewPlan waits until the run stands at the gate with another plan.
func (r *Run) WaitsForNewPlan(before workflows.Status) workflows.Status {
	r.stage.t.Helper()
	return r.Until("waits with a new plan", func(s workflows.Status) bool { return waits(s) && s.PlanHash != before.PlanHash })
}

// WaitsForAnotherRequest waits until the gate has opened anew.
func (r *Run) WaitsForAnotherRequest(before workflows.Status) workflows.Status {
	r.stage.t.Helper()
	return r.Until("asks again", func(s workflows.Status) bool {
		return waits(s) && s.RequestID != "" && s.RequestID != before.RequestID
	})
}

// WaitsToConfirm waits until an action waits for a word of its own.
func (r *Run) WaitsToConfirm(actionID string) workflows.Status {
	r.stage.t.Helper()
	return r.Until("waits to confirm "+actionID, func(s workflows.Status) bool {
		for _, a := range s.Actions {
			if a.ID == actionID && a.Unconfirmed {
				return s.Status == workflows.WaitingApproval
			}
		}
		return false
	})
}

// Completes waits until the run has ended, as COMPLETED.
func (r *Run) Completes() workflows.Status {
	r.stage.t.Helper()
	return r.ends(workflows.Completed)
}

// IsRejected waits until the run has ended, as REJECTED.
func (r *Run) IsRejected() workflows.Status {
	r.stage.t.Helper()
	return r.ends(workflows.Rejected)
}

// Expires waits until the run has ended, as EXPIRED.
func (r *Run) Expires() workflows.Status {
	r.stage.t.Helper()
	return r.ends(workflows.Expired)
}

// Fails waits until the run has ended, as FAILED.
func (r *Run) Fails() workflows.Status {
	r.stage.t.Helper()
	return r.ends(workflows.Failed)
}

// ends waits for an end, replays the history that led to it, and wants evidence of
// it that fits, see evidenceFits.
func (r *Run) ends(want workflows.RunStatus) workflows.Status {
	r.stage.t.Helper()
	var seen *runs.Run
	r.stage.Eventually(r.ID+" ends", func() bool {
		now, err := r.Look()
		seen = now
		return err == nil && now.Closed
	})
	r.stage.require.Equal(want, seen.Status.Status, "%s: %s", r.ID, seen.Status.Reason)
	r.stage.require.NoError(r.Replay(), "the history of %s replays", r.ID)
	r.evidenceFits()
	return seen.Status
}

// Replay runs the history of the newest execution against this build.
func (r *Run) Replay() error {
	history, err := r.History()
	if err != nil {
		return err
	}
	return replay.Run(history)
}

// Effects wants exactly n payments of this run at the bank.
func (r *Run) Effects(n int) {
	r.stage.t.Helper()
	r.stage.require.Len(r.stage.Bank.EffectsOf(r.ID), n, "payments of %s", r.ID)
}

// TimerFires waits until the last timer that the run has started has fired,
// which needs no worker.
func (r *Run) TimerFires() {
	r.stage.t.Helper()
	r.stage.Eventually("a timer of "+r.ID+" fires", func() bool {
		history, err := r.History()
		if err != nil {
			return false
		}
		var last int64
		fired := map[int64]bool{}
		for _, e := range history.GetEvents() {
			if e.GetTimerStartedEventAttributes() != nil {
				last = e.GetEventId()
			}
			fired[e.GetTimerFiredEventAttributes().GetStartedEventId()] = true
		}
		return last > 0 && fired[last]
	})
}

// PastEveryClock waits until the approval has expired by the clock of every
// attempt in flight, too. An attempt counts its time from the server's hour of
// handing it out, and begins to count when it gets it: its clock is behind by
// the time between, which on this machine no attempt outlives by a second.
func (r *Run) PastEveryClock() {
	r.stage.t.Helper()
	const behind = time.Second
	expires := r.Status().Approval.ExpiresAt
	r.stage.Eventually("the approval of "+r.ID+" has expired by every clock", func() bool { return time.Since(expires) > behind })
}

// Answered waits until as many decisions have been judged, and wants these
// verdicts, in their order.
func (r *Run) Answered(codes ...approvals.Code) {
	r.stage.t.Helper()
	var got []approvals.Code
	r.stage.Eventually(fmt.Sprintf("%s has judged %d decisions", r.ID, len(codes)), func() bool {
		seen, err := r.Look()
		if err != nil {
			return false
		}
		got = nil
		for _, v := range seen.State.Decisions.Recent {
			got = append(got, v.Code)
		}
		return len(got) >= len(codes)
	})
	r.stage.require.Equal(codes, got, "the verdicts of %s", r.ID)
}

// TimesPlanned is how often the planner was asked for this run.
func (r *Run) TimesPlanned() int { return r.stage.script.timesAsked(r.businessID) }

// IsReset starts the run again, by Temporal's own reset, from before its first
// make_plan. What it was told since is told to it again.
func (r *Run) IsReset() {
	r.stage.t.Helper()
	r.isResetTo(func(e *historypb.HistoryEvent) int64 {
		scheduled := e.GetActivityTaskScheduledEventAttributes()
		if scheduled.GetActivityType().GetName() != string(workflows.MakePlan) {
			return 0
		}
		return scheduled.GetWorkflowTaskCompletedEventId()
	}, enumspb.RESET_REAPPLY_EXCLUDE_TYPE_UNSPECIFIED)
}

// IsResetToBeforeSignal takes back the run's nth signal, counted from 1, and all
// that came after it: it is not told to it again.
func (r *Run) IsResetToBeforeSignal(n int) {
	r.stage.t.Helper()
	var completed int64
	r.isResetTo(func(e *historypb.HistoryEvent) int64 {
		if e.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			completed = e.GetEventId()
		}
		if e.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED {
			n--
		}
		if n > 0 {
			return 0
		}
		return completed
	}, enumspb.RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL)
}

// isResetTo resets the run to the first workflow task that to returns.
func (r *Run) isResetTo(to func(*historypb.HistoryEvent) int64, exclude enumspb.ResetReapplyExcludeType) {
	r.stage.t.Helper()
	history, err := r.History()
	r.stage.require.NoError(err)
	var task int64
	for _, e := range history.GetEvents() {
		if task == 0 {
			task = to(e)
		}
	}
	r.stage.require.NotZero(task, "%s has no such event", r.ID)
	request := &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: client.DefaultNamespace, WorkflowExecution: r.execution(), Reason: "a scene", RequestId: fmt.Sprintf("reset-%d", time.Now().UnixNano()),
		WorkflowTaskFinishEventId: task,
	}
	if exclude != enumspb.RESET_REAPPLY_EXCLUDE_TYPE_UNSPECIFIED {
		request.ResetReapplyExcludeTypes = []enumspb.ResetReapplyExcludeType{exclude}
	}
	_, err = r.stage.client.ResetWorkflowExecution(r.stage.t.Context(), request)
	r.stage.require.NoError(err)
}

// IsCanceled asks the run to stop.
func (r *Run) IsCanceled(ctx context.Context) error {
	return r.stage.client.CancelWorkflow(ctx, r.ID, "")
}
