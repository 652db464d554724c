package workflows

import (
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// What bounds the state that is carried over.
const (
	// maxInlineCarried is the size up to which a plan is carried over whole; a
	// larger one is at its hash in the blob store.
	maxInlineCarried = 64 << 10
	// maxCarriedFeedback bounds each text of feedback.
	maxCarriedFeedback = 4 << 10
	// maxCarriedDetail bounds the texts of each action in doubt, and the reason
	// of each verdict.
	maxCarriedDetail = 200
	// maxCarriedComment bounds what people wrote, in each verdict.
	maxCarriedComment = 60
)

// Carried is what the next execution needs of a run that waits at the gate, or
// for a resolution. What follows from the rest is left out, so that it fits one
// event.
func (s State) Carried() *State {
	wasReset := s.wasReset()
	s.handOn(wasReset)
	made := *s.Plan
	if len(made.Plan) > maxInlineCarried {
		made.Plan = nil
	}
	s.Plan, s.Gate = &made, approvals.Request{Taken: s.Gate.Taken}
	feedback := make([]string, len(s.Feedback))
	for i, f := range s.Feedback {
		feedback[i] = plan.Clip(f, maxCarriedFeedback)
	}
	s.Feedback = feedback
	s.Actions = s.carriedActions()
	for i := range s.Actions {
		if !wasReset && s.execution != "" {
			s.Actions[i].carriesOn(s.execution, carriedOn)
		}
	}
	s.Decisions = s.Decisions.carried()
	return &s
}

// carried are the verdicts without what the execution that gave them has at
// length.
func (d Decisions) carried() Decisions {
	short := Decisions{Counts: d.Counts, Recent: append([]approvals.Verdict(nil), d.Recent...)}
	for i := range short.Recent {
		v := &short.Recent[i]
		v.Reason = plan.Clip(v.Reason, maxCarriedDetail)
		v.Comment, v.Feedback = plan.Clip(v.Comment, maxCarriedComment), plan.Clip(v.Feedback, maxCarriedComment)
	}
	return short
}

// carriedActions are the rows of an execution that waits, without what the
// plan and the ledger have too. At the gate there are none.
func (s State) carriedActions() []Action {
	if s.Grant == nil {
		return nil
	}
	rows := make([]Action, len(s.Actions))
	for i, row := range s.Actions {
		row.ID, row.Key = "", ""
		if row.Status == StepCompleted {
			row.Ref = ""
		}
		row.Error = plan.Clip(row.Error, maxCarriedDetail)
		if row.Doubt != nil {
			doubt := *row.Doubt
			doubt.Detail = plan.Clip(doubt.Detail, maxCarriedDetail)
			row.Doubt = &doubt
		}
		row.Resolution = row.Resolution.short()
		rows[i] = row
	}
	return rows
}

// Resumed is the state that was carried over, whole again.
func (s State) Resumed(task Task, runID string) State {
	if s.Grant != nil {
		return s.resumedExecution(task, runID)
	}
	request, decideBy, asked, taken := s.Request, s.DecideBy, s.Asked, s.Gate.Taken
	s.NewPlan(s.Plan)
	s.Request, s.DecideBy, s.Asked = request, decideBy, asked
	s.OpenGate(task, runID)
	s.Gate.Taken = taken
	return s
}

// resumedExecution is the state of a run that was approved, and waits for a
// person.
func (s State) resumedExecution(task Task, runID string) State {
	rows := append([]Action(nil), s.Actions...)
	for i, planned := range s.Plan.Actions {
		rows[i].ID, rows[i].Key = planned.ID, planned.Key
		if rows[i].Already {
			rows[i].Ref = planned.DoneRef
		}
	}
	s.Actions = rows
	taken := s.Gate.Taken
	s.OpenGate(task, runID)
	s.Gate.Phase, s.Gate.Taken = approvals.PhaseGranted, taken
	if len(taken) == 0 { // carried over by a version before quorums
		for _, a := range s.Grant.Approvals {
			s.Gate.Taken = append(s.Gate.Taken, approvals.Taken{Approval: a, Decision: approvals.Approve})
		}
	}
	return s
}
