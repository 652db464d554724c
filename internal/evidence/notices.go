package evidence

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// checkNotices wants each notice to be of something that the run came to, once,
// and everybody to have been told who must have been.
func (v *verifier) checkNotices() {
	told := map[string]int{}
	var last time.Time
	for i, n := range v.content.Notices {
		where := fmt.Sprintf("notice %d", i)
		if (n.Ending == Failed || n.Ending == TimedOut) != (n.Failure != nil) || n.Answer != "" && n.Ending != Completed {
			v.bad(where, "it ended %q, and its answer or failure says otherwise", plan.Escape(string(n.Ending)))
		}
		v.checkOccasion(where, n)
		// An execution that continues another sends again what that one had not
		// heard of.
		if told[n.Key]++; told[n.Key] > len(v.content.Executions) {
			v.bad(where, "it is there more often than the run has executions")
		}
		if told[n.Key] == 1 && n.At.Before(last) {
			v.bad(where, "it stands behind a later one")
		}
		last = later(last, n.At)
	}
	for i := range v.content.Requests {
		v.checkTold(i, told)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// occasion is something of which people are told.
type occasion struct {
	name    string    // that the notice's key is of
	since   time.Time // when the run came to it, at the earliest
	exactly bool      // and at no other time
	waiting []string
}

// checkOccasion looks for what a notice is of.
func (v *verifier) checkOccasion(where string, n Notice) {
	place, known := v.requests[n.RequestID]
	if !known || v.content.Requests[place].PlanHash != n.PlanHash {
		v.bad(where, "it is of another request or plan than the run's")
		return
	}
	for _, o := range v.occasions(place, n.Event) {
		if v.noticeKey(n.RequestID, n.Channel, n.Event, o) != n.Key {
			continue
		}
		switch {
		case n.At.Before(o.since), o.exactly && !n.At.Equal(o.since):
			v.bad(where, "the run came to it at another time")
		case !slices.Equal(n.Waiting, o.waiting):
			v.bad(where, "it names other actions than its key does")
		case v.content.SaysWhom() && !slices.Contains(v.content.Requests[place].Notify[n.Event], n.Channel):
			v.bad(where, "its request names no such channel for it")
		}
		return
	}
	v.bad(where, "its key is of nothing that the run came to")
}

func (v *verifier) noticeKey(requestID, channel string, event workflows.Event, o occasion) string {
	return workflows.NoticeKey(v.task, requestID, channel, event, o.name)
}

// occasions are all that people can have been told of about one request.
func (v *verifier) occasions(place int, event workflows.Event) []occasion {
	r := v.content.Requests[place]
	switch event {
	case workflows.ApprovalRequested:
		if !r.Terms.Unattended() {
			return []occasion{{since: r.OpenedAt, exactly: true}}
		}
	case workflows.ApprovalReminded:
		var all []occasion
		for i, after := range r.Terms.RemindAfter {
			all = append(all, occasion{name: strconv.Itoa(i + 1), since: r.OpenedAt.Add(after)})
		}
		return all
	case workflows.ApprovalExpired:
		grant := v.gates[place].Grant
		switch last := place == len(v.content.Requests)-1; {
		case !last || !v.mayExpire():
		case grant == nil:
			return []occasion{{since: r.DecideBy}}
		default: // by the clock of a worker, which says so first
			return []occasion{{name: workflows.GrantEnded, since: grant.ApprovedAt}}
		}
	case workflows.ConfirmationRequested:
		var all []occasion
		if grant := v.gates[place].Grant; grant != nil {
			for _, id := range r.Terms.Confirm {
				all = append(all, occasion{name: id, since: grant.ApprovedAt, waiting: []string{id}})
			}
		}
		return all
	case workflows.ResolutionNeeded:
		return v.doubted(r.PlanHash)
	}
	return nil
}

// mayExpire reports a run that has expired, or that can have been about to when
// this was exported, or when it was cut off.
func (v *verifier) mayExpire() bool {
	status := v.content.Result.Status
	return status == workflows.Expired || !status.Ended() || v.cutOff()
}

// doubted are the doubts of a plan's actions.
func (v *verifier) doubted(hash plan.Digest) []occasion {
	var all []occasion
	for _, a := range v.content.Actions {
		for _, t := range a.Tries {
			if doubt := doubtOf(t); doubt != nil && a.PlanHash == hash {
				all = append(all, occasion{name: doubtName(a.ActionID, doubt.Token), since: t.EndedAt, waiting: []string{a.ActionID}})
			}
		}
	}
	return all
}

func doubtName(actionID string, claim int64) string {
	return actionID + "/" + strconv.FormatInt(claim, 10)
}

// toldDoubt is a doubt of which people were told.
type toldDoubt struct {
	approvals.InDoubt

	at time.Time
}

// toldDoubts are those about a plan, as the notices say.
func (v *verifier) toldDoubts(hash plan.Digest) []toldDoubt {
	var all []toldDoubt
	for _, n := range v.content.Notices {
		for _, a := range v.content.Actions {
			for _, t := range a.Tries {
				doubt := doubtOf(t)
				if n.Event != workflows.ResolutionNeeded || n.PlanHash != hash || a.PlanHash != hash || doubt == nil ||
					v.noticeKey(n.RequestID, n.Channel, n.Event, occasion{name: doubtName(a.ActionID, doubt.Token)}) != n.Key {
					continue
				}
				said := approvals.InDoubt{ActionID: a.ActionID, Claim: strconv.FormatInt(doubt.Token, 10)}
				all = append(all, toldDoubt{said, n.At})
			}
		}
	}
	return all
}

// SaysWhom reports whether the requests name the channels through which people
// are told. Documents of earlier versions have notices through channels that they
// do not name.
func (c Content) SaysWhom() bool {
	return slices.ContainsFunc(c.Requests, func(r Request) bool { return len(r.Notify) > 0 })
}

// events are those of which people are told.
func events() []workflows.Event {
	return []workflows.Event{
		workflows.ApprovalRequested, workflows.ApprovalReminded, workflows.ApprovalExpired,
		workflows.ConfirmationRequested, workflows.ResolutionNeeded,
	}
}

// checkChannels wants each channel to be named once for an event that there is.
func (v *verifier) checkChannels(where string, r Request) {
	known := 0
	for _, event := range events() {
		channels, named := r.Notify[event]
		if named {
			known++
		}
		for i, channel := range channels {
			if slices.Contains(channels[:i], channel) {
				v.bad(where, "it names the channel %s twice for %s", plan.Escape(channel), event)
			}
		}
	}
	if known != len(r.Notify) {
		v.bad(where, "it names channels for what is no event")
	}
}

// checkTold wants everybody to have been told of what a request came to, as far
// as that follows. Whether a reminder's time came while somebody was there to send
// it, and whether a doubt was resolved before anybody could be told, does not. Nor
// does, where many were told, whether there was a place for one more before the end.
func (v *verifier) checkTold(place int, told map[string]int) {
	if len(v.content.Notices) >= workflows.NoticesAtOnce {
		return
	}
	r := v.content.Requests[place]
	must := map[workflows.Event][]occasion{}
	if !r.Terms.Unattended() {
		must[workflows.ApprovalRequested] = []occasion{{}}
	}
	grant := v.gates[place].Grant
	if grant == nil && place == len(v.content.Requests)-1 && v.content.Result.Status == workflows.Expired {
		must[workflows.ApprovalExpired] = []occasion{{}}
	}
	if grant != nil {
		for _, c := range grant.Confirmations {
			must[workflows.ConfirmationRequested] = append(must[workflows.ConfirmationRequested], occasion{name: c.ActionID})
		}
	}
	for _, event := range events() {
		for _, channel := range r.Notify[event] {
			for _, o := range must[event] {
				if told[v.noticeKey(r.RequestID, channel, event, o)] == 0 {
					v.bad("request "+plan.Escape(r.RequestID), "nobody was told of %s through %s", event, plan.Escape(channel))
				}
			}
		}
	}
}
