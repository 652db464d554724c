package approvals

import (
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Phase is where a run stands, as far as decisions are concerned.
type Phase string

// The phases. The zero Phase is NoPlan: nothing can be approved.
const (
	PhaseNoPlan   Phase = ""         // a plan is being made
	PhaseOpen     Phase = "open"     // the gate waits for decisions on PlanHash
	PhaseGranted  Phase = "granted"  // PlanHash was approved, and is carried out
	PhaseRevising Phase = "revising" // a revision of PlanHash was asked for
	PhaseExpired  Phase = "expired"  // the time to decide ran out and nobody had
	PhaseClosed   Phase = "closed"   // the run has ended, or is ending, in another way
)

// Request is one opening of the gate, and what has become of it: all that
// Judge needs to know of a run.
type Request struct {
	RunID     string      `json:"run_id"`
	RequestID string      `json:"request_id"` // fresh for each opening
	Phase     Phase       `json:"phase"`
	PlanHash  plan.Digest `json:"plan_hash"`
	Requester string      `json:"requester"`
	Policy    Policy      `json:"policy"`
	DecideBy  time.Time   `json:"decide_by"` // for people; whether a decision is late is a fact of its Arrival
	Taken     []Taken     `json:"taken"`     // the accepted decisions on PlanHash, in order
}

// Taken is a decision that was accepted.
type Taken struct {
	Approver string `json:"approver"` // normalized
	Decision Choice `json:"decision"`
}

// After returns the request as it stands after v: the workflow and Judge go on
// from one verdict to the next by this function alone. A refusal changes
// nothing. The receiver's own list stays as it is.
func (r Request) After(v Verdict) Request {
	if v.Code != Accepted {
		return r
	}
	r.Taken = append(slices.Clone(r.Taken), Taken{Approver: v.Approver, Decision: v.Decision})
	switch v.Decision {
	case Approve:
		r.Phase = PhaseGranted
	case Reject:
		r.Phase = PhaseClosed
	case Revise:
		r.Phase = PhaseRevising
	}
	return r
}
