package rehearsal

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// mostAttempts bounds the attempts of one step; each waits as the tool asks.
const mostAttempts = 8

func (r *run) call(a plan.Action) tools.Call {
	return tools.Call{
		RunID: tenant + "/rehearsal", PlanHash: plan.Sum([]byte("rehearsal")), Approver: "drill", Action: a,
		InDoubt: !r.began.IsZero(), FirstSent: r.began,
	}
}

func (r *run) attempt(ctx context.Context, a plan.Action, reached func(effects.Point)) (effects.Outcome, error) {
	r.number++
	p := r.protocol
	p.Reached = reached
	call := r.call(a)
	call.InDoubt, call.FirstSent = false, time.Time{} // the protocol's to say
	return p.Run(ctx, r.tool.AsTool(), call, r.number, tenant)
}

// abandoned is an attempt that ends right after its call, as if its process
// had ended: the claim stays as it is, and its lease runs out. nil says that
// the effect was made.
func (r *run) abandoned(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() {
		var err error
		defer func() { ended <- err }()
		_, err = r.attempt(ctx, r.Subject.Action, func(p effects.Point) {
			if p == effects.PointEffect {
				runtime.Goexit()
			}
		})
		if err == nil {
			err = errors.New("the attempt did not pass the point where its receipt is lost")
		}
	}()
	return <-ended
}

// recovered makes attempts as a worker does, until one is the last.
func (r *run) recovered(ctx context.Context) (out effects.Outcome, err error) {
	for range mostAttempts {
		out, err = r.attempt(ctx, r.Subject.Action, nil)
		if err == nil || faults.Final(err) || ctx.Err() != nil {
			return out, err
		}
		r.wait(ctx, "until then the first call could still be at work: "+faults.Name(err).Code, pause(err))
	}
	return out, err
}

// again makes one call past the ledger, and once more where it was asked to
// come back.
func (r *run) again(ctx context.Context, a plan.Action) (plan.Receipt, error) {
	return r.againWith(ctx, r.tool, a)
}

func (r *run) againWith(ctx context.Context, tool tools.Tool, a plan.Action) (receipt plan.Receipt, err error) {
	for range mostAttempts {
		callCtx, cancel := context.WithTimeout(ctx, r.spec.CallTimeout)
		receipt, err = tool.Apply(callCtx, r.call(a))
		cancel()
		class := faults.ClassOf(err)
		if err == nil || class != faults.InProgress && class != faults.Throttled && class != faults.Transient || ctx.Err() != nil {
			return receipt, err
		}
		r.wait(ctx, "the target asks for it: "+faults.Name(err).Code, pause(err))
	}
	return receipt, err
}

// pause is the wait before another attempt.
func pause(err error) time.Duration {
	const shortest = 200 * time.Millisecond
	return max(faults.Name(err).RetryAfter, shortest)
}

func outcome(err error) string {
	if err == nil {
		return "it ended well"
	}
	return err.Error()
}
