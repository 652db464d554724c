package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/workflows"
)

// ExecuteAction carries out one approved action. It takes the action out of
// the plan's verified bytes, checks once more that the approval covers it
// now, and hands it to the effect protocol.
func (a *Activities) ExecuteAction(
	ctx context.Context, in workflows.ExecuteActionInput,
) (workflows.ExecuteActionResult, error) {
	clock := startClock(ctx)
	result := workflows.ExecuteActionResult{Attempt: attempt(ctx)}
	p, err := a.loadPlan(ctx, in.Task.Tenant, in.Blob, in.PlanHash)
	if err != nil {
		return result, err
	}
	action, ok := p.Find(in.ActionID)
	if !ok || p.RunID != in.RunID || action.IdempotencyKey != in.Key {
		return result, bad("not_in_plan", "action %s is not the one that plan %s has under that name", in.ActionID, in.PlanHash)
	}
	tool, ok := a.Tools.Get(action.Tool)
	if !ok {
		return result, bad("no_tool", "this worker has no tool %q", action.Tool)
	}
	if spec := tool.Spec(); spec.Version != action.ToolVersion || spec.SchemaDigest != action.SchemaDigest {
		return stopped(result, workflows.OutcomeDrifted, "tool "+action.Tool+" is not the version that the plan was made for"), nil
	}
	if outcome, detail := a.authorize(in, clock.now()); outcome != "" {
		return stopped(result, outcome, detail), nil
	}
	out, err := a.Effects.Run(ctx, tool, tools.Call{
		RunID: in.RunID, PlanHash: in.PlanHash, Approver: in.Grant.Approvals[0].Approver, Action: action,
	}, result.Attempt, in.Task.Tenant)
	switch {
	case err != nil:
		return result, err
	case out.Drifted:
		return stopped(result, workflows.OutcomeDrifted, out.Detail), nil
	}
	result.Outcome, result.Receipt = workflows.OutcomeDone, &out.Receipt
	result.Duplicate, result.Recovered = out.Duplicate, out.Recovered
	return result, nil
}

// authorize is the gate once more, at the point of effect.
func (a *Activities) authorize(in workflows.ExecuteActionInput, now time.Time) (workflows.ActionOutcome, string) {
	if len(in.Grant.Approvals) == 0 {
		return workflows.OutcomePolicyChanged, "nobody has approved this plan"
	}
	if err := in.Grant.Covers(in.PlanHash, now); err != nil {
		return workflows.OutcomeExpired, err.Error()
	}
	if in.Grant.PolicyVersion != a.Policy.Version() {
		if err := a.Policy.StillAllows(in.Grant, in.Task.Requester); err != nil {
			return workflows.OutcomePolicyChanged, err.Error()
		}
	}
	return "", ""
}

// loadPlan reads a plan from its address and verifies every byte of it.
func (a *Activities) loadPlan(
	ctx context.Context, tenant string, blob workflows.BlobRef, hash plan.Digest,
) (plan.Plan, error) {
	if blob.Digest != hash {
		return plan.Plan{}, bad("plan_changed", "plan changed after approval: the stored plan's address is not the approved plan_hash")
	}
	raw, err := a.Blobs.Get(ctx, tenant, hash, plan.MaxBytes)
	if err != nil {
		return plan.Plan{}, planFault(err)
	}
	// The bytes have been read and verified just now; only their decoding,
	// which takes seconds for a plan of many megabytes, is remembered.
	return a.decoded.get(hash, func() (plan.Plan, error) {
		p, err := plan.Load(raw, hash)
		if err != nil {
			return plan.Plan{}, planFault(err)
		}
		return p, nil
	})
}

// planFault names what is wrong with a stored plan: other bytes than the
// approved ones are never executed, however often one looks.
func planFault(err error) error {
	if errors.Is(err, blobs.ErrCorrupt) || errors.Is(err, plan.ErrDigestMismatch) || errors.Is(err, plan.ErrMalformed) {
		return &faults.Fault{
			Class: faults.Permanent, Code: "plan_changed",
			Reason: "plan changed after approval: the stored bytes do not have the approved plan_hash", Cause: err,
		}
	}
	return err
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

func (c clock) now() time.Time { return c.started.Add(time.Since(c.since)) }

func stopped(
	r workflows.ExecuteActionResult, outcome workflows.ActionOutcome, detail string,
) workflows.ExecuteActionResult {
	r.Outcome, r.Detail = outcome, detail
	return r
}
