package effects

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// settleTimeout bounds what an attempt still writes to the ledger after its
// own context has ended.
const settleTimeout = 10 * time.Second

// complete records the receipt. It must survive the end of ctx: the effect
// has been made.
func (a *attempt) complete(ctx context.Context, receipt plan.Receipt) (Outcome, error) {
	switch err := a.record(ctx, receipt); {
	case errors.Is(err, ErrNotHeld):
		a.log.Warn("another attempt took over: this receipt does not count", zap.String("ref", receipt.Ref))
		return Outcome{}, superseded()
	case err != nil:
		a.log.Error("the effect was made, and its receipt could not be recorded", zap.String("ref", receipt.Ref), zap.Error(err))
		// The call has ended, and the target may need its time to show the
		// effect: a look right now could find nothing.
		a.settle(ctx, a.park("the effect was made ("+receipt.Ref+"), and its receipt could not be recorded", false)) //nolint:errcheck // logged there
		return Outcome{}, a.notRecorded(receipt, err)
	}
	a.reached(PointRecorded)
	out := Outcome{Receipt: receipt, Recovered: a.recovered}
	if out.Recovered {
		out.Detail = "an earlier attempt had left the outcome unknown; the target settled it"
	}
	return out, nil
}

// record gives the ledger the receipt. What nobody but this attempt knows it
// offers to a ledger that is away for as long as it has time itself.
func (a *attempt) record(ctx context.Context, receipt plan.Receipt) error {
	last := context.WithoutCancel(ctx)
	for {
		limited, cancel := context.WithTimeout(last, settleTimeout)
		err := a.Ledger.Complete(limited, a.claim.Key, a.begun.Token, receipt)
		cancel()
		if err == nil || !a.alone() || !ledgerIsAway(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(recordPause):
		}
	}
}

// recordPause is that between two offers of a receipt.
const recordPause = 500 * time.Millisecond

func (a *attempt) notRecorded(receipt plan.Receipt, cause error) error {
	f := &faults.Fault{
		Class: faults.Unknown, Code: "receipt_not_recorded",
		Reason: "the effect was made, and the ledger did not take its receipt; the next attempt finds it", Cause: cause,
	}
	if a.alone() {
		f.Code = faults.CodeOutcomeUnknown
		f.Reason = "the effect was made (" + receipt.Ref + "), and the ledger did not take its receipt" + a.whereToLook()
	}
	return f
}

// lost ends a claim of a key whose row is missing, although an attempt before
// this one may have claimed it. What that one did is not known here, and its
// call may be under way.
func (a *attempt) lost(ctx context.Context) (Outcome, error) {
	const why = "an earlier attempt was handed to a worker, and the ledger has no row of it: " +
		"the worker died before it began, or the row was lost since, with a restored backup"
	a.log.Warn("the ledger has no row of an earlier attempt")
	if errors.Is(a.settle(ctx, a.park(why, false)), ErrNotHeld) {
		return Outcome{}, superseded()
	}
	return Outcome{}, &faults.Fault{
		Class: faults.InProgress, Code: "row_missing", Reason: why + " It may be under way still",
		RetryAfter: a.claim.Quiet + leaseMargin,
	}
}

// ending is what becomes of a claim that brought no receipt.
type ending int

const (
	doubtful ending = iota // parked: the effect may be there
	absent                 // released: it surely is not
	drifted                // released: the target is not what the plan was made for
)

// endingOf is this table. The first row that applies, from the top, is the
// ending; only what was sent can be proved absent by its error.
//
//	sent  earlier doubt  error              ending
//	----  -------------  -----------------  --------
//	yes   any            ErrDrift           drifted
//	yes   any            ErrAbsent          absent
//	any   yes            any                doubtful
//	no    none           any                absent
//	yes   none           the tool refused   absent
//	yes   none           any                doubtful
func (a *attempt) endingOf(err error) ending {
	switch {
	case a.sent && errors.Is(err, tools.ErrDrift):
		return drifted
	case a.sent && errors.Is(err, tools.ErrAbsent):
		return absent
	case a.unsettled:
		return doubtful
	case !a.sent, refused(err):
		return absent
	default:
		return doubtful
	}
}

// ended closes the claim of an attempt that brought no receipt, and says what
// that means.
func (a *attempt) ended(ctx context.Context, err error) (Outcome, error) {
	// A tool that lacks a secret says itself that it sent nothing, and that
	// another worker's may.
	out := Outcome{Idle: !a.sent && ledgerIsAway(err) || faults.IsSecretMissing(err)}
	if a.begun.Token == 0 { // between two claims, and as at the first
		return out, inDoubt(err, true)
	}
	how, why := a.endingOf(err), faults.Name(err)
	// A claim that did not come with leave to call again came after the end of
	// all earlier calls.
	end := a.park(why.Error(), !a.sent && !a.begun.Resend)
	if how != doubtful {
		end = func(ctx context.Context) error {
			return a.Ledger.Release(ctx, a.claim.Key, a.begun.Token, why.Error())
		}
	}
	switch ended := a.settle(ctx, end); {
	case errors.Is(ended, ErrNotHeld):
		return Outcome{}, superseded()
	case how == drifted:
		return Outcome{Drifted: true, Detail: why.Reason}, nil
	case how == absent:
		return out, err
	default:
		return out, a.beyondUs(inDoubt(err, a.unsettled))
	}
}

// beyondUs makes a doubt final that no further attempt can settle: a person is
// asked at once, and not after attempts that would find out nothing.
func (a *attempt) beyondUs(doubt *faults.Fault) error {
	if a.sent && a.alone() && doubt.Class == faults.Unknown && doubt.Code != faults.CodeOutcomeUnknown {
		doubt.Code, doubt.Reason = faults.CodeOutcomeUnknown, doubt.Error()
	}
	if doubt.Code == faults.CodeOutcomeUnknown {
		doubt.Reason += a.whereToLook()
	}
	return doubt
}

// whereToLook is for the error alone: the ledger's row has the target and the
// key already.
func (a *attempt) whereToLook() string {
	return "; a person must look at " + a.call.Action.Target + " for the key " + a.claim.Key
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
func refused(err error) bool { return workflows.RulesOutEffect(faults.ClassOf(err).String()) }

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
			f.Reason += workflows.EarlierUnknown
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
