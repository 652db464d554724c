package workflows

import (
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
)

// MaxReturns bounds how often a run goes back to make_plan: for a revision an
// approver asked for, a target that changed, or a policy that did. Once more ends
// the run as FAILED.
const MaxReturns = 10

// AgentRun carries a task through the five steps and stops at the hold point
// until the plan is approved. See the package's documentation for the states.
//
// carried is nil for a new run; a run that continues as new passes its state.
// The result is the last Status; a run that failed or was canceled has it in the
// details of its error.
func AgentRun(ctx workflow.Context, settings Settings, task Task, carried *State) (*Status, error) {
	r, err := setup(ctx, settings, task, carried)
	if err != nil {
		return nil, err
	}
	return r.run(ctx)
}

// agentRun is one execution of AgentRun.
type agentRun struct {
	task     Task
	runID    string
	settings Settings
	state    State
	inbox    *inbox
	carried  bool      // this execution begins where the one before it waited
	shown    RunStatus // the status last shown outside
	notices  int       // those that are on their way, or wait for their turn
	sending  int       // those that are on their way
}

func setup(ctx workflow.Context, settings Settings, task Task, carried *State) (*agentRun, error) {
	task = task.WithDefaults()
	runID := workflow.GetInfo(ctx).WorkflowExecution.ID
	if err := task.Validate(); err != nil {
		return nil, badTask(err)
	}
	if err := carried.checkOrigin(workflow.GetInfo(ctx)); err != nil {
		return nil, badTask(err)
	}
	if err := checkRunID(ctx, task, carried != nil); err != nil {
		return nil, badTask(err)
	}
	r := &agentRun{task: task, runID: runID, settings: settings, inbox: inboxOf(ctx), state: NewState(task)}
	if carried != nil {
		r.state, r.carried = carried.Resumed(task, runID), true
		if carried.Grant != nil {
			r.inbox.closeAt(carried.Grant.ExpiresAt)
		} else {
			r.inbox.closeAt(*carried.DecideBy)
		}
	}
	r.state.isExecution(workflow.GetInfo(ctx))
	if err := r.handle(ctx); err != nil {
		return nil, err
	}
	workflow.GoNamed(disconnected(ctx), "judge", r.judgeForever)
	r.notifyAgain(ctx)
	return r, nil
}

func badTask(err error) error {
	return temporal.NewNonRetryableApplicationError("bad task: "+err.Error(), "bad_task", nil)
}

// run is the five steps in reading order. It comes back to make_plan when the
// gate or the execution says so.
func (r *agentRun) run(ctx workflow.Context) (*Status, error) {
	if !r.carried {
		r.setStatus(ctx, Running, "")
		if err := r.collectContext(ctx); err != nil {
			return r.endByError(ctx, err)
		}
	}
	for {
		next, err := r.planAndDecide(ctx)
		if err != nil {
			return r.endByError(ctx, err)
		}
		if next == execute {
			if next, err = r.execute(ctx); err != nil {
				return r.endByError(ctx, err)
			}
		}
		switch next {
		case execute: // has just been done, and names what follows
		case replan:
			if r.state.Returns++; r.state.Returns > MaxReturns {
				return r.end(ctx, Failed, fmt.Sprintf("the run went back to planning %d times: %s", MaxReturns, r.state.Reason))
			}
			r.state.Revision++
		case summarize:
			if err := r.summarize(ctx); err != nil {
				return r.endByError(ctx, err)
			}
			return r.end(ctx, Completed, "")
		case stop:
			return r.end(ctx, r.state.Status, r.state.Reason)
		}
	}
}

// turn is where a run goes next.
type turn int

const (
	stop      turn = iota // the state says which end it is
	replan                // back to make_plan, for what is left
	execute               // approved
	summarize             // nothing is left to do
)

// planAndDecide goes from a collected context to a decision about a plan.
func (r *agentRun) planAndDecide(ctx workflow.Context) (turn, error) {
	if r.carried && r.state.Grant != nil {
		r.carried = false
		return execute, nil
	}
	if !r.carried {
		r.state.Gate = approvals.Request{RunID: r.runID, Requester: r.task.Requester}
		r.setStatus(ctx, Running, r.state.Reason)
		if err := r.makePlan(ctx); err != nil {
			return stop, err
		}
		if counts := countActions(r.state.Actions); counts.Done == counts.Total {
			r.state.Skip(RequestApproval)
			r.state.Skip(ExecuteAction)
			r.state.Reason = "every action of the plan was done before; nothing to approve"
			return summarize, nil
		}
		if err := r.requestApproval(ctx); err != nil {
			return stop, err
		}
	}
	r.carried = false
	return r.decide(ctx)
}

func (r *agentRun) collectContext(ctx workflow.Context) error {
	r.state.Begin(CollectContext, r.task, now(ctx))
	var out CollectContextResult
	err := workflow.ExecuteActivity(
		r.stepContext(ctx, CollectContext), string(CollectContext),
		CollectContextInput{RunID: r.runID, Task: r.task, Key: r.state.Step(CollectContext).IdempotencyKey},
	).Get(ctx, &out)
	if err != nil {
		return r.stepFailed(ctx, CollectContext, err)
	}
	r.state.Context = &out
	r.complete(ctx, CollectContext, out.Attempt)
	return nil
}

func (r *agentRun) makePlan(ctx workflow.Context) error {
	r.state.Begin(MakePlan, r.task, now(ctx))
	in := MakePlanInput{
		RunID: r.runID, Task: r.task, Revision: r.state.Revision,
		ContextDigest: r.state.Context.Digest, Manifest: r.state.Context.Manifest,
		Feedback: r.state.Feedback, WorkflowVersion: Version, RequestKey: r.state.Step(MakePlan).IdempotencyKey,
		Ledger: r.state.ledger(), Execution: workflow.GetInfo(ctx).FirstRunID,
	}
	if r.state.Plan != nil {
		in.Earlier = r.state.Plan.Blob
	}
	var out MakePlanResult
	err := workflow.ExecuteActivity(r.planContext(ctx), string(MakePlan), in).Get(ctx, &out)
	if err != nil {
		return r.stepFailed(ctx, MakePlan, err)
	}
	r.state.NewPlan(&out)
	r.complete(ctx, MakePlan, out.Attempt)
	return workflow.UpsertTypedSearchAttributes(ctx,
		keyword(PlanHashAttribute, out.PlanHash.String()), keyword(RiskAttribute, string(out.Risk)))
}

func (r *agentRun) summarize(ctx workflow.Context) error {
	r.state.Begin(Summarize, r.task, now(ctx))
	r.setStatus(ctx, Running, r.state.Reason)
	var out SummarizeResult
	err := workflow.ExecuteActivity(r.stepContext(ctx, Summarize), string(Summarize), SummarizeInput{
		RunID: r.runID, Task: r.task, Key: r.state.Step(Summarize).IdempotencyKey,
		PlanHash: r.state.Plan.PlanHash, Blob: r.state.Plan.Blob, Grant: r.state.Grant,
	}).Get(ctx, &out)
	if err != nil {
		return r.stepFailed(ctx, Summarize, err)
	}
	r.state.Summary = &out
	r.complete(ctx, Summarize, out.Attempt)
	return nil
}

// endByError ends a run that an error stopped: a cancellation, a request to
// continue as new, or a step that failed.
func (r *agentRun) endByError(ctx workflow.Context, err error) (*Status, error) {
	switch {
	case workflow.IsContinueAsNewError(err):
		return nil, err
	case temporal.IsCanceledError(err) || ctx.Err() != nil:
		return r.end(ctx, Canceled, "canceled by request")
	default:
		return r.end(ctx, Failed, err.Error())
	}
}

// end is the one way out. Everything that has arrived is judged first, so
// that a decision that came too late is told so and nothing is dropped.
func (r *agentRun) end(ctx workflow.Context, status RunStatus, reason string) (*Status, error) {
	ctx = disconnected(ctx)
	r.closeGate(status)
	r.setStatus(ctx, status, reason)
	err := workflow.Await(ctx, func() bool { return r.inbox.idle() && workflow.AllHandlersFinished(ctx) })
	if err == nil {
		err = r.awaitNotices(ctx)
	}
	if err != nil {
		return nil, err
	}
	result := r.result()
	switch status {
	case Failed:
		return nil, temporal.NewApplicationErrorWithOptions(reason, string(Failed), temporal.ApplicationErrorOptions{
			// A retry of the whole run would be a retry on the wrong level.
			NonRetryable: true,
			Details:      []any{*result},
		})
	case Canceled:
		return nil, temporal.NewCanceledError(*result)
	default:
		return result, nil
	}
}

func (r *agentRun) result() *Status {
	view := r.state.View(r.runID)
	return &view
}

// complete marks a step as done and says so in the worker's log.
func (r *agentRun) complete(ctx workflow.Context, name StepName, attempts int) {
	r.state.Complete(name, attempts, now(ctx))
	workflow.GetLogger(ctx).Info("checkpoint: "+string(name)+" -> COMPLETED", "run_id", r.runID, "tenant", r.task.Tenant,
		"step_name", string(name), "attempt", attempts, "idempotency_key", r.state.Step(name).IdempotencyKey)
}

// stepError is a step that failed for good.
type stepError struct {
	step StepName
	text string
}

func (e *stepError) Error() string { return string(e.step) + ": " + e.text }

// stepFailed records a failed step. A cancellation is not a failure.
func (r *agentRun) stepFailed(ctx workflow.Context, name StepName, err error) error {
	if temporal.IsCanceledError(err) {
		r.state.Fail(name, "canceled", 0, now(ctx))
		return err
	}
	text := FaultText(err)
	r.state.Fail(name, text, attemptsOf(err), now(ctx))
	return &stepError{name, text}
}

func disconnected(ctx workflow.Context) workflow.Context {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	return ctx
}
