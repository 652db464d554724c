package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Settings are time limits that may differ from one deploy to the next: they
// change no command of a recorded history. What must not change while a run
// waits is fixed in the history when the plan is made.
type Settings struct {
	// HeartbeatTimeout is after how long without a heartbeat the server gives
	// an activity to another worker.
	HeartbeatTimeout time.Duration
	// StepTimeout bounds one attempt of make_plan, request_approval and summarize.
	StepTimeout time.Duration
	// CollectTimeout bounds one attempt of collect_context. A collection is as long
	// as what it reads, and heartbeats meanwhile: this ends only one that hangs.
	CollectTimeout time.Duration
	// PlanTimeout bounds one attempt of make_plan instead, where a planner has to
	// wait for others; 0 is StepTimeout.
	PlanTimeout time.Duration
	// PlanQueues names, for a planner whose calls are limited over all workers,
	// the task queue on which its make_plan is handed out, at the queue's rate. A
	// planner that is not in it plans on the run's own queue.
	PlanQueues map[string]string
}

// DefaultSettings recover from a killed worker within five seconds.
func DefaultSettings() Settings {
	return Settings{
		HeartbeatTimeout: 2 * time.Second,
		StepTimeout:      10 * time.Minute,
		CollectTimeout:   12 * time.Hour,
	}
}

// stepAttempts bounds the attempts at a step for which no worker does: those that
// never reach the code that counts, such as of an input that cannot be decoded. At
// a wait of five seconds they take six days. What an outage costs, how many faults
// of its own a step has, and how many workers may die of it, the activity counts.
const stepAttempts int32 = 100_000

// stepContext holds the limits of a step that writes to no external system. Its
// whole time is not bounded: the time without any worker would count, and a night
// without one must change nothing.
func (r *agentRun) stepContext(ctx workflow.Context, name StepName) workflow.Context {
	s := r.settings
	timeout := s.StepTimeout
	switch {
	case name == CollectContext:
		timeout = s.CollectTimeout
	case name == MakePlan && s.PlanTimeout > 0:
		timeout = s.PlanTimeout
	}
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: timeout,
		HeartbeatTimeout:    s.HeartbeatTimeout,
		RetryPolicy:         retryPolicy(stepAttempts),
		Summary:             string(name) + " for " + plan.Clip(plan.Escape(r.task.BusinessID), 100),
	})
}

// planContext holds the limits of make_plan, and the queue of the task's planner.
func (r *agentRun) planContext(ctx workflow.Context) workflow.Context {
	ctx = r.stepContext(ctx, MakePlan)
	if queue := r.settings.PlanQueues[r.task.Planner]; queue != "" {
		ctx = workflow.WithTaskQueue(ctx, queue)
	}
	return ctx
}

// limits are those of a tool, as it declared them when the plan was made.
func (p *MakePlanResult) limits(tool string) ToolLimits {
	for _, l := range p.Limits {
		if l.Tool == tool {
			return l
		}
	}
	return ToolLimits{Tool: tool, CallTimeout: time.Minute, MaxAttempts: 10}
}

// queueTime is how long an attempt may wait, within a worker, for its turn
// under the tool's limits, and for an earlier attempt's call to end. It adds to
// the server's time limit alone: a call is stopped by its own.
const queueTime = 10 * time.Minute

// actionContext holds the limits that the action's tool declared when the
// plan was made. Past the approval's expiry no attempt begins, so the server
// may give up a call's time after it; before, an outage of all workers only
// makes the action wait.
func (r *agentRun) actionContext(ctx workflow.Context, a PlannedAction) workflow.Context {
	limits := r.state.Plan.limits(a.Tool)
	attempt := limits.CallTimeout + queueTime
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout:    attempt,
		ScheduleToCloseTimeout: max(r.state.Grant.ExpiresAt.Sub(workflow.Now(ctx)), 0) + 2*attempt,
		HeartbeatTimeout:       r.settings.HeartbeatTimeout,
		RetryPolicy:            retryPolicy(0), // the activity counts, see ExecuteActionInput
		Summary:                a.Tool + ": " + a.ID,
	})
}

// settleContext holds the limits of a look at the ledger, which may have to
// wait until nothing is under way any more. A word of a person is not lost
// because the ledger is away: attempts are not bounded.
func (r *agentRun) settleContext(ctx workflow.Context, a PlannedAction) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 2 * queueTime,
		HeartbeatTimeout:    r.settings.HeartbeatTimeout,
		RetryPolicy:         retryPolicy(0),
		Summary:             "what became of " + a.ID,
	})
}

// retryPolicy bounds the attempts. The delays between them come from the
// activity, which knows the error; these hold when a worker died without a
// word.
func retryPolicy(attempts int32) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{
		InitialInterval:    200 * time.Millisecond,
		BackoffCoefficient: 2,
		MaximumInterval:    5 * time.Second,
		MaximumAttempts:    attempts,
	}
}
