package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

// past is what the attempts at an action leave to the next one, in their
// heartbeats. An attempt that is killed says nothing more, and what is not said
// is taken for the worse.
type past struct {
	// Idle is how many attempts could not ask the ledger and called no tool, or
	// called one that lacks a secret on its worker and sent nothing. They are none
	// of the tool's.
	Idle int `json:"idle,omitempty"`
	// Lost is the time in which every attempt was idle.
	Lost time.Duration `json:"lost,omitempty"`
	// Unclaimed is the last attempt by which, as by those before it, the key was
	// surely not claimed.
	Unclaimed int `json:"unclaimed,omitempty"`
}

// tries is one attempt's place among those at its action.
type tries struct {
	number int // of this attempt, from 1
	most   int // that the tool allows; 0 leaves the count to the server
	past   past
	since  time.Duration // from the first attempt's schedule to the beginning of this one
	// idle and unclaimed are said of this attempt, as in past.
	idle, unclaimed bool
}

func triesOf(ctx context.Context, in workflows.ExecuteActionInput) *tries {
	info := activity.GetInfo(ctx)
	t := &tries{
		number: int(info.Attempt), most: in.MaxAttempts, since: info.StartedTime.Sub(info.ScheduledTime), unclaimed: true,
	}
	if activity.HasHeartbeatDetails(ctx) && activity.GetHeartbeatDetails(ctx, &t.past) != nil {
		t.past = past{}
	}
	if t.said() != (past{}) {
		activity.RecordHeartbeat(ctx, t.said()) // so that it is not lost with this attempt
	}
	return t
}

// said is what is known at the beginning of the attempt, and stays so whatever
// becomes of it.
func (t *tries) said() past { return past{Idle: t.past.Idle, Lost: t.past.Lost} }

// clean reports whether surely no attempt before this one has claimed the key.
func (t *tries) clean() bool { return t.number == 1 || t.past.Unclaimed == t.number-1 }

// earlier is how long ago, at most, an attempt may have made the call; 0 says
// that none has. An outage of all workers is no longer than the first schedule.
func (t *tries) earlier(in workflows.ExecuteActionInput, elapsed time.Duration) time.Duration {
	switch {
	case in.Expected:
		return beyondAnyWindow
	case t.clean():
		return 0
	default:
		return t.since + elapsed + time.Second
	}
}

// beyondAnyWindow is longer than any target remembers a key.
const beyondAnyWindow = 10 * 365 * 24 * time.Hour

// usedUp refuses to begin when every attempt that the tool allows was begun: the
// workers of some of them died without a word.
func (t *tries) usedUp() error {
	if t.most == 0 || t.number-t.past.Idle <= t.most {
		return nil
	}
	return bad("attempts_used_up", "all %d attempts were begun before, and none came to an end", t.most)
}

// ended leaves word of this attempt to the next one, and says when there is to
// be none.
func (t *tries) ended(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	next := t.said()
	if t.idle {
		if next.Idle++; next.Idle == t.number {
			next.Lost = t.since
		}
	}
	if t.unclaimed && t.clean() {
		next.Unclaimed = t.number
	}
	if next != t.said() {
		activity.RecordHeartbeat(context.WithoutCancel(ctx), next)
	}
	if t.most > 0 && !t.idle && t.number-t.past.Idle >= t.most {
		return &faults.Last{Err: err}
	}
	return err
}

// paced gives an error the tool's own way of trying again. A ledger that is away,
// or a secret that this worker lacks, has none, and takes nothing of the tool's
// budget: the approval's end ends the wait for it.
func (t *tries) paced(err error, retry faults.Retry) error {
	if t.idle {
		return err
	}
	if retry.Budget > 0 {
		retry.Budget += t.past.Lost
	}
	return &faults.Paced{Err: err, Retry: retry}
}

// whileWaiting says in heartbeats that nothing is claimed yet, for as long as an
// attempt waits for its turn: a worker that is killed meanwhile leaves no doubt.
// stop takes it back.
func (t *tries) whileWaiting(ctx context.Context) (stop func()) {
	if !t.clean() {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan bool)
	go func() {
		select {
		case <-done:
			ended <- false
		case <-time.After(worthSaying):
			said := t.said()
			said.Unclaimed = t.number
			activity.RecordHeartbeat(ctx, said)
			ended <- true
		}
	}()
	return func() {
		close(done)
		if <-ended {
			activity.RecordHeartbeat(ctx, t.said())
		}
	}
}

// worthSaying is after how long a wait for a turn is one.
const worthSaying = time.Second
