package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/watched"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// lease is short: the recovery waits for its end.
const lease = time.Second

// Rehearsal rehearses one action.
type Rehearsal struct {
	Tool    tools.Tool
	Subject Subject
	Ledger  effects.Ledger // fresh, and of this rehearsal alone
	// Found is told each check when it is made, and Wait why the rehearsal
	// waits, and for how long. They may be nil.
	Found func(Check)
	Wait  func(why string, d time.Duration)
}

// Run goes through the steps. Its error says why nothing could be found out,
// such as a target that refuses the first call.
func (r Rehearsal) Run(ctx context.Context) (Result, error) {
	run := &run{
		Rehearsal: r, tool: &watched.Tool{Tool: r.Tool}, spec: r.Tool.Spec(),
		protocol: effects.Protocol{Ledger: r.Ledger, Owner: "drill", Lease: lease},
	}
	if err := run.lostReceipt(ctx); err != nil {
		return run.result, err
	}
	for _, step := range []func(context.Context){
		run.recovery, run.sameCall, run.otherPayload, run.otherPayloadAtTarget, run.atOnce, run.lastCount,
	} {
		step(ctx)
		if err := ctx.Err(); err != nil {
			return run.result, err
		}
	}
	return run.result, nil
}

// run is a rehearsal on its way.
type run struct {
	Rehearsal

	tool     *watched.Tool
	spec     tools.Spec
	protocol effects.Protocol
	number   int // of the last attempt
	began    time.Time
	result   Result
}

func (r *run) found(step string, v Verdict, format string, args ...any) {
	c := Check{Step: step, Verdict: v, Detail: fmt.Sprintf(format, args...)}
	r.result.Checks = append(r.result.Checks, c)
	if r.Found != nil {
		r.Found(c)
	}
}

func (r *run) wait(ctx context.Context, why string, d time.Duration) {
	if r.Wait != nil && d >= time.Second {
		r.Wait(why, d)
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// lostReceipt makes the effect and loses the receipt, as a worker does that
// is killed after the target's answer.
func (r *run) lostReceipt(ctx context.Context) error {
	if n, err := r.Tool.Count(ctx, r.call(r.Subject.Action)); err == nil && n > 0 {
		r.found("new key", Broken, "the target counts %d effects of a key that was never used", n)
	} else if err == nil && n == 0 {
		r.found("new key", Kept, "the target has no effect of it")
	}
	r.began = time.Now()
	if err := r.abandoned(ctx); err != nil {
		return fmt.Errorf("the first call gave no receipt, so nothing can be rehearsed: %w", err)
	}
	r.found("lost receipt", Kept, "the effect was made (%s), and its receipt lost on purpose", r.tool.FirstRef())
	r.counted(ctx, "lost receipt")
	return nil
}

// recovery is the attempt after the crash.
func (r *run) recovery(ctx context.Context) {
	const step = "recovery"
	before := r.tool.Calls()
	out, err := r.recovered(ctx)
	asksPerson := err != nil && faults.Name(err).Code == faults.CodeOutcomeUnknown
	sent := r.tool.Calls() - before
	switch {
	case r.spec.Class == plan.Once && asksPerson && sent == 0:
		r.found(step, Kept, "it stopped and sent nothing: a person decides")
	case r.spec.Class == plan.Once:
		r.found(step, Broken, "it must stop for a person; it sent %d calls (%s)", sent, outcome(err))
	case err != nil:
		r.found(step, Broken, "the first receipt was not found again: %s", err)
	case out.Receipt.Ref != r.tool.FirstRef():
		r.found(step, Broken, "it brought the receipt of another effect, %s", out.Receipt.Ref)
	case r.spec.Class == plan.Lookup && sent > 0:
		r.found(step, Broken, "the effect was there, and it was sent again")
	default:
		r.found(step, Kept, "it brought the first receipt; calls sent for it: %d", sent)
	}
	r.counted(ctx, step)
}

// sameCall does what no worker does: it sends again without asking the ledger.
func (r *run) sameCall(ctx context.Context) {
	const step = "same call"
	switch finder, finds := r.Tool.(tools.Finder); {
	case r.spec.Resend() > 0:
		receipt, err := r.again(ctx, r.Subject.Action)
		r.judgeAgain(step, receipt, err, false)
	case finds:
		found, err := finder.Find(ctx, r.call(r.Subject.Action))
		switch {
		case err != nil:
			r.found(step, Broken, "the look at the target failed: %s", err)
		case found.Presence != tools.Found:
			r.found(step, Broken, "the look at the target did not find the effect: %s", found.Detail)
		case found.Receipt.Ref != r.tool.FirstRef():
			r.found(step, Broken, "the look at the target found another effect, %s", found.Receipt.Ref)
		default:
			r.found(step, Kept, "a look at the target finds the effect; nothing was sent")
		}
	default:
		r.found(step, Kept, "not sent: nobody would keep a second effect away")
	}
	r.counted(ctx, step)
}

// otherPayload is what a plan does that means another effect and has the key
// of this one.
func (r *run) otherPayload(ctx context.Context) {
	const step = "other payload"
	if r.Subject.Other == nil {
		r.found(step, Open, "no parameter could be changed without changing target or item: name a file with others")
		return
	}
	before := r.tool.Calls()
	_, err := r.attempt(ctx, *r.Subject.Other, nil)
	if err == nil || faults.ClassOf(err) != faults.Permanent || r.tool.Calls() != before {
		r.found(step, Broken, "the ledger let it through: %s", outcome(err))
		return
	}
	r.found(step, Kept, "the ledger refused it, and nothing was sent")
}

// otherPayloadAtTarget asks what the target itself would do.
func (r *run) otherPayloadAtTarget(ctx context.Context) {
	const step = "other payload at the target"
	if r.Subject.Other == nil || r.spec.Resend() == 0 {
		return
	}
	receipt, err := r.again(ctx, *r.Subject.Other)
	r.judgeAgain(step, receipt, err, true)
	r.counted(ctx, step)
}

// judgeAgain judges a call under a key that the target knows.
func (r *run) judgeAgain(step string, receipt plan.Receipt, err error, other bool) {
	absent := errors.Is(err, tools.ErrDrift) || errors.Is(err, tools.ErrAbsent)
	switch {
	case err == nil && receipt.Ref != r.tool.FirstRef():
		r.found(step, Broken, "the target made another effect, %s beside %s", receipt.Ref, r.tool.FirstRef())
	case err == nil && other:
		r.found(step, Kept, "the target answered as to the first payload: only the ledger tells the two apart")
	case err == nil:
		r.found(step, Kept, "the target answered with the first receipt")
	case other && (absent || faults.Final(err)):
		r.found(step, Kept, "the target refused it: %s", err)
	case other:
		r.found(step, Open, "the target gave no clear answer: %s", err)
	default:
		r.found(step, Broken, "the target did not answer with the first receipt: %s", err)
	}
}

// lastCount gives a late second effect its time to appear.
func (r *run) lastCount(ctx context.Context) {
	r.wait(ctx, "a late effect would appear until then", r.spec.Settle)
	const step = "last count"
	if r.counted(ctx, step) {
		return
	}
	r.found(step, Open, "the target cannot be counted: look at %s for %s; it must be there once",
		r.Subject.Action.Target, r.trace())
}

// trace is what a person looks for.
func (r *run) trace() string {
	text := "the key " + r.Subject.Action.IdempotencyKey
	if r.Subject.Action.Item != "" {
		text += fmt.Sprintf(", the item %q", r.Subject.Action.Item)
	}
	return text + ", or the reference " + r.tool.FirstRef()
}

// counted counts at the target, and reports whether it can tell. An effect may
// take the settle time to be seen.
func (r *run) counted(ctx context.Context, step string) bool {
	return r.countedOf(ctx, step, r.Subject.Action)
}

func (r *run) countedOf(ctx context.Context, step string, a plan.Action) bool {
	end := time.Now().Add(r.spec.Settle)
	n, err := r.Tool.Count(ctx, r.call(a))
	for err == nil && n == 0 && time.Now().Before(end) && ctx.Err() == nil {
		r.wait(ctx, "the effect is not to be seen yet", min(r.spec.Settle, 500*time.Millisecond))
		n, err = r.Tool.Count(ctx, r.call(a))
	}
	switch {
	case err != nil:
		r.found(step, Open, "the target could not be counted: %s", err)
		return true
	case n < 0:
		return false
	case n == 1:
		r.found(step, Kept, "the target counts 1 effect")
	default:
		r.found(step, Broken, "the target counts %d effects; there must be 1", n)
	}
	return true
}
