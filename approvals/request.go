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
	Terms     Terms       `json:"terms"`
	DecideBy  time.Time   `json:"decide_by"` // for people; whether a decision is late is a fact of its Arrival
	// GrantedUntil is the end of the grant that the request has led to; zero when
	// there is none. A word about one action waits until then, and no longer.
	GrantedUntil time.Time `json:"granted_until,omitzero"`
	Taken        []Taken   `json:"taken"` // the accepted decisions on PlanHash, in order
	// Execution is the one of the run in which it was opened, or which continues
	// that one; empty where that was not recorded.
	Execution string `json:"execution,omitempty"`
	// Reset says that the run was reset since: what was said then may be missing,
	// and so nothing is let go before people are asked anew.
	Reset bool `json:"reset,omitempty"`
	// Confirm lists the actions that wait for a word of their own now.
	Confirm []string `json:"confirm,omitempty"`
}

// maxTakenComment bounds a comment where it is carried along. The verdict has
// it whole.
const maxTakenComment = 1000

// Taken is a decision that was accepted. Its request is the one in which it
// stands.
type Taken struct {
	Approval
	Decision Choice `json:"decision"`
	ActionID string `json:"action_id,omitempty"` // of a confirmation
}

// Expires is until when the request waits, to the second, as statements say it.
func (r Request) Expires() time.Time { return r.DecideBy.UTC().Truncate(time.Second) }

// expiresOf is until when a decision on this request holds, as its statement says
// it: a word about one action of a granted plan as long as the grant, every other
// as long as the request waits.
func (r Request) expiresOf(d Decision) time.Time {
	if d.ActionID == "" || r.GrantedUntil.IsZero() {
		return r.Expires()
	}
	return r.GrantedUntil.UTC()
}

// approved lists who has approved the plan, in order.
func (r Request) approved() []string {
	var names []string
	for _, t := range r.Taken {
		if t.Decision == Approve && t.ActionID == "" {
			names = append(names, t.Approver)
		}
	}
	return names
}

// Missing says in words who must still approve the plan; "" when nobody.
func (r Request) Missing() string { return r.Terms.Missing(r.approved()) }

// Awaited lists who may approve, and whose approval would bring the plan nearer to
// its quorums: not those who have approved it, nor those whose group is full.
func (r Request) Awaited() []string {
	return slices.DeleteFunc(r.Terms.ApproversFor(r.Requester), func(name string) bool { return !r.Terms.fills(r.approved(), name) })
}

// took reports whether this very decision of this person was accepted.
func (r Request) took(name string, d Decision) bool {
	return slices.ContainsFunc(r.Taken, func(t Taken) bool {
		return t.Approver == name && t.Decision == d.Decision && t.ActionID == d.ActionID
	})
}

// After returns the request as it stands after v: the workflow and Judge go on
// from one verdict to the next by this function alone. A refusal changes
// nothing. The receiver's own lists stay as they are.
//
// One rejection ends it, and one revision makes a new plan. An approval opens
// the grant when it is the last that the quorums want; a confirmation lets its
// one action go.
func (r Request) After(v Verdict) Request {
	if v.Code != Accepted {
		return r
	}
	r.Taken = append(slices.Clone(r.Taken), takenOf(v))
	r.Confirm = slices.DeleteFunc(slices.Clone(r.Confirm), func(id string) bool { return id == v.ActionID })
	switch {
	case v.Decision == Reject:
		r.Phase = PhaseClosed
	case v.Decision == Revise:
		r.Phase = PhaseRevising
	case v.ActionID == "" && r.Missing() == "":
		r.Phase = PhaseGranted
	}
	return r
}

func takenOf(v Verdict) Taken {
	text := v.Comment
	if v.Decision == Revise {
		text = v.Feedback
	}
	return Taken{
		Approval: Approval{
			Approver: v.Approver, Comment: plan.Clip(v.Comment, maxTakenComment), At: v.At.UTC().Truncate(time.Second), Proven: v.Proven,
			Text: plan.Sum([]byte(text)), Expires: v.Expires,
		},
		Decision: v.Decision, ActionID: v.ActionID,
	}
}
