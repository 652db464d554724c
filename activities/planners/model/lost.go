package model

import (
	"context"
	"fmt"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// purchases are the calls that were made for a question, by all attempts and
// workers: those on record, but for those that surely cost nothing. A call is on
// record before it is made, so that none is forgotten.
type purchases struct {
	calls int
	kept  int // of which the answers are stored
}

// purchases looks at the records of a question whose next answer is not stored. It
// refuses another call after Tries of them; and before one, when an answer was
// lost, it makes sure that the next one can be stored.
func (t *talk) purchases(ctx context.Context, q question) (purchases, error) {
	calls, err := t.spend.Made(ctx, t.request.Tenant, t.request.RunID, q.keys)
	if err != nil {
		return purchases{}, err
	}
	b := purchases{calls: calls, kept: len(q.keys) - 1}
	if b.calls >= t.limits.Tries {
		return b, t.lost(b, nil)
	}
	if b.calls > b.kept {
		if err := t.replies.Probe(ctx, t.request.Tenant); err != nil {
			return b, unreachable(err)
		}
	}
	return b, nil
}

// lost is the fault of a question after a call whose answer was lost: because's
// own, or that there were too many of them. Without because it is not known how the
// last one was lost.
func (t *talk) lost(b purchases, because *faults.Fault) error {
	if because != nil && because.Class == faults.Permanent {
		return because
	}
	if because != nil && b.calls < t.limits.Tries {
		return &faults.Paced{Err: because, Retry: t.limits.afterLost(b.calls - b.kept)}
	}
	last := "a worker was killed or stopped while the model was at work"
	fault := &faults.Fault{Class: faults.Permanent, Code: "answers_lost"}
	if because != nil {
		last, fault.Cause = because.Error(), because
	}
	fault.Reason = fmt.Sprintf("the model was called %d times for one question, as often as the planner's tries allows, and %d of the answers were lost; "+
		"each may have been paid for. Find out what loses them, and start the run again; the last: %s", b.calls, b.calls-b.kept, last)
	return fault
}
