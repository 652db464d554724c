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

// complete records the receipt. It must survive the end of ctx: the effect
// has been made.
func (a *attempt) complete(ctx context.Context, receipt plan.Receipt) (Outcome, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	err := a.Ledger.Complete(ctx, a.claim.Key, a.begun.Token, receipt)
	switch {
	case errors.Is(err, ErrNotHeld):
		a.log.Warn("another attempt took over: this receipt does not count", zap.String("ref", receipt.Ref))
		return Outcome{}, superseded()
	case err != nil:
		a.log.Error("the effect was made, and its receipt could not be recorded", zap.String("ref", receipt.Ref), zap.Error(err))
		// The call has ended, and the target may need its time to show the
		// effect: a look right now could find nothing.
		a.settle(ctx, a.park("the receipt could not be recorded", false)) //nolint:errcheck // logged there
		return Outcome{}, &faults.Fault{
			Class: faults.Unknown, Code: "receipt_not_recorded",
			Reason: "the effect was made, and the ledger did not take its receipt; the next attempt finds it", Cause: err,
		}
	}
	a.reached(PointRecorded)
	out := Outcome{Receipt: receipt, Recovered: a.recovered}
	if out.Recovered {
		out.Detail = "an earlier attempt had left the outcome unknown; the target settled it"
	}
	return out, nil
}

// ended closes the claim of an attempt that brought no receipt, and says what
// that means. The claim is released only when the effect is surely absent:
// this attempt sent nothing or was refused, and no earlier one is in doubt.
func (a *attempt) ended(ctx context.Context, err error) (Outcome, error) {
	if a.begun.Token == 0 { // between two claims, and as at the first
		return Outcome{}, inDoubt(err, true)
	}
	drifted := a.sent && errors.Is(err, tools.ErrDrift)
	proven := drifted || a.sent && errors.Is(err, tools.ErrAbsent)
	absent := proven || !a.unsettled && (!a.sent || refused(err))
	why := faults.Name(err)
	// A claim that did not come with leave to call again came after the end of
	// all earlier calls.
	end := a.park(why.Error(), !a.sent && !a.begun.Resend)
	if absent {
		end = func(ctx context.Context) error {
			return a.Ledger.Release(ctx, a.claim.Key, a.begun.Token, why.Error())
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
		return Outcome{}, a.beyondUs(inDoubt(err, a.unsettled))
	}
}

// beyondUs makes a doubt final that no further attempt can settle: the class
// neither lets the same call be made again nor has a way to look. A person is
// asked at once, and not after attempts that would find out nothing.
func (a *attempt) beyondUs(doubt *faults.Fault) error {
	_, canLook := a.finder()
	if !a.sent || canLook || a.claim.Resend > 0 || doubt.Class != faults.Unknown || doubt.Code == faults.CodeOutcomeUnknown {
		return doubt
	}
	doubt.Code, doubt.Reason = faults.CodeOutcomeUnknown, doubt.Error()+"; a person must look at "+a.call.Action.Target
	return doubt
}

// park leaves the outcome unknown. ended says that no call is under way.
func (a *attempt) park(reason string, ended bool) func(context.Context) error {
	return func(ctx context.Context) error {
		return a.Ledger.Park(ctx, a.claim.Key, a.begun.Token, reason, ended)
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
func inDoubt(err error, earlier bool) *faults.Fault {
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
