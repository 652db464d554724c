package workflows

import (
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

const (
	// maxNotices bounds the rows that are kept of what is on its way, or ended.
	maxNotices = 50
	// maxWaitingNotices bounds the rows that are kept, and carried over, of what waits
	// for a place. What is beyond it waits too, and is not sent by an execution that
	// continues this one.
	maxWaitingNotices = 200
	// noticeAttempts spread over about a quarter of an hour.
	noticeAttempts = 20
	// maxNoticeAnswer bounds what the other side said, in bytes.
	maxNoticeAnswer = 200
	// noticeGrace is how long a run that has ended waits for its last notice.
	noticeGrace = 30 * time.Second
)

// NoticesAtOnce bounds the notices of a run that are on their way: a channel that
// fails keeps each for a quarter of an hour, and the server takes 2,000 activities
// of one workflow at a time, the actions' among them
// (https://docs.temporal.io/self-hosted-guide/defaults). Those beyond it wait, and
// are not sent when the run ends before there is a place.
const NoticesAtOnce = maxNotices

// boundNotices is a change to the sequence of commands, see doc.go: of an action
// in doubt people are told once, however many others there are, and no more
// notices than NoticesAtOnce are on their way.
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
// continued as this one, or had no place for. The keys are the same, so who had it
// drops it.
func (r *agentRun) notifyAgain(ctx workflow.Context) {
	for _, row := range slices.Clone(r.state.Notices) {
		if row.Status == StepRunning || row.Status == StepPending {
			r.deliver(ctx, row)
		}
	}
}

func (r *agentRun) deliver(ctx workflow.Context, row NoticeRow) {
	notice := r.notice(row)
	r.notices++
	// Asked here, and the row added here: who tells next looks at the rows, and may
	// do so before the coroutine has begun.
	waits := r.notices > NoticesAtOnce && boundsNotices(ctx)
	if row.Status = StepRunning; waits {
		row.Status = StepPending
	}
	r.state.AddNotice(row)
	workflow.GoNamed(disconnected(ctx), "notify "+row.Channel, func(ctx workflow.Context) {
		defer func() { r.notices-- }()
		if waits {
			if workflow.Await(ctx, func() bool { return r.sending < NoticesAtOnce }) != nil {
				return // the workflow is at its end
			}
			row.Status = StepRunning
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
		n.People, n.Needs, n.Until = terms.ConfirmersFor(s.Gate.Requester, row.Waiting[0]), "1 approver", &s.Grant.ExpiresAt
	case ResolutionNeeded:
		n.People, n.Needs = s.Doubts().Terms.ResolversFor(r.task.Requester, row.Waiting[0]), "1 resolver"
		n.Command = "starter status " + shellQuote(r.runID)
	}
	n.People = n.People[:min(len(n.People), maxStatusApprovers)]
	return n
}

// AddNotice takes a notice that is on its way, or waits for a place, once. One that
// has waited and is now on its way takes the place of its row.
func (s *State) AddNotice(row NoticeRow) {
	at := slices.IndexFunc(s.Notices, func(n NoticeRow) bool { return n.Key == row.Key })
	switch {
	case at >= 0 && (row.Status != StepRunning || s.Notices[at].Status != StepPending):
		return // of the execution before
	case at >= 0:
		s.Notices = slices.Delete(slices.Clone(s.Notices), at, at+1)
	case row.Status == StepPending && s.countNotices(StepPending) >= maxWaitingNotices:
		return
	}
	s.tellsOf(row)
	s.Notices = append(s.Notices, row)
	waiting := s.countNotices(StepPending)
	for extra := len(s.Notices) - waiting - maxNotices; extra > 0; extra-- {
		s.dropNotice(waiting > 0)
	}
}

func (s *State) countNotices(status StepStatus) int {
	n := 0
	for _, row := range s.Notices {
		if row.Status == status {
			n++
		}
	}
	return n
}

// dropNotice drops the oldest row that waits for no place. Where others wait, no
// more are on their way than rows are kept, and the oldest that has ended goes. Where
// none does, it may be one on its way: histories from before there was such a bound
// have rows by that.
func (s *State) dropNotice(ended bool) {
	at := slices.IndexFunc(s.Notices, func(n NoticeRow) bool {
		return n.Status != StepPending && !(ended && n.Status == StepRunning)
	})
	if at >= 0 {
		s.Notices = slices.Delete(slices.Clone(s.Notices), at, at+1)
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
			if n := &r.state.Notices[i]; n.Status == StepRunning || n.Status == StepPending {
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
