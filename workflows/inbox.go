package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
)

// topic is what a letter is about.
type topic int

const (
	aboutPlan   topic = iota // a decision
	aboutEffect              // a resolution
)

// maxBatch bounds the decisions judged in one local activity. Its marker holds
// their verdicts: some 1.5 kB for each refusal, however long it was, and up to
// 8 kB for the one that is accepted, twice that when it is hostile.
const maxBatch = 50

// inbox holds decisions and resolutions from the moment the server's event is
// read until they are judged. It is filled by the signal interceptor and by update handlers,
// and emptied by judgeForever.
type inbox struct {
	waiting []letter
	judging bool
	arrived int // in this execution
	judged  int // of those; the decision to continue as new goes by it too
	// asked are the doubts that this execution has asked anew, in order; see reset.go.
	asked []asking
	// deadline is the timer of the open gate or, while an action waits for a word
	// of its own, of the approval's life. A decision is late when that timer had
	// fired before the decision's own event: the order in the history decides, so
	// a worker that was away changes nothing.
	deadline workflow.Future
}

// letter is one undecoded decision or resolution, and where its verdict goes
// (nil for a signal: nobody waits).
type letter struct {
	topic   topic
	arrival Arrival
	reply   workflow.Settable
	asked   int // how many doubts had been asked anew when it arrived
}

func (b *inbox) add(ctx workflow.Context, about topic, payloads []byte, via string, reply workflow.Settable) {
	b.arrived++
	b.waiting = append(b.waiting, letter{
		topic: about,
		arrival: Arrival{
			Payloads: payloads,
			Via:      via,
			At:       now(ctx),
			Late:     b.deadline != nil && b.deadline.IsReady(),
		},
		reply: reply,
		asked: len(b.asked),
	})
}

// closeAt is for an execution that begins where the one before it waited, and
// whose deadline may have passed: what lies here was taken before this execution had its timer, so
// the order of events cannot tell, and the time at which it is read must.
func (b *inbox) closeAt(deadline time.Time) {
	for i := range b.waiting {
		if !b.waiting[i].arrival.At.Before(deadline) {
			b.waiting[i].arrival.Late = true
		}
	}
}

// idle reports whether everything that arrived has its verdict.
func (b *inbox) idle() bool { return len(b.waiting) == 0 && !b.judging }

// take returns the next letters that can be judged together: of one topic, and with
// nothing asked anew between them.
func (b *inbox) take() []letter {
	n, first := 1, b.waiting[0]
	for n < min(len(b.waiting), maxBatch) && b.waiting[n].topic == first.topic && b.waiting[n].asked == first.asked {
		n++
	}
	batch := b.waiting[:n:n]
	b.waiting = b.waiting[n:]
	return batch
}

// judgeForever judges what arrives, batch by batch, for as long as the
// workflow lives: also before there is a plan and while actions run, so that
// every sender finds a verdict.
func (r *agentRun) judgeForever(ctx workflow.Context) {
	for {
		if err := workflow.Await(ctx, func() bool { return len(r.inbox.waiting) > 0 }); err != nil {
			return
		}
		batch := r.inbox.take()
		r.inbox.judging = true
		r.judge(ctx, batch)
		r.inbox.judging = false
		r.inbox.judged += len(batch)
	}
}

// judge gets the verdicts on one batch and applies them. The verdicts are
// recorded by the local activity, so a replay never parses a decision again.
func (r *agentRun) judge(ctx workflow.Context, batch []letter) {
	arrivals := make([]Arrival, len(batch))
	for i, l := range batch {
		arrivals[i] = l.arrival
	}
	// Retries for as long as it takes: a decision is not lost because the
	// judge could not work now.
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		ScheduleToCloseTimeout: 365 * 24 * time.Hour,
		StartToCloseTimeout:    10 * time.Second,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: time.Second, MaximumInterval: 10 * time.Second},
	})
	var judged workflow.Future
	if batch[0].topic == aboutEffect {
		doubts := r.inbox.askedLater(r.state.Doubts(), batch[0])
		judged = workflow.ExecuteLocalActivity(ctx, JudgeResolutions, JudgeResolutionsInput{Doubts: doubts, Arrivals: arrivals})
	} else {
		judged = workflow.ExecuteLocalActivity(ctx, JudgeDecisions, JudgeDecisionsInput{Request: r.state.GateNow(), Arrivals: arrivals})
	}
	var out JudgeDecisionsResult
	err := judged.Get(ctx, &out)
	r.state.Outdated = r.state.Outdated || out.Outdated
	for i, l := range batch {
		var verdict approvals.Verdict
		if err == nil && i < len(out.Verdicts) {
			verdict = out.Verdicts[i]
			if r.state.rejectsAnew(verdict) && !takesRejections(ctx) {
				tooLate(&verdict)
			}
			r.take(ctx, &verdict)
		} else {
			verdict = unjudged(l.arrival)
			workflow.GetLogger(ctx).Error("a decision could not be judged", "run_id", r.runID, "error", err)
		}
		r.state.Decisions.Add(verdict)
		if l.reply != nil {
			l.reply.Set(verdict, err)
		}
	}
	// Of several who must approve, one may have: the page says who is missing now.
	// It is no command, so no history depends on it.
	workflow.SetCurrentDetails(ctx, r.details())
}

// unjudged is the verdict on a decision over which the judge itself broke: it
// changes nothing, and it is seen.
func unjudged(a Arrival) approvals.Verdict {
	return approvals.Verdict{
		Code: approvals.Malformed, At: a.At, Via: a.Via,
		Reason: "The judge failed on this decision; the worker's log says why. Send it again.",
	}
}
