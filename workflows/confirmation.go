package workflows

import (
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// confirmed reports whether an action may go, as far as a word of its own is
// concerned. One that waits for it is marked, and people are told once.
func (x *execution) confirmed(ctx workflow.Context, i int) bool {
	row := &x.state.Actions[i]
	if !x.state.needsWord(i) {
		return true
	}
	if !row.Unconfirmed {
		row.Unconfirmed = true
		x.notify(ctx, ConfirmationRequested, row.ID, []string{row.ID})
	}
	return false
}

// needsWord reports whether the terms want a word about this one action, and
// the grant has none.
func (s *State) needsWord(i int) bool {
	id := s.Actions[i].ID
	return slices.Contains(s.Request.Terms.Confirm, id) &&
		!slices.ContainsFunc(s.Grant.Confirmations, func(c approvals.Confirmation) bool { return c.ActionID == id })
}

// MarkUnconfirmed marks every action that is ready and wants a word of its own,
// for whoever sees from outside that the run waits for one.
func (s *State) MarkUnconfirmed() {
	for i := range s.Actions {
		row := &s.Actions[i]
		if (row.Status == StepPending || row.Status == StepInDoubt) && s.ready(i) && s.needsWord(i) {
			row.Unconfirmed = true
		}
	}
}

// unconfirmed lists the ids of the actions that wait for a word of their own.
func (s *State) unconfirmed() []string {
	var ids []string
	for _, a := range s.Actions {
		if a.Unconfirmed {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// WhatIsUnconfirmed says which action waits for a word of its own; "" when none
// does.
func (s *State) WhatIsUnconfirmed() string {
	ids := s.unconfirmed()
	if len(ids) == 0 {
		return ""
	}
	text := fmt.Sprintf("action %s waits for a confirmation of its own", ids[0])
	if more := len(ids) - 1; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// GateNow is what decisions are judged against now: also the words about single
// actions, which wait as long as the grant holds.
func (s *State) GateNow() approvals.Request {
	gate := s.Gate
	gate.Confirm, gate.Reset = s.unconfirmed(), s.wasReset()
	if s.Grant != nil {
		gate.GrantedUntil = s.Grant.ExpiresAt
	}
	return gate
}

// confirm lets an accepted word about one action change the run, as Apply does.
func (s *State) confirm(v *approvals.Verdict) {
	for i := range s.Actions {
		row := &s.Actions[i]
		if row.ID != v.ActionID || !row.Unconfirmed || s.Grant == nil || v.PlanHash != s.Plan.PlanHash.String() {
			continue
		}
		after := s.GateNow().After(*v)
		taken := after.Taken[len(after.Taken)-1]
		s.Gate.Taken = after.Taken
		row.Unconfirmed = false
		if v.Decision == approvals.Reject {
			s.Halt.Rejected = plan.Clip(fmt.Sprintf("action %s rejected by %s: %s", row.ID, v.Approver, v.Comment), maxErrorText)
			return
		}
		grant := s.Grant.Confirmed(row.ID, taken.Approval)
		s.Grant = &grant
		return
	}
	v.Code, v.Reason = approvals.TooLate, "the action was settled while this decision was judged"
}

// watchExpiry starts the timer of the approval's life when something waits that
// nothing else would wake. A word that comes after it has fired is late.
func (x *execution) watchExpiry(ctx workflow.Context) {
	if x.expiry == nil && !x.stopping() && len(x.state.unconfirmed()) > 0 {
		wait := max(x.state.Grant.ExpiresAt.Sub(workflow.Now(ctx)), time.Nanosecond)
		x.expiry = workflow.NewTimerWithOptions(ctx, wait, workflow.TimerOptions{Summary: "life of the approval"})
		x.inbox.deadline = x.expiry
	}
}

// expired reports whether the approval's life ended while an action waited.
func (x *execution) expired() bool {
	return x.expiry != nil && x.expiry.IsReady() && !x.state.Halt.Expired && len(x.state.unconfirmed()) > 0
}

// giveUpConfirmations is for an execution that begins nothing more.
func (s *State) giveUpConfirmations() {
	for i := range s.Actions {
		s.Actions[i].Unconfirmed = false
	}
}
