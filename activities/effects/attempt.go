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
	// unsettled says that an earlier attempt may have had its effect.
	unsettled bool
	// sent says that this attempt may have sent something.
	sent bool
}

func (a *attempt) run(ctx context.Context) (Outcome, error) {
	a.reached(PointBegun)
	receipt, err := a.effect(ctx)
	if err != nil {
		return a.ended(ctx, err)
	}
	a.reached(PointEffect)
	return a.complete(ctx, receipt)
}

// effect makes the effect, or recovers it as the delivery class allows: by the
// same call again where the target deduplicates, else by a look at the target,
// else not at all.
func (a *attempt) effect(ctx context.Context) (plan.Receipt, error) {
	if !a.begun.Recover {
		return a.apply(ctx)
	}
	a.log.Warn("an earlier attempt left the outcome unknown: recovering",
		zap.String("delivery_class", string(a.tool.Spec().Class)), zap.Bool("same_call_again", a.begun.Resend))
	if a.begun.Resend {
		return a.apply(ctx)
	}
	finder, ok := a.tool.(tools.Finder)
	if !ok {
		return plan.Receipt{}, a.needsPerson("an earlier attempt may have had its effect, and nothing here can tell")
	}
	found, err := a.find(ctx, finder)
	switch {
	case err != nil:
		return plan.Receipt{}, err
	case found.Presence == tools.Found:
		return found.Receipt, nil
	case found.Presence == tools.Absent:
		a.log.Info("the target surely has no effect of an earlier attempt", zap.String("found", found.Detail))
		a.unsettled = false
		return a.apply(ctx)
	default:
		return plan.Receipt{}, a.needsPerson("an earlier attempt may have had its effect, and a look at the target does not settle it: " + found.Detail)
	}
}

// needsPerson is the fault for an outcome that only a person can find out.
func (a *attempt) needsPerson(why string) error {
	return &faults.Fault{
		Class: faults.Unknown, Code: faults.CodeOutcomeUnknown,
		Reason: why + "; a person must look at " + a.call.Action.Target + " for the key " + a.call.Action.IdempotencyKey,
	}
}

// find looks for the effect of an earlier attempt.
func (a *attempt) find(ctx context.Context, finder tools.Finder) (tools.Finding, error) {
	ctx, cancel := a.callContext(ctx)
	defer cancel()
	found, err := finder.Find(ctx, a.call)
	if err == nil && found.Presence == tools.Found && !a.proves(found.Receipt) {
		err = a.noReceipt()
	}
	return found, err
}

// apply calls the tool, and keeps the lease while it is at work.
func (a *attempt) apply(ctx context.Context) (receipt plan.Receipt, err error) {
	l := &lease{
		ledger: a.Ledger, key: a.call.Action.IdempotencyKey, token: a.begun.Token,
		length: a.Lease, renew: a.renew(), confirmed: a.asked, log: a.log,
	}
	call := a.call
	call.MayBegin = func(ctx context.Context) error {
		if err := l.check(ctx); err != nil {
			return err
		}
		return a.call.Allowed(ctx)
	}
	if err := call.Allowed(ctx); err != nil {
		return plan.Receipt{}, err
	}
	limited, cancel := a.callContext(ctx)
	defer cancel()
	callCtx, stop := l.keep(limited)
	returned := false
	defer func() {
		stop()
		if !returned {
			a.settle(ctx, a.park("the tool panicked", false)) //nolint:errcheck // logged there; the panic goes on
		}
	}()
	a.sent = true
	receipt, err = a.tool.Apply(callCtx, call)
	returned = true
	if err == nil && !a.proves(receipt) {
		err = a.noReceipt()
	}
	return receipt, err
}

// callContext bounds one call of the tool by its own time limit. Temporal's
// does not stop a call.
func (a *attempt) callContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if limit := a.tool.Spec().CallTimeout; limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithCancel(ctx)
}

// proves reports whether a receipt is one of this action.
func (a *attempt) proves(r plan.Receipt) bool {
	return r.IdempotencyKey == a.call.Action.IdempotencyKey && !r.At.IsZero()
}

// noReceipt is the fault of a tool that reports neither an error nor an
// effect. Nothing is concluded from that, least of all success; and asking the
// same code again would tell no more.
func (a *attempt) noReceipt() error {
	return a.needsPerson("tool " + a.tool.Spec().Name + " returned neither an error nor a receipt of this action")
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
		a.settle(ctx, a.park("the receipt could not be recorded", true)) //nolint:errcheck // logged there
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
func (a *attempt) ended(ctx context.Context, err error) (Outcome, error) {
	drifted := a.sent && errors.Is(err, tools.ErrDrift)
	settled := drifted || a.sent && errors.Is(err, tools.ErrAbsent)
	absent := settled || !a.unsettled && (!a.sent || refused(err))
	why := faults.Name(err)
	end := a.park(why.Error(), !a.sent && !a.begun.Resend)
	if absent {
		end = func(ctx context.Context) error {
			return a.Ledger.Release(ctx, a.call.Action.IdempotencyKey, a.begun.Token, why.Error())
		}
	}
	switch ended := a.settle(ctx, end); {
	case errors.Is(ended, ErrNotHeld):
		return Outcome{}, superseded()
	case drifted:
		return Outcome{Drifted: true, Detail: why.Reason}, nil
	case absent:
		return Outcome{}, err
	default:
		return Outcome{}, inDoubt(err, a.unsettled)
	}
}

// park leaves the outcome unknown. ended says that no call is under way.
func (a *attempt) park(reason string, ended bool) func(context.Context) error {
	return func(ctx context.Context) error {
		return a.Ledger.Park(ctx, a.call.Action.IdempotencyKey, a.begun.Token, reason, ended)
	}
}

// settle ends the claim by end, which releases or parks it. Failing that, the
// lease runs out by itself, and the next attempt recovers.
func (a *attempt) settle(ctx context.Context, end func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	err := end(ctx)
	if err != nil {
		a.log.Warn("the claim could not be ended", zap.Error(err))
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
