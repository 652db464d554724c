package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// People leave, and change their keys, while an action of unknown outcome waits for
// one of them. A run hears of the policy of the day with each look at the ledger and
// with each word that is told to it. What is refused comes to neither; so the judge
// says when he refuses by another policy than that of the day, and the run asks for
// that. What was refused stays so: who is taken by the new policy says it again.

// hearAgainAfter bounds how often a run asks because of what it refuses, whatever
// is sent to it.
const hearAgainAfter = time.Minute

// Hear takes the policy of the day, where the answer names it.
func (s *State) Hear(out SettleActionResult) {
	if out.Today != nil {
		s.Resolving = out.Today
	}
}

// mustHear reports whether the policy of the day is to be asked for.
func (x *execution) mustHear() bool {
	return x.state.Outdated && !x.hearing && !x.ending() && x.doubtful() >= 0
}

// doubtful is the place of an action about which people can still say something;
// -1 when there is none.
func (x *execution) doubtful() int {
	for i, row := range x.state.Actions {
		if row.Resolvable() {
			return i
		}
	}
	return -1
}

// hear asks for the policy of the day, beside whatever goes on: at once, or, when it
// was asked for a short while ago, once that is over.
func (x *execution) hear(ctx workflow.Context) {
	if !x.mustHear() {
		return
	}
	x.hearing = true
	x.inFlight++
	workflow.GoNamed(ctx, "hear", func(ctx workflow.Context) {
		if x.state.HeardAt != nil {
			wait := max(x.state.HeardAt.Add(hearAgainAfter).Sub(workflow.Now(ctx)), 0)
			x.pause(ctx, wait, "until the policy of the day is asked for again", x.ending)
		}
		x.hearNow(ctx)
		x.hearing = false
		x.inFlight--
		x.landed++
	})
}

func (x *execution) hearNow(ctx workflow.Context) {
	i := x.doubtful()
	if i < 0 || x.ending() {
		return
	}
	at := now(ctx)
	x.state.Outdated, x.state.HeardAt = false, &at
	asking, cancel := workflow.WithCancel(ctx)
	defer cancel()
	in := x.settlement(i)
	in.Hears = true
	answer := workflow.ExecuteActivity(x.settleContext(asking, x.state.Plan.Actions[i]), SettleAction, in)
	var out SettleActionResult
	if x.await(ctx, answer, func() bool { return false }) == nil && answer.Get(ctx, &out) == nil {
		x.state.Hear(out)
	}
}
