package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// AskServer reports whether the Temporal server still waits for this attempt,
// and leaves said with it as the attempt's last word.
func AskServer(ctx context.Context, said any) error {
	return activity.GetClient(ctx).RecordActivityHeartbeat(ctx, activity.GetInfo(ctx).TaskToken, said)
}

// hold is an attempt's knowledge that the server still waits for it. A worker that
// was suspended does not know for how long, so its clock lags: the server may have
// given the attempt up since, and the run may have ended without it. It is asked
// before the claim, so that a lost attempt claims nothing, and after it, so that
// one that was lost on the way to its claim writes nothing: of a claim that nobody
// has made yet no other attempt can know. What is lost after that the lease and the
// clock notice.
type hold struct {
	ask   func(ctx context.Context, said any) error // nil: nobody can be asked
	lasts time.Duration                             // for which a yes is one: within it the server gives no attempt up
	asked time.Time                                 // when the last yes was asked for
}

// check asks the server, unless it has said so a moment ago.
func (h *hold) check(ctx context.Context, said past) error {
	if h.ask == nil || !h.asked.IsZero() && time.Since(h.asked) < h.lasts {
		return nil
	}
	now := time.Now()
	if err := h.ask(ctx, said); err != nil {
		return &faults.Fault{
			Class: faults.Transient, Code: "attempt_lost", Cause: err,
			Reason: "the Temporal server does not wait for this attempt any more, or cannot be asked; nothing was begun",
		}
	}
	h.asked = now
	return nil
}
