package workflows

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// execution carries out the actions of an approved plan: in dependency order,
// independent ones side by side up to the plan's bound, started in plan order.
type execution struct {
	*agentRun
	begun    []bool // by the action's place: begun in this round
	inFlight int
	landed   int // how many have come back, whatever their outcome

	// Why no further action is begun. Those in flight are waited for.
	canceled bool
	expired  bool
	replan   string // the reason for a new plan
	failed   string // the failure that stops the run
}

// execute runs the actions and says where the run goes next.
func (r *agentRun) execute(ctx workflow.Context) (turn, error) {
	r.state.Begin(ExecuteAction, r.task, now(ctx))
	r.setStatus(ctx, Running, "")
	x := &execution{agentRun: r, begun: make([]bool, len(r.state.Actions))}
	// In-flight actions outlive a cancellation: their outcome must be known.
	work := disconnected(ctx)
	for {
		x.canceled = ctx.Err() != nil
		x.launch(work)
		if x.inFlight == 0 {
			return x.finish(ctx)
		}
		landed := x.landed
		err := workflow.Await(work, func() bool {
			return x.landed > landed || ctx.Err() != nil && !x.canceled
		})
		if err != nil {
			return stop, err
		}
	}
}

func (x *execution) stopping() bool {
	return x.canceled || x.expired || x.replan != "" || x.failed != "" && x.task.OnFailure == Stop
}

// launch begins every action that may begin now.
func (x *execution) launch(ctx workflow.Context) {
	for i := range x.state.Actions {
		if x.inFlight >= x.state.Plan.Parallel {
			return
		}
		if !x.left(i) || !x.ready(i) {
			continue
		}
		if !x.stopping() && !workflow.Now(ctx).Before(x.state.Grant.ExpiresAt) {
			x.expired = true
		}
		if x.stopping() {
			return
		}
		x.begun[i] = true
		x.state.ActionBegun(i)
		x.inFlight++
		workflow.GoNamed(ctx, x.state.Actions[i].ID, func(ctx workflow.Context) {
			x.one(ctx, i)
			x.inFlight--
			x.landed++
		})
	}
}

// left reports whether an action is to be begun: it has not been done, or is
// in doubt since before this round, and has not been begun in it.
func (x *execution) left(i int) bool {
	status := x.state.Actions[i].Status
	return !x.begun[i] && (status == StepPending || status == StepInDoubt)
}

func (x *execution) ready(i int) bool {
	for _, j := range x.state.Plan.Actions[i].After {
		if x.state.Actions[j].Status != StepCompleted {
			return false
		}
	}
	return true
}

// one carries out one action and records what became of it.
func (x *execution) one(ctx workflow.Context, i int) {
	planned := x.state.Plan.Actions[i]
	var out ExecuteActionResult
	err := workflow.ExecuteActivity(x.actionContext(ctx, planned), string(ExecuteAction), ExecuteActionInput{
		RunID: x.runID, Tenant: x.task.Tenant, Requester: x.task.Requester,
		PlanHash: x.state.Plan.PlanHash, Blob: x.state.Plan.Blob,
		ActionID: planned.ID, Key: planned.Key, Grant: x.state.Grant.WithoutComments(),
	}).Get(ctx, &out)
	if err != nil {
		x.state.ActionFailed(i, err)
	} else {
		x.state.ActionEnded(i, out)
	}
	switch row := x.state.Actions[i]; {
	case row.Error != "" && x.failed == "":
		x.failed = row.ID + ": " + row.Error
	case out.Outcome == OutcomeExpired:
		x.expired = true
	case out.Outcome == OutcomeDrifted, out.Outcome == OutcomePolicyChanged:
		x.replan = x.state.Reason
	}
}

// finish says how the execution ends, the gravest first.
func (x *execution) finish(ctx workflow.Context) (turn, error) {
	counts := countActions(x.state.Actions)
	switch {
	case x.failed != "":
		x.skipRest()
		return stop, x.stepFailed(ctx, ExecuteAction, errors.New(x.failed))
	case x.canceled:
		x.state.Fail(ExecuteAction, "canceled", 0, now(ctx))
		return stop, temporal.NewCanceledError()
	case x.expired:
		x.state.Fail(ExecuteAction, "the approval expired", 0, now(ctx))
		x.state.Status = Expired
		x.state.Reason = "the approval expired at " + x.state.Grant.ExpiresAt.Format(time.RFC3339) + " before every action was done"
		return stop, nil
	case x.replan != "":
		x.state.Reason = x.replan
		return replan, nil
	case counts.Done < counts.Total:
		return stop, x.stepFailed(ctx, ExecuteAction, errors.New("actions are left that nothing can begin"))
	default:
		x.complete(ctx, ExecuteAction, x.state.Step(ExecuteAction).Attempts)
		return summarize, nil
	}
}

// skipRest marks what a failure kept from beginning.
func (x *execution) skipRest() {
	for i := range x.state.Actions {
		if x.state.Actions[i].Status == StepPending {
			x.state.Actions[i].Status = StepSkipped
		}
	}
}
