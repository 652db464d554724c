package effects

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// settleTimeout bounds what an attempt still writes to the ledger after its
// own context has ended.
const settleTimeout = 10 * time.Second

// attempt is one claim on its way through the protocol.
type attempt struct {
	*Protocol
	tool  tools.Tool
	call  tools.Call
	begun Begun
	asked time.Time // when the claim was asked for: its lease runs at least from then
	log   *zap.Logger
}

func (a *attempt) run(ctx context.Context) (Outcome, error) {
	a.reached(PointBegun)
	receipt, sent, err := a.effect(ctx)
	if err != nil {
		return a.ended(ctx, sent, err)
	}
	a.reached(PointEffect)
	return a.complete(ctx, receipt)
}

// effect makes the effect, or recovers it. It says whether anything may have
// been sent by this attempt.
func (a *attempt) effect(ctx context.Context) (_ plan.Receipt, sent bool, _ error) {
	if !a.begun.Recover {
		return a.apply(ctx)
	}
	class := a.tool.Spec().Class
	a.log.Warn("an earlier attempt left the outcome unknown: recovering", zap.String("delivery_class", string(class)))
	switch class {
	case plan.Conditional:
		// Sending again is the recovery: the target refuses a second effect,
		// and the tool then returns the receipt of the first.
		return a.apply(ctx)
	default:
		// No tool of another class can be recovered yet, and none is sent
		// again on a guess.
		return plan.Receipt{}, false, &faults.Fault{
			Class: faults.Unknown, Code: faults.CodeOutcomeUnknown,
			Reason: "an earlier attempt may have had its effect, and nothing here can tell; a person must look at " + a.call.Action.Target,
		}
	}
}

// apply calls the tool, and keeps the lease while it is at work.
func (a *attempt) apply(ctx context.Context) (receipt plan.Receipt, sent bool, err error) {
	l := &lease{
		ledger: a.Ledger, key: a.call.Action.IdempotencyKey, token: a.begun.Token,
		length: a.Lease, renew: a.renew(), confirmed: a.asked, log: a.log,
	}
	if err := l.check(ctx); err != nil {
		return plan.Receipt{}, false, err
	}
	if err := a.call.Allowed(); err != nil {
		return plan.Receipt{}, false, err
	}
	callCtx, stop := l.keep(ctx)
	returned := false
	defer func() {
		stop()
		if !returned {
			a.settle(ctx, Ledger.Park, "the tool panicked") //nolint:errcheck // logged there; the panic goes on
		}
	}()
	receipt, err = a.tool.Apply(callCtx, a.call)
	returned = true
	if err == nil && (receipt.IdempotencyKey != a.call.Action.IdempotencyKey || receipt.At.IsZero()) {
		err = noReceipt(a.tool.Spec().Name)
	}
	return receipt, true, err
}

// noReceipt is the fault of a tool that reports neither an error nor an
// effect. Nothing is concluded from that, least of all success; and asking the
// same code again would tell no more.
func noReceipt(tool string) error {
	return &faults.Fault{
		Class: faults.Unknown, Code: faults.CodeOutcomeUnknown,
		Reason: "tool " + tool + " returned neither an error nor a receipt of this action; a person must look at the target",
	}
}

// complete records the receipt. It must survive the end of ctx: the effect
// has been made.
func (a *attempt) complete(ctx context.Context, receipt plan.Receipt) (Outcome, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	err := a.Ledger.Complete(ctx, a.call.Action.IdempotencyKey, a.begun.Token, receipt)
	switch {
	case errors.Is(err, ErrNotHeld):
		a.log.Warn("another attempt took over: this receipt does not count", zap.String("ref", receipt.Ref))
		return Outcome{}, superseded()
	case err != nil:
		a.log.Error("the effect was made, and its receipt could not be recorded", zap.String("ref", receipt.Ref), zap.Error(err))
		a.settle(ctx, Ledger.Park, "the receipt could not be recorded") //nolint:errcheck // logged there
		return Outcome{}, &faults.Fault{
			Class: faults.Unknown, Code: "receipt_not_recorded",
			Reason: "the effect was made, and the ledger did not take its receipt; the next attempt finds it", Cause: err,
		}
	}
	a.reached(PointRecorded)
	out := Outcome{Receipt: receipt, Recovered: a.begun.Recover}
	if out.Recovered {
		out.Detail = "an earlier attempt had left the outcome unknown; the target settled it"
	}
	return out, nil
}

// ended closes the claim of an attempt that brought no receipt, and says what
// that means. The claim is released only when the effect is surely absent:
// this attempt sent nothing or was refused, and no earlier one is in doubt.
// Drift settles an earlier attempt too, since the tool looks for its effect
// first.
func (a *attempt) ended(ctx context.Context, sent bool, err error) (Outcome, error) {
	drifted := sent && errors.Is(err, tools.ErrDrift)
	absent := drifted || !a.begun.Recover && (!sent || refused(err))
	end := Ledger.Park
	if absent {
		end = Ledger.Release
	}
	switch settled := a.settle(ctx, end, faults.Name(err).Error()); {
	case errors.Is(settled, ErrNotHeld):
		return Outcome{}, superseded()
	case drifted:
		return Outcome{Drifted: true, Detail: faults.Name(err).Reason}, nil
	case absent:
		return Outcome{}, err
	default:
		return Outcome{}, inDoubt(err, a.begun.Recover)
	}
}

// settle ends the claim by end, which is Park or Release. Failing that, the
// lease runs out by itself, and the next attempt recovers.
func (a *attempt) settle(
	ctx context.Context, end func(Ledger, context.Context, string, int64, string) error, reason string,
) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	err := end(a.Ledger, ctx, a.call.Action.IdempotencyKey, a.begun.Token, reason)
	if err != nil {
		a.log.Warn("the claim could not be ended", zap.String("why", reason), zap.Error(err))
	}
	return err
}

// refused reports errors of a tool after which the effect is surely absent.
// Only a class that the tool itself has given counts.
func refused(err error) bool {
	switch faults.ClassOf(err) {
	case faults.Permanent, faults.Transient, faults.Throttled:
		return true
	default:
		return false
	}
}

// inDoubt is the fault for an outcome that nobody knows, whatever became of
// this attempt. When an earlier attempt is in doubt, it stays so although this
// one was surely refused.
func inDoubt(err error, earlier bool) error {
	f := *faults.Name(err)
	f.Cause = err
	switch f.Class {
	case faults.Unknown, faults.InProgress:
	default:
		f.Class = faults.Unknown
		if earlier {
			f.Reason += "; whether an earlier attempt had its effect is not known"
		}
	}
	return &f
}

func superseded() error {
	return &faults.Fault{
		Class: faults.InProgress, Code: "superseded",
		Reason: "another attempt took over this action; what this one did does not count", Cause: ErrNotHeld,
	}
}
