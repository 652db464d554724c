package activities

import (
	"context"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

// Notify sends a notice once, through the channel that it names. It is tried
// again whenever it may not have been taken: at least once, deduplicated by the
// notice's key at whoever receives it.
func (a *Activities) Notify(ctx context.Context, in workflows.Notice) (workflows.NoticeResult, error) {
	answer, err := a.Notices.Send(ctx, in)
	if err != nil {
		return workflows.NoticeResult{}, &faults.Paced{Err: err, Retry: noticeRetry()}
	}
	return workflows.NoticeResult{Attempt: attempt(ctx), Answer: answer}, nil
}

// noticeRetry waits longer than a step does: nothing waits for a notice, and a
// mail server that wants to see a stranger twice means minutes.
func noticeRetry() faults.Retry {
	return faults.Retry{Base: time.Second, Max: 2 * time.Minute, MaxAfter: 10 * time.Minute}
}
