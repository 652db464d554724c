package effects

import (
	"cmp"
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// defaultCallTimeout bounds the calls of a tool that declares no limit: of a
// call without an end it could never be said that it is over.
const defaultCallTimeout = 30 * time.Second

// attempt is one try at the effect of one action.
type attempt struct {
	*Protocol
	tool  tools.Tool
	call  tools.Call
	claim Claim
	log   *zap.Logger

	begun Begun     // the claim that the attempt has
	asked time.Time // when it was asked for: nothing of the claim is older in the ledger
	lease *lease

	recovered bool // an earlier attempt had left the outcome unknown
	unsettled bool // an earlier attempt may have had its effect
	sent      bool // this attempt may have sent something
}

// begin asks for the claim, and takes it when it is handed out.
func (a *attempt) begin(ctx context.Context) (Begun, error) {
	asked := time.Now()
	begun, err := a.Ledger.Begin(ctx, a.claim)
	if err != nil || begun.Token == 0 {
		return begun, err
	}
	a.begun, a.asked = begun, asked
	a.lease = &lease{
		ledger: a.Ledger, key: a.claim.Key, token: begun.Token,
		length: a.Lease, renew: a.renew(), confirmed: asked, log: a.log,
	}
	return begun, nil
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

// effect makes the effect, or recovers it as the delivery class allows.
func (a *attempt) effect(ctx context.Context) (plan.Receipt, error) {
	if !a.begun.Recover {
		return a.apply(ctx)
	}
	a.log.Warn("an earlier attempt left the outcome unknown: recovering",
		zap.String("delivery_class", string(a.tool.Spec().Class)), zap.Bool("same_call_again", a.begun.Resend),
		zap.Bool("redeclared", a.begun.Redeclared))
	if a.begun.Redeclared {
		return plan.Receipt{}, a.needsPerson(withEnding(underAnotherDeclaration, a.begun.Row.Reason))
	}
	if a.begun.Resend {
		return a.apply(ctx)
	}
	return a.look(ctx)
}

// apply makes the effect by a call of the tool.
func (a *attempt) apply(ctx context.Context) (receipt plan.Receipt, err error) {
	call := a.call
	call.InDoubt, call.MayBegin = a.unsettled, a.mayBegin
	err = a.guarded(ctx, a.sendBy(), func(limited context.Context) error {
		if err := a.mayBegin(limited); err != nil {
			if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				err = tooLate(err)
			}
			return err
		}
		a.sent = true
		receipt, err = a.tool.Apply(limited, call)
		return err
	})
	if err == nil && !a.proves(receipt) {
		err = a.noReceipt()
	}
	return receipt, err
}

// alone reports whether nobody but this attempt can make the effect, or find
// it, for as long as it is in doubt.
func (a *attempt) alone() bool {
	_, canLook := a.finder()
	return a.claim.Resend == 0 && !canLook
}

// mayBegin reports whether a write may still begin: the claim is ours, and the
// approval has not ended.
func (a *attempt) mayBegin(ctx context.Context) error {
	if err := a.lease.check(ctx); err != nil {
		return err
	}
	return a.call.Allowed(ctx)
}

// guarded makes one call of the tool, which ends by the given time, and keeps
// the lease for as long as it is at work. After a panic in it, which goes on,
// nobody knows how far it had come.
func (a *attempt) guarded(ctx context.Context, by time.Time, call func(context.Context) error) error {
	limited, cancel := context.WithDeadline(ctx, by)
	defer cancel()
	kept, stop := a.lease.keep(limited, a.alone())
	returned := false
	defer func() {
		stop()
		if !returned {
			a.settle(ctx, a.park("the tool panicked", false)) //nolint:errcheck // logged there; the panic goes on
		}
	}()
	err := call(kept)
	returned = true
	return err
}

// sendBy is when a call that makes the effect must have ended. The ledger
// counts from the claim until when a call may be under way (Claim.Quiet), and
// so does this: a process that was suspended just before its call comes back
// to a context that has ended, however long that took.
func (a *attempt) sendBy() time.Time {
	latest := a.asked.Add(a.timeToSend() + a.callTimeout())
	if by := time.Now().Add(a.callTimeout()); by.Before(latest) {
		return by
	}
	return latest
}

// timeToSend is how much later than its claim a call may begin without losing
// time of its own.
func (a *attempt) timeToSend() time.Duration { return a.renew() }

func (a *attempt) callTimeout() time.Duration {
	return cmp.Or(a.tool.Spec().CallTimeout, defaultCallTimeout)
}

// proves reports whether a receipt is one of this action.
func (a *attempt) proves(r plan.Receipt) bool {
	return r.IdempotencyKey == a.claim.Key && r.Ref != "" && !r.At.IsZero()
}

// noReceipt is the fault of a tool that reports neither an error nor an
// effect. Nothing is concluded from that, least of all success; and asking the
// same code again would tell no more.
func (a *attempt) noReceipt() error {
	return a.needsPerson("tool " + a.tool.Spec().Name + " returned neither an error nor a receipt of this action")
}

// needsPerson is the fault for an outcome that only a person can find out.
func (a *attempt) needsPerson(why string) error {
	return &faults.Fault{Class: faults.Unknown, Code: faults.CodeOutcomeUnknown, Reason: why}
}

func tooLate(cause error) error {
	return &faults.Fault{
		Class: faults.Transient, Code: "claim_too_old", Cause: cause,
		Reason: "so much time has passed since the claim that a call would not end in time; nothing was sent",
	}
}
