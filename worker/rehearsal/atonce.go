package rehearsal

import (
	"context"
	"errors"
	"sync"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// answer is what became of one of the calls that were made at once.
type answer struct {
	receipt plan.Receipt
	err     error
}

// atOnce sends one key twice at the same time, as a worker that was suspended
// and the one that took over from it may. A target that looks for the key first
// and writes it down afterwards keeps a second call away, and not this one.
func (r *run) atOnce(ctx context.Context) {
	const step = "two at once"
	twin := r.Subject.Twin
	switch {
	case r.spec.Resend() == 0:
		return // no worker sends it twice
	case twin == nil:
		r.found(step, Open, "the parameters name no second effect: let something in them be new each time")
		return
	}
	first, second := r.both(ctx, *twin)
	r.judgeBoth(step, first, second)
	if first.err == nil || second.err == nil {
		r.countedOf(ctx, step, *twin)
	}
}

// both makes the calls, past the ledger.
func (r *run) both(ctx context.Context, a plan.Action) (first, second answer) {
	var ready, ended sync.WaitGroup
	ready.Add(2)
	for _, into := range []*answer{&first, &second} {
		ended.Go(func() {
			ready.Done()
			ready.Wait()
			into.receipt, into.err = r.againWith(ctx, r.Tool, a)
		})
	}
	ended.Wait()
	return first, second
}

func (r *run) judgeBoth(step string, first, second answer) {
	errs := errors.Join(first.err, second.err)
	absent := errors.Is(errs, tools.ErrDrift) || errors.Is(errs, tools.ErrAbsent)
	switch {
	case errs == nil && first.receipt.Ref != second.receipt.Ref:
		r.found(step, Broken, "the target made two effects of one key, %s and %s", first.receipt.Ref, second.receipt.Ref)
	case errs == nil:
		r.found(step, Kept, "the target answered both with one receipt")
	case first.err != nil && second.err != nil:
		r.found(step, Open, "neither of the two calls made an effect: %s; let the parameters name a new one each time", outcome(first.err))
	case absent:
		r.found(step, Broken, "the target made the effect, and said of the other call of its key that there is none: %s", outcome(errs))
	case faults.Final(errs):
		r.found(step, Kept, "the target answered one of the two calls, and refused the other: %s", outcome(errs))
	default:
		r.found(step, Open, "the target answered one of the two calls, and of the other nothing clear: %s", outcome(errs))
	}
}
