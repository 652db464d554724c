package workflows

import (
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

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
	// noticesAtOnce bounds those on their way: a channel that fails keeps each for
	// a quarter of an hour, and the server takes 2,000 activities of one workflow
	// at a time, the actions' among them
	// (https://docs.temporal.io/self-hosted-guide/defaults).
	noticesAtOnce = maxNotices
)

// boundNotices is a change to the sequence of commands, see doc.go: of an action
// in doubt people are told once, however many others there are, and no more
// notices than noticesAtOnce are on their way.
const boundNotices = "bound-notices"

func boundsNotices(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, boundNotices, workflow.DefaultVersion, 1) == 1
}

// notify tells people through every channel of the request, beside whatever
// the run does: a channel that fails is seen in the status and stops nothing.
// A history whose request names no channel has no command for it.
func (r *agentRun) notify(ctx workflow.Context, event Event, occasion string, waiting []string) {
	if r.state.Request == nil {
		return
	}
	for _, channel := range r.state.Request.Notify[event] {
		row := NoticeRow{Event: event, Channel: channel, At: now(ctx), Occasion: occasion, Waiting: waiting, Status: StepRunning}
		row.Key = NoticeKey(r.task, r.state.Request.RequestID, channel, event, occasion)
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
	// Asked here, and the row added here where it can be: who tells next looks at
	// the rows, and may do so before the coroutine has begun.
	waits := r.notices > noticesAtOnce && boundsNotices(ctx)
	if !waits {
		r.state.AddNotice(row)
	}
	workflow.GoNamed(disconnected(ctx), "notify "+row.Channel, func(ctx workflow.Context) {
		defer func() { r.notices-- }()
		if waits {
			if workflow.Await(ctx, func() bool { return r.sending < noticesAtOnce }) != nil {
				return // the workflow is at its end
			}
			r.state.AddNotice(row)
		}
		r.sending++
		defer func() { r.sending-- }()
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
		n.People, n.Needs, n.Until = s.Gate.Awaited(), s.Gate.Missing(), s.DecideBy
		if s.Grant != nil { // which was given, and has ended
			n.People, n.Until = terms.ApproversFor(s.Gate.Requester), &s.Grant.ExpiresAt
		}
	case ConfirmationRequested:
		n.People, n.Needs, n.Until = terms.ApproversFor(s.Gate.Requester), "1 approver", &s.Grant.ExpiresAt
	case ResolutionNeeded:
		n.People, n.Needs = terms.ResolversFor(r.task.Requester, row.Waiting[0]), "1 resolver"
		n.Command = "starter status " + shellQuote(r.runID)
	}
	n.People = n.People[:min(len(n.People), maxStatusApprovers)]
	return n
}

// AddNotice takes a notice that is on its way, once.
func (s *State) AddNotice(row NoticeRow) {
	if slices.ContainsFunc(s.Notices, func(n NoticeRow) bool { return n.Key == row.Key }) {
		return // of the execution before
	}
	s.tellsOf(row)
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

// tellsOf remembers with an action in doubt that people are told of it: the rows
// of notices are the last ones only.
func (s *State) tellsOf(row NoticeRow) {
	if row.Event != ResolutionNeeded {
		return
	}
	for i := range s.Actions {
		if a := &s.Actions[i]; a.Doubt != nil && slices.Contains(row.Waiting, a.ID) {
			a.Told = a.Doubt.Token
		}
	}
}

// tellOfDoubts tells once of each action that waits for a resolution.
func (x *execution) tellOfDoubts(ctx workflow.Context) {
	for _, i := range x.state.waiting() {
		row := x.state.Actions[i]
		occasion := fmt.Sprintf("%s/%d", row.ID, row.Doubt.Token)
		if x.state.told(ResolutionNeeded, occasion) {
			continue
		}
		if (row.Told == row.Doubt.Token || x.telling[occasion]) && boundsNotices(ctx) {
			continue
		}
		x.telling[occasion] = true
		x.notify(ctx, ResolutionNeeded, occasion, []string{row.ID})
	}
}

// tellGrantEnds is a change to the sequence of commands, see doc.go: an approval
// whose life ends before every action was done is told of as a time to decide is
// that nobody met.
const tellGrantEnds = "tell-grant-ends"

func (x *execution) tellOfExpiry(ctx workflow.Context) {
	if len(x.state.Request.Notify[ApprovalExpired]) > 0 && workflow.GetVersion(ctx, tellGrantEnds, workflow.DefaultVersion, 1) == 1 {
		x.notify(ctx, ApprovalExpired, GrantEnded, nil)
	}
}
