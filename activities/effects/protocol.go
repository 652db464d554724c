package effects

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Protocol runs tools under the protection of a ledger. It is safe for
// concurrent use.
type Protocol struct {
	Ledger Ledger
	Owner  string        // the worker process, for people who read the ledger
	Lease  time.Duration // how long a claim outlives its process
	Renew  time.Duration // time between two renewals; 0 is a third of Lease
	// Reached is called at each point of an attempt, for crash drills. It may
	// be nil.
	Reached func(Point)
	Log     *zap.Logger // nil logs nothing
}

// Point names a moment of an attempt at which a crash is worth rehearsing.
type Point string

// The points, in the order in which an attempt passes them.
const (
	PointBegun    Point = "begun"    // the key is claimed, and nothing was sent
	PointEffect   Point = "effect"   // the effect was made, and nothing says so here
	PointRecorded Point = "recorded" // the ledger holds the receipt
)

// Attempt says which attempt at an action it is, and what is known of those
// before it.
type Attempt struct {
	Number int // counted from 1, for those who read the ledger and the log
	Tenant string
	Ledger string // the identity of the ledger by which the plan was made; "" is any
	// Earlier, when it is not 0, says that an attempt before this one may have
	// claimed the key, at most so long ago.
	Earlier time.Duration
}

// Outcome is how an attempt ended.
type Outcome struct {
	Receipt   plan.Receipt
	Duplicate bool   // the ledger held the receipt; the tool was not called
	Recovered bool   // an earlier attempt had left the outcome unknown
	Drifted   bool   // nothing was written: the target is not what the plan was made for
	Detail    string // one line for people; empty when there is nothing to add

	// Idle says, beside an error, that this attempt was none of the tool's: the
	// ledger could not be asked and the tool was not called, or the tool lacks a
	// secret on this worker and has sent nothing. Unclaimed, that this attempt surely has not even
	// claimed the key.
	Idle, Unclaimed bool
}

// Run is Attempt for an attempt of which nothing more is known than its number.
func (p *Protocol) Run(
	ctx context.Context, tool tools.Tool, call tools.Call, number int, tenant string,
) (Outcome, error) {
	return p.Attempt(ctx, tool, call, Attempt{Number: number, Tenant: tenant})
}

// Attempt makes the effect of one approved action, or finds that it has been
// made. The caller has checked that the approval still covers the action; what
// call.Allowed refuses after the waits in here is not begun, and that refusal
// is the error, or its cause.
//
// Every error is a *faults.Fault, except the context's own when it ended
// after a claim that needed no recovery and before anything was sent.
// Permanent, Transient and Throttled say that the effect is surely absent,
// also of every earlier attempt at this key, so that the last error of an
// activity tells the truth about all of them; InProgress and Unknown say that
// it may be there.
func (p *Protocol) Attempt(ctx context.Context, tool tools.Tool, call tools.Call, which Attempt) (Outcome, error) {
	action, spec := call.Action, tool.Spec()
	fingerprint, err := plan.Fingerprint(action.Parameters)
	if err != nil {
		return Outcome{}, badParameters(action, err)
	}
	a := &attempt{
		Protocol: p, tool: tool, call: call,
		log: p.logger().With(
			zap.String("idempotency_key", action.IdempotencyKey), zap.String("tenant", which.Tenant),
			zap.String("run_id", call.RunID), zap.String("action_id", action.ID), zap.Int("attempt", which.Number)),
	}
	a.claim = Claim{
		Ledger:      which.Ledger,
		Key:         action.IdempotencyKey,
		Fingerprint: fingerprint,
		Declaration: action.ToolDigest,
		Tenant:      which.Tenant,
		RunID:       call.RunID,
		ActionID:    action.ID,
		Tool:        action.Tool,
		Target:      action.Target,
		Attempt:     which.Number,
		Owner:       p.Owner,
		Lease:       p.Lease,
		Quiet:       a.timeToSend() + a.callTimeout() + spec.Settle,
		Resend:      a.resend(),
	}
	if a.claim.Resend != tools.Always {
		a.claim.Earlier = which.Earlier
	}
	begun, err := a.begin(ctx)
	if err == nil && begun.Held > 0 && waitFor(ctx, begun.Held+leaseMargin) {
		// Most often the holder is dead, and its lease is about to end. One
		// that is alive has renewed it by then.
		begun, err = a.begin(ctx)
	}
	if err != nil {
		// Nothing was sent now. What was sent before, under this plan or an
		// earlier one with the same key, only the ledger knows.
		return Outcome{Idle: ledgerIsAway(err), Unclaimed: faults.ClassOf(err) == faults.Transient}, inDoubt(err, true)
	}
	if begun.Token == 0 {
		a.log.Info("the ledger did not hand out the key", zap.String("state", string(begun.Row.State)),
			zap.Duration("held_for", begun.Held))
		return notClaimed(begun, fingerprint)
	}
	a.unsettled, a.recovered = begun.Recover, begun.Recover
	if begun.Lost {
		return a.lost(ctx)
	}
	return a.run(ctx)
}

// resend is for how long after the first call the same one may be made again.
// It leaves room for a call that begins later than its claim: it, too, must
// arrive while the target remembers the key.
func (a *attempt) resend() time.Duration {
	within := a.tool.Spec().Resend()
	if within == tools.Always {
		return within
	}
	return max(within-a.timeToSend(), 0)
}

// notClaimed is what a row means that Begin did not hand out.
func notClaimed(begun Begun, fingerprint plan.Digest) (Outcome, error) {
	row := begun.Row
	switch {
	case begun.Held > 0:
		return Outcome{}, leaseHeld(begun)
	case row.Fingerprint == fingerprint && row.Receipt != nil:
		return Outcome{Receipt: *row.Receipt, Duplicate: true, Detail: "the ledger holds its receipt, from run " + row.RunID}, nil
	case row.State == Completed:
		return Outcome{}, conflict("key_conflict", row, "was used for")
	default:
		return Outcome{}, conflict("key_in_doubt", row, "may have been used, with an unknown outcome, for")
	}
}

func (p *Protocol) reached(point Point) {
	if p.Reached != nil {
		p.Reached(point)
	}
}

func (p *Protocol) renew() time.Duration {
	if p.Renew > 0 {
		return p.Renew
	}
	return p.Lease / 3
}

func (p *Protocol) logger() *zap.Logger {
	if p.Log == nil {
		return zap.NewNop()
	}
	return p.Log
}

// leaseMargin keeps a retry from arriving a moment before the lease ends.
const leaseMargin = 50 * time.Millisecond

// longestWait is how long an attempt waits for another one's lease to end
// instead of giving its place back.
const longestWait = 10 * time.Second

// waitFor waits, and reports whether it could: not beyond the context, or the
// longest wait that is worth an attempt's time.
func waitFor(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < 2*d || d > longestWait {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func leaseHeld(begun Begun) error {
	return &faults.Fault{
		Class: faults.InProgress, Code: "lease_held",
		Reason:     "another attempt of this action, of run " + begun.Row.RunID + ", is at work or may still have its effect; it must end first",
		RetryAfter: begun.Held + leaseMargin,
	}
}

func conflict(code string, row Row, how string) error {
	return &faults.Fault{
		Class: faults.Permanent, Code: code,
		Reason: "the idempotency key " + how + " other parameters, by action " + row.ActionID + " of run " + row.RunID,
	}
}

func badParameters(action plan.Action, err error) error {
	return &faults.Fault{
		Class: faults.Permanent, Code: "bad_parameters",
		Reason: "action " + action.ID + " has parameters that cannot be fingerprinted", Cause: err,
	}
}
