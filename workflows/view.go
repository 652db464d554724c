package workflows

import (
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Status is the answer of StatusQuery and what a run ends with, whatever its
// end: under 100 kB whatever happened.
type Status struct {
	RunID           string      `json:"run_id"`
	Status          RunStatus   `json:"status"`
	Reason          string      `json:"reason,omitempty"`
	WorkflowVersion string      `json:"workflow_version"`
	Steps           []Step      `json:"steps"`
	Revision        int         `json:"revision"`
	ContextDigest   plan.Digest `json:"context_digest,omitzero"`
	// DocumentsRead and DocumentsSkipped count what was found; Skipped names
	// the first of those that were not read, with the reason.
	DocumentsRead    int         `json:"documents_read"`
	DocumentsSkipped int         `json:"documents_skipped"`
	Skipped          []string    `json:"skipped,omitempty"`
	PlanHash         plan.Digest `json:"plan_hash,omitzero"`
	Plan             BlobRef     `json:"plan,omitzero"`
	Model            *ModelUse   `json:"model,omitempty"` // what the present plan cost; nil when no model was asked
	RequestID        string      `json:"request_id,omitempty"`
	Approvers        []string    `json:"approvers,omitempty"` // the first maxStatusApprovers of the policy
	// Asks says how many of whom must approve, and Missing how many of whom
	// still must: "1 of editors and 2 of security".
	Asks    string          `json:"asks,omitempty"`
	Missing string          `json:"missing,omitempty"`
	Proof   approvals.Proof `json:"proof,omitempty"` // what an approver must bring besides her name
	// Approver is one who may approve this run, for a command that is shown.
	Approver      string     `json:"approver,omitempty"`
	Resolver      string     `json:"resolver,omitempty"` // one who may resolve a doubt of this run
	PolicyVersion string     `json:"approval_policy_version,omitempty"`
	DecideBy      *time.Time `json:"decide_by,omitempty"`
	// Approval is the record of who approved what, and until when it holds.
	Approval *approvals.Grant `json:"approval,omitempty"`
	Counts   ActionCounts     `json:"action_counts"`
	Actions  []Action         `json:"actions,omitempty"`
	// ActionsOmitted is how many rows of completed or pending actions are left
	// out of Actions to keep it short.
	ActionsOmitted int       `json:"actions_omitted,omitempty"`
	Decisions      Decisions `json:"decisions"`
	// Notices says how people were told, the last of it.
	Notices []NoticeRow `json:"notices,omitempty"`
	// EffectCount is the effects as counted at the targets; set by summarize.
	EffectCount *int     `json:"effect_count,omitempty"`
	Report      *BlobRef `json:"report,omitempty"`
}

// ActionCounts counts the actions of the present plan by status.
type ActionCounts struct {
	Total       int `json:"total"`
	Done        int `json:"done"`
	AlreadyDone int `json:"already_done"` // of those done, before this run came to them
	Pending     int `json:"pending"`
	Running     int `json:"running"`
	Failed      int `json:"failed"`
	Skipped     int `json:"skipped"`
	InDoubt     int `json:"in_doubt"`
}

// What a Status shows of long lists.
const (
	maxStatusActions   = 100
	maxStatusVerdicts  = 15
	maxStatusApprovers = 20
	maxStatusSkipped   = 5
	maxStatusNotices   = 10
)

// View returns the state as queries and results show it.
func (s *State) View(runID string) Status {
	v := Status{
		RunID: runID, Status: s.Status, Reason: s.Reason, WorkflowVersion: Version,
		Steps: append([]Step(nil), s.Steps...), Revision: s.Revision,
		DecideBy: s.DecideBy, Approval: s.shortGrant(), Decisions: s.shortDecisions(),
	}
	if s.Context != nil {
		v.ContextDigest = s.Context.Digest
		v.DocumentsRead, v.DocumentsSkipped, v.Skipped = s.Context.Read, s.Context.Skipped, nil
		for _, example := range s.Context.Examples[:min(len(s.Context.Examples), maxStatusSkipped)] {
			v.Skipped = append(v.Skipped, plan.Clip(example, maxErrorText))
		}
	}
	if s.Plan != nil {
		v.PlanHash, v.Plan, v.Model = s.Plan.PlanHash, s.Plan.Blob, s.Plan.Model
	}
	if s.Request != nil {
		s.viewRequest(&v)
	}
	v.Notices = s.Notices[max(0, len(s.Notices)-maxStatusNotices):]
	if s.Summary != nil {
		v.EffectCount, v.Report = &s.Summary.EffectCount, &s.Summary.Report
	}
	v.Counts = countActions(s.Actions)
	v.Actions, v.ActionsOmitted = shortActions(s.Actions)
	return v
}

// viewRequest shows whom the policy asks.
func (s *State) viewRequest(v *Status) {
	terms := s.Request.Terms
	v.RequestID, v.PolicyVersion, v.Approver = s.Request.RequestID, terms.Version, terms.ApproverFor(s.Gate.Requester)
	if waiting := s.unconfirmed(); len(waiting) > 0 {
		v.Approver = first(terms.ConfirmersFor(s.Gate.Requester, waiting[0]))
	}
	v.Asks, v.Proof = terms.Asks(), terms.Proof
	if s.Gate.Phase == approvals.PhaseOpen {
		v.Missing = s.Gate.Missing()
	}
	approvers := terms.Approvers()
	v.Approvers = approvers[:min(len(approvers), maxStatusApprovers)]
	actionID := ""
	if i := slices.IndexFunc(s.Actions, Action.Resolvable); i >= 0 {
		actionID = s.Actions[i].ID
	}
	v.Resolver = s.Doubts().ResolverOf(actionID)
}

// shortDecisions keeps a view small: the rest, and what people wrote, stands
// in VerdictsQuery.
func (s *State) shortDecisions() Decisions {
	short := Decisions{Counts: append([]CodeCount(nil), s.Decisions.Counts...)}
	recent := s.Decisions.Recent
	for _, v := range recent[max(0, len(recent)-maxStatusVerdicts):] {
		v = v.Short()
		v.Comment, v.Feedback, v.Signature = "", "", ""
		short.Recent = append(short.Recent, v)
	}
	return short
}

// shortGrant leaves the comments to VerdictsQuery.
func (s *State) shortGrant() *approvals.Grant {
	if s.Grant == nil {
		return nil
	}
	short := *s.Grant
	short.Approvals = append([]approvals.Approval(nil), short.Approvals...)
	for i := range short.Approvals {
		short.Approvals[i].Comment = plan.Clip(short.Approvals[i].Comment, 1000)
		short.Approvals[i].Signature = "" // its key stays; VerdictsQuery has the rest
	}
	short.Confirmations = append([]approvals.Confirmation(nil), short.Confirmations...)
	for i := range short.Confirmations {
		short.Confirmations[i].Comment, short.Confirmations[i].Signature = "", ""
	}
	return &short
}

func countActions(actions []Action) ActionCounts {
	c := ActionCounts{Total: len(actions)}
	for _, a := range actions {
		switch a.Status {
		case StepCompleted:
			c.Done++
			if a.Already {
				c.AlreadyDone++
			}
		case StepPending:
			c.Pending++
		case StepRunning:
			c.Running++
		case StepFailed:
			c.Failed++
		case StepSkipped:
			c.Skipped++
		case StepInDoubt:
			c.InDoubt++
		}
	}
	return c
}

// shortActions leaves out rows past maxStatusActions, those that a person has
// to look at last.
func shortActions(actions []Action) (rows []Action, omitted int) {
	room := maxStatusActions
	for _, a := range actions {
		if a.needsEyes() {
			room--
		}
	}
	for _, a := range actions {
		if !a.needsEyes() {
			room--
		}
		if len(rows) >= maxStatusActions || !a.needsEyes() && room < 0 {
			omitted++
			continue
		}
		a.Error = plan.Clip(a.Error, 200)
		a.Doubt, a.Resolution = a.Doubt.short(), a.Resolution.short().unsigned()
		rows = append(rows, a)
	}
	return rows, omitted
}

// PlanView is the answer of PlanQuery. Plan is absent when the document is
// larger than InlinePlanBytes; it is then in the blob store, at its hash.
type PlanView struct {
	PlanHash plan.Digest     `json:"plan_hash,omitzero"`
	Blob     BlobRef         `json:"blob,omitzero"`
	Plan     any             `json:"plan,omitempty"`
	Actions  []PlannedAction `json:"actions,omitempty"`
}
