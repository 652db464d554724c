package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// settleTimeout bounds what an attempt still asks the ledger after its own
// context has ended.
const settleTimeout = 5 * time.Second

// ExecuteAction carries out one approved action. It takes the action out of
// the plan's verified bytes, checks once more that the approval covers it
// now, and hands it to the effect protocol.
//
// When it begins nothing, an earlier attempt of this action may have done so:
// one that was made and recorded is done, whatever has changed since, and one
// of unknown outcome is never named as not done.
func (a *Activities) ExecuteAction(
	ctx context.Context, in workflows.ExecuteActionInput,
) (workflows.ExecuteActionResult, error) {
	t := triesOf(ctx, in)
	out, err := a.carryOut(ctx, in, t)
	return out, t.ended(ctx, err)
}

func (a *Activities) carryOut(
	ctx context.Context, in workflows.ExecuteActionInput, t *tries,
) (workflows.ExecuteActionResult, error) {
	clock := startClock(ctx)
	result := workflows.ExecuteActionResult{Attempt: attempt(ctx)}
	if t.number > 1 && a.mayStop(ctx, in) {
		return result, bad(workflows.CodeRunCanceled, "the run is to be canceled, and no earlier attempt left anything to find out")
	}
	p, action, tool, err := a.approvedAction(ctx, in)
	if err != nil {
		t.idle = faults.Waits(err)
		return a.notBegun(ctx, in, result, stillWorthWaiting(err, in.Grant, clock.now()))
	}
	info := activity.GetInfo(ctx)
	ours := &hold{ask: a.StillOurs, lasts: info.HeartbeatTimeout / 2}
	mayBegin := func(context.Context) error {
		return a.mayBegin(in, p, action, tool, info.WorkflowExecution.RunID, clock.now())
	}
	stop := t.whileWaiting(ctx)
	leave, err := a.Tools.Enter(ctx, action.Tool)
	stop()
	if err != nil {
		return a.notBegun(ctx, in, result, err)
	}
	defer leave()
	if err := mayBegin(ctx); err != nil {
		return a.notBegun(ctx, in, result, err)
	}
	if err := ours.check(ctx, t.said()); err != nil {
		return a.notBegun(ctx, in, result, err)
	}
	out, err := a.Effects.Attempt(ctx, tool, tools.Call{
		RunID: in.RunID, PlanHash: in.PlanHash, Approver: in.Grant.By(), Action: action,
		MayBegin: func(ctx context.Context) error {
			if err := t.usedUp(); err != nil {
				return err
			}
			if err := ours.check(ctx, t.said()); err != nil {
				return err
			}
			return mayBegin(ctx)
		},
	}, effects.Attempt{
		Number: result.Attempt, Tenant: in.Tenant, Ledger: in.Ledger, Earlier: t.earlier(in, clock.elapsed()),
	})
	t.idle, t.unclaimed = out.Idle, err != nil && out.Unclaimed
	switch {
	case errors.As(err, new(*refusal)):
		return a.notBegun(ctx, in, result, err)
	case err != nil:
		return result, t.paced(err, tool.Spec().Retry)
	case out.Drifted:
		result.Outcome, result.Detail = workflows.OutcomeDrifted, out.Detail
		return result, nil
	}
	result.Outcome, result.Receipt = workflows.OutcomeDone, &out.Receipt
	result.Duplicate, result.Recovered = out.Duplicate, out.Recovered
	return result, nil
}

// approvedAction finds the action in the plan's verified bytes, and its tool.
func (a *Activities) approvedAction(
	ctx context.Context, in workflows.ExecuteActionInput,
) (plan.Plan, plan.Action, tools.Tool, error) {
	p, err := a.loadPlan(ctx, in.Tenant, in.Blob, in.PlanHash)
	if err != nil {
		return p, plan.Action{}, nil, err
	}
	action, ok := p.Find(in.ActionID)
	if !ok || p.RunID != in.RunID || action.IdempotencyKey != in.Key {
		return p, action, nil, bad("not_in_plan", "action %s is not the one that plan %s has under that name", in.ActionID, in.PlanHash)
	}
	tool, ok := a.Tools.Get(action.Tool)
	if !ok {
		return p, action, nil, a.lacks("no_tool", "no tool %q", action.Tool)
	}
	return p, action, tool, nil
}

// stillWorthWaiting ends the wait for the blob store, or for a worker that has
// the tool, with the approval: after it nothing may begin.
func stillWorthWaiting(err error, grant approvals.Grant, now time.Time) error {
	if faults.Waits(err) && !now.Before(grant.ExpiresAt) {
		return refuse(workflows.OutcomeExpired, "the approval expired while the action waited: "+faults.Name(err).Error())
	}
	return err
}

// mayBegin is the gate once more, at the point of effect: the grant is of this
// plan and this execution and alive, and the policy of today, evaluated anew for
// the very plan that is carried out, is met by it, signatures and all. Whether the policy has
// changed does not matter, so nothing is taken on the workflow's word. nil says
// that the action may be carried out now. A Permanent fault says why not: a
// refusal leads back to the gate or ends the run, and a grant that never was one
// for this plan is broken, which no new plan mends.
func (a *Activities) mayBegin(
	in workflows.ExecuteActionInput, p plan.Plan, action plan.Action, tool tools.Tool, execution string, now time.Time,
) error {
	err := in.Grant.Covers(in.PlanHash, now)
	if err == nil && in.Grant.Execution != "" && in.Grant.Execution != execution {
		return refuse(workflows.OutcomePolicyChanged, "the run was reset since it was approved, and what was said then may be missing")
	}
	if err == nil {
		err = a.policyAllows(in, p, action)
	}
	switch {
	case errors.Is(err, approvals.ErrGrantExpired):
		return refuse(workflows.OutcomeExpired, err.Error())
	case errors.Is(err, approvals.ErrPolicyChanged), errors.Is(err, approvals.ErrNotConfirmed):
		return refuse(workflows.OutcomePolicyChanged, err.Error())
	case err != nil:
		return bad("not_granted", "action %s must not be carried out: %v", action.ID, err)
	}
	return stillBound(action, tool)
}

// policyAllows asks the policy of today.
func (a *Activities) policyAllows(in workflows.ExecuteActionInput, p plan.Plan, action plan.Action) error {
	terms, err := a.terms(in.PlanHash, p, in.Requester)
	if err != nil {
		return fmt.Errorf("%w: it cannot be applied to this plan any more: %w", approvals.ErrPolicyChanged, err)
	}
	return terms.StillAllows(in.Grant, in.Requester, action.ID)
}

// refusal is an outcome that the workflow knows how to go on from, on its way
// through the tool and the protocol, to which it is a fault.
type refusal struct {
	outcome   workflows.ActionOutcome
	detail    string
	otherTool bool // see refuseTool
}

func (r *refusal) Error() string { return string(r.outcome) + ": " + r.detail }

func refuse(outcome workflows.ActionOutcome, detail string) error {
	return asFault(&refusal{outcome: outcome, detail: detail})
}

func asFault(r *refusal) error {
	return &faults.Fault{Class: faults.Permanent, Code: string(r.outcome), Reason: r.detail, Cause: r}
}

// notBegun is the answer of an attempt that begins nothing because of err:
// what the ledger says of the earlier attempts comes first, and a refusal is
// an outcome.
func (a *Activities) notBegun(
	ctx context.Context, in workflows.ExecuteActionInput, result workflows.ExecuteActionResult, err error,
) (workflows.ExecuteActionResult, error) {
	receipt, inDoubt := a.leftBehind(ctx, in)
	refused, isRefusal := errors.AsType[*refusal](err)
	switch {
	case receipt != nil:
		return workflows.ExecuteActionResult{
			Attempt: result.Attempt, Outcome: workflows.OutcomeDone, Receipt: receipt, Duplicate: true,
		}, nil
	case isRefusal && refused.otherTool && inDoubt:
		return result, outcomeUnknown(err)
	case isRefusal:
		result.Outcome, result.Detail, result.InDoubt = refused.outcome, refused.detail, inDoubt
		return result, nil
	case inDoubt:
		return result, outcomeUnknown(err)
	default:
		return result, err
	}
}

// leftBehind looks up what earlier attempts of this very action left: a receipt,
// or a doubt. A ledger that does not answer leaves a doubt, and so does one that
// is not the run's.
func (a *Activities) leftBehind(ctx context.Context, in workflows.ExecuteActionInput) (receipt *plan.Receipt, inDoubt bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	_, err := a.checkedLedgerID(ctx, in.Ledger)
	if err != nil {
		return nil, true
	}
	rows, err := a.Effects.Ledger.Rows(ctx, []string{in.Key})
	switch {
	case err != nil:
		return nil, true
	case len(rows) == 0:
		return nil, false
	case rows[0].State == effects.Completed && rows[0].RunID == in.RunID && rows[0].ActionID == in.ActionID:
		return rows[0].Receipt, false
	default:
		return nil, rows[0].State == effects.Started
	}
}

// outcomeUnknown keeps a failure before the effect from hiding an earlier
// attempt whose outcome is unknown: a run must not end with such an action
// named as not done. What another attempt may mend is still tried again.
func outcomeUnknown(err error) error {
	fault := faults.Name(err)
	unknown := &faults.Fault{
		Class: faults.Unknown, Code: fault.Code, RetryAfter: fault.RetryAfter, Cause: err,
		Reason: "an earlier attempt may have had its effect; since then: " + fault.Error(),
	}
	if fault.Class == faults.Permanent {
		unknown.Code = faults.CodeOutcomeUnknown
	}
	return unknown
}

// mayStop reports a run that is to be canceled, and of which nothing is known or in
// doubt about this action: to try it again would be for nothing. Where something is,
// the attempts go on until it is known.
func (a *Activities) mayStop(ctx context.Context, in workflows.ExecuteActionInput) bool {
	if a.RunCanceled == nil || !a.RunCanceled(ctx) {
		return false
	}
	receipt, inDoubt := a.leftBehind(ctx, in)
	return receipt == nil && !inDoubt
}

// AskCanceled reports whether somebody has asked the Temporal server to cancel the
// run of this attempt. A server that does not answer has not been asked.
func AskCanceled(ctx context.Context) bool {
	run := activity.GetInfo(ctx).WorkflowExecution
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	description, err := activity.GetClient(ctx).DescribeWorkflow(ctx, run.ID, run.RunID)
	return err == nil && description.RawResponse.GetWorkflowExtendedInfo().GetCancelRequested()
}

// clock is the time that decides: the server's, at which it handed out this
// attempt, and what has passed since by the monotonic clock. The machine's
// own wall clock decides nothing.
type clock struct {
	started time.Time
	since   time.Time
}

func startClock(ctx context.Context) clock {
	return clock{started: activity.GetInfo(ctx).StartedTime, since: time.Now()}
}

// elapsed is the time since the attempt began.
func (c clock) elapsed() time.Duration { return time.Since(c.since) }

func (c clock) now() time.Time { return c.started.Add(time.Since(c.since)) }
