package workflows

import (
	"fmt"
	"strconv"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
)

// continueAfter is how many decisions one execution takes before the gate
// continues as new, whatever the server suggests: far below the server's
// limit of 10,000 signals.
const continueAfter = 2000

// requestApproval asks the policy who must decide, and opens the gate.
func (r *agentRun) requestApproval(ctx workflow.Context) error {
	r.state.Begin(RequestApproval, r.task, now(ctx))
	if err := r.judgeArrived(ctx); err != nil {
		return r.stepFailed(ctx, RequestApproval, err)
	}
	var out RequestApprovalResult
	err := workflow.ExecuteActivity(r.stepContext(ctx, RequestApproval), string(RequestApproval), RequestApprovalInput{
		RunID: r.runID, Task: r.task, Key: r.state.Step(RequestApproval).IdempotencyKey,
		PlanHash: r.state.Plan.PlanHash, Blob: r.state.Plan.Blob,
	}).Get(ctx, &out)
	if err != nil {
		return r.stepFailed(ctx, RequestApproval, err)
	}
	r.complete(ctx, RequestApproval, out.Attempt)

	// The deadline is fixed here, once and absolutely: a deploy with other
	// settings changes no waiting run.
	decideBy := now(ctx).Add(out.Terms.DecideWithin)
	r.state.Request, r.state.DecideBy = &out, &decideBy
	r.state.OpenGate(r.task, r.runID)
	if out.Terms.Unattended() {
		return r.state.GrantByPolicy(now(ctx))
	}
	r.notify(ctx, ApprovalRequested, "", nil)
	return workflow.UpsertTypedSearchAttributes(ctx,
		temporal.NewSearchAttributeKeyTime(DecideByAttribute).ValueSet(decideBy))
}

// decide holds the run until there is a decision. When nobody decided in time
// and the policy says so, or when the run was reset, it asks again: a new
// request, with a time of its own. What was approved on the one before is void.
func (r *agentRun) decide(ctx workflow.Context) (turn, error) {
	for r.state.Gate.Phase != approvals.PhaseGranted { // by policy: nobody is asked
		inTime, err := r.awaitDecision(ctx)
		switch {
		case err != nil:
			return stop, err
		case r.state.Gate.Phase == approvals.PhaseNoPlan: // see askAnew
		case inTime:
			return r.decided(), nil
		case r.state.Asked >= r.state.Request.Terms.AskAgain:
			r.notify(ctx, ApprovalExpired, "", nil)
			r.state.Status = Expired
			r.state.Reason = "nobody decided before " + r.state.DecideBy.Format(time.RFC3339)
			return stop, nil
		default:
			r.state.AskAgain()
		}
		if err := r.requestApproval(ctx); err != nil {
			return stop, err
		}
	}
	return execute, nil
}

// AskAgain counts an opening of the gate that nobody came to, and says so. The
// gate is closed until it opens anew: what comes in between answers no request.
func (s *State) AskAgain() {
	s.Asked++
	s.Gate.Phase = approvals.PhaseNoPlan
	s.Reason = fmt.Sprintf("nobody decided before %s; asked again", s.DecideBy.Format(time.RFC3339))
}

// awaitDecision holds the run until the plan is approved, rejected or sent back,
// and reports false when nobody did so in time. What arrived before the deadline
// is judged first, even when no worker was there to read it in time.
func (r *agentRun) awaitDecision(ctx workflow.Context) (inTime bool, err error) {
	// Of a second plan, the reason says why there is one.
	r.setStatus(ctx, WaitingApproval, r.state.Reason)
	// The timer outlives a cancellation of the run, which must not look like
	// the deadline.
	timerCtx, stopTimer := workflow.WithCancel(disconnected(ctx))
	defer stopTimer()
	wait := max(r.state.DecideBy.Sub(workflow.Now(ctx)), time.Nanosecond)
	deadline := workflow.NewTimerWithOptions(timerCtx, wait, workflow.TimerOptions{Summary: "time to decide"})
	r.inbox.deadline = deadline
	defer func() { r.inbox.deadline = nil }()
	r.remind(timerCtx)

	err = workflow.Await(ctx, func() bool {
		return r.state.Gate.Phase != approvals.PhaseOpen ||
			deadline.IsReady() && r.inbox.idle() ||
			r.mayContinueAsNew(ctx)
	})
	switch {
	case err != nil:
		return false, err
	case r.state.Gate.Phase != approvals.PhaseOpen:
		return true, nil
	case deadline.IsReady():
		return false, nil
	default:
		return false, workflow.NewContinueAsNewError(ctx, WorkflowType, r.task, r.state.Carried())
	}
}

// remind tells people again, at the policy's times after the opening of the
// gate, until ctx is canceled. Times that have passed are left out.
func (r *agentRun) remind(ctx workflow.Context) {
	terms := r.state.Request.Terms
	if len(terms.RemindAfter) == 0 || len(r.state.Request.Notify[ApprovalReminded]) == 0 {
		return
	}
	opened := r.state.DecideBy.Add(-terms.DecideWithin)
	workflow.GoNamed(ctx, "remind", func(ctx workflow.Context) {
		for i, after := range terms.RemindAfter {
			wait := opened.Add(after).Sub(workflow.Now(ctx))
			if wait <= 0 {
				continue
			}
			if err := workflow.Sleep(ctx, wait); err != nil {
				return
			}
			r.notify(ctx, ApprovalReminded, strconv.Itoa(i+1), nil)
		}
	})
}

// mayContinueAsNew reports whether it is time to. It is asked where no activity is
// in flight: at the gate, and where actions wait for people, see
// mayContinueAtRest.
func (r *agentRun) mayContinueAsNew(ctx workflow.Context) bool {
	due := r.inbox.judged >= continueAfter || workflow.GetInfo(ctx).GetContinueAsNewSuggested()
	return due && r.inbox.idle() && workflow.AllHandlersFinished(ctx)
}

// decided turns the decision that closed the gate into the next turn.
func (r *agentRun) decided() turn {
	switch r.state.Gate.Phase {
	case approvals.PhaseGranted:
		return execute
	case approvals.PhaseRevising:
		return replan
	default:
		r.state.Status = Rejected
		return stop
	}
}

// closeGate says what is to be answered to decisions that come after the end.
func (r *agentRun) closeGate(end RunStatus) {
	if undecided := r.state.Gate.Phase == approvals.PhaseOpen; undecided && end == Expired {
		r.state.Gate.Phase = approvals.PhaseExpired
		return
	}
	r.state.Gate.Phase = approvals.PhaseClosed
}
