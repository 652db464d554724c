package workflows

import (
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

const (
	// maxNotices bounds the rows that are kept.
	maxNotices = 50
	// noticeAttempts spread over about a quarter of an hour.
	noticeAttempts = 20
	// maxNoticeAnswer bounds what the other side said, in bytes.
	maxNoticeAnswer = 200
	// noticeGrace is how long a run that has ended waits for its last notice.
	noticeGrace = 30 * time.Second
)

// notify tells people through every channel of the request, beside whatever
// the run does: a channel that fails is seen in the status and stops nothing.
// A history whose request names no channel has no command for it.
func (r *agentRun) notify(ctx workflow.Context, event Event, occasion string, waiting []string) {
	if r.state.Request == nil {
		return
	}
	for _, channel := range r.state.Request.Notify[event] {
		row := NoticeRow{Event: event, Channel: channel, At: now(ctx), Occasion: occasion, Waiting: waiting, Status: StepRunning}
		row.Key = r.noticeKey(row)
		r.state.AddNotice(row)
		r.deliver(ctx, row)
	}
}

// notifyAgain sends what the execution before had not heard of when it
// continued as this one. The keys are the same, so who had it drops it.
func (r *agentRun) notifyAgain(ctx workflow.Context) {
	for _, row := range r.state.Notices {
		if row.Status == StepRunning {
			r.deliver(ctx, row)
		}
	}
}

func (r *agentRun) deliver(ctx workflow.Context, row NoticeRow) {
	notice := r.notice(row)
	r.notices++
	workflow.GoNamed(disconnected(ctx), "notify "+row.Channel, func(ctx workflow.Context) {
		defer func() { r.notices-- }()
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: time.Minute,
			RetryPolicy:         retryPolicy(noticeAttempts),
			Summary:             string(row.Event) + " to " + row.Channel,
		})
		var out NoticeResult
		err := workflow.ExecuteActivity(ctx, Notify, notice).Get(ctx, &out)
		r.state.NoticeEnded(row.Key, out, err)
	})
}

// notice is what a row says to people.
func (r *agentRun) notice(row NoticeRow) Notice {
	s := &r.state
	n := Notice{
		Channel: row.Channel, Key: row.Key, Event: row.Event, At: row.At,
		RunID: r.runID, Tenant: r.task.Tenant, BusinessID: r.task.BusinessID, Requester: r.task.Requester,
		RequestID: s.Request.RequestID, PlanHash: s.Plan.PlanHash, Risk: s.Plan.Risk, Actions: len(s.Plan.Actions),
		Waiting: row.Waiting, Command: "approver show " + shellQuote(r.runID),
	}
	terms := s.Request.Terms
	switch row.Event {
	case ApprovalRequested, ApprovalReminded, ApprovalExpired:
		n.People, n.Needs, n.Until = s.mayApprove(), s.Gate.Missing(), s.DecideBy
	case ConfirmationRequested:
		n.People, n.Needs, n.Until = s.mayApprove(), "1 approver", &s.Grant.ExpiresAt
	case ResolutionNeeded:
		n.People, n.Needs = terms.ResolversFor(r.task.Requester, row.Waiting[0]), "1 resolver"
		n.Command = "starter status " + shellQuote(r.runID)
	}
	n.People = n.People[:min(len(n.People), maxStatusApprovers)]
	return n
}

// mayApprove lists who may approve the present plan.
func (s *State) mayApprove() []string {
	var names []string
	for _, name := range s.Request.Terms.Approvers() {
		if code, _ := s.Request.Terms.Allows(s.Gate.Requester, name, approvals.Approve); code == approvals.Accepted {
			names = append(names, name)
		}
	}
	return names
}

// noticeKey is the idempotency key of one message: the same on every attempt.
func (r *agentRun) noticeKey(row NoticeRow) string {
	return plan.Identity{
		Tenant: r.task.Tenant, BusinessID: r.task.BusinessID, Tool: "notify/" + row.Channel,
		Target: r.state.Request.RequestID, Item: string(row.Event) + "/" + row.Occasion, SemanticVersion: r.task.SemanticVersion,
	}.Key()
}

// AddNotice takes a notice that is on its way.
func (s *State) AddNotice(row NoticeRow) {
	s.Notices = append(s.Notices, row)
	if extra := len(s.Notices) - maxNotices; extra > 0 {
		s.Notices = append([]NoticeRow(nil), s.Notices[extra:]...)
	}
}

// NoticeEnded records what became of a notice.
func (s *State) NoticeEnded(key string, out NoticeResult, err error) {
	for i := range s.Notices {
		if n := &s.Notices[i]; n.Key == key {
			n.Status, n.Answer = StepCompleted, plan.Clip(out.Answer, maxNoticeAnswer)
			if err != nil {
				n.Status, n.Error = StepFailed, plan.Clip(FaultText(err), maxErrorText)
			}
		}
	}
}

// told reports whether people have been told of this, or are being told.
func (s *State) told(event Event, occasion string) bool {
	return slices.ContainsFunc(s.Notices, func(n NoticeRow) bool { return n.Event == event && n.Occasion == occasion })
}

// awaitNotices gives the last notices of a run some time to go out. A run does
// not stay because of a channel that is away.
func (r *agentRun) awaitNotices(ctx workflow.Context) error {
	if r.notices == 0 {
		return nil
	}
	gone, err := workflow.AwaitWithTimeout(ctx, noticeGrace, func() bool { return r.notices == 0 })
	if !gone {
		for i := range r.state.Notices {
			if n := &r.state.Notices[i]; n.Status == StepRunning {
				n.Status, n.Error = StepFailed, "not delivered when the run ended"
			}
		}
	}
	return err
}

// tellOfDoubts tells once of each action that waits for a resolution.
func (x *execution) tellOfDoubts(ctx workflow.Context) {
	for _, i := range x.state.waiting() {
		row := x.state.Actions[i]
		occasion := fmt.Sprintf("%s/%d", row.ID, row.Doubt.Token)
		if !x.state.told(ResolutionNeeded, occasion) {
			x.notify(ctx, ResolutionNeeded, occasion, []string{row.ID})
		}
	}
}
