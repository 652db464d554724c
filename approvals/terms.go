package approvals

import (
	"time"

	"github.com/holdpoint/holdpoint/approvals/signature"
)

// MaxPeriod bounds the time to decide and the life of a grant: a permission
// that outlives everyone's memory of it is none.
const MaxPeriod = 30 * 24 * time.Hour

// Proof is what an approver must bring besides her name. The zero Proof is no
// proof that anything accepts.
type Proof string

// The proofs.
const (
	ByClaim     Proof = "claim"     // the name in the decision is believed: the right to reach the namespace is the proof
	BySignature Proof = "signature" // the decision's statement is signed with a key of that person
)

// Terms are a policy evaluated for one plan: who must approve it, how they
// prove who they are, and for how long. They are fixed in the history when the
// gate opens; a changed policy does not change them, and is asked again before
// each effect. Names are normalized; lists of names are sorted and different.
//
// The zero Terms let nobody approve anything.
type Terms struct {
	Label string `json:"label"` // of the policy, for people
	// Version is the approval_policy_version: label@sha256:… of the canonical
	// policy that was evaluated.
	Version string `json:"version"`
	// Quorums must all be met. None at all, together with ByPolicy, means that
	// the policy asks nobody.
	Quorums []Quorum `json:"quorums"`
	// ByPolicy names the rules because of which nobody is asked. It is empty
	// when anybody is.
	ByPolicy []string `json:"by_policy,omitempty"`
	// Shared lets one person count for every quorum whose group she is in;
	// otherwise for one.
	Shared       bool          `json:"shared,omitempty"`
	DecideWithin time.Duration `json:"decide_within"`
	GrantLife    time.Duration `json:"grant_life"`
	AskAgain     int           `json:"ask_again,omitempty"` // how often the gate opens anew when nobody decided in time
	// RemindAfter are times after the opening of the gate, rising, each before
	// DecideWithin.
	RemindAfter []time.Duration `json:"remind_after,omitempty"`
	Proof       Proof           `json:"proof"`
	// SelfApproval lets the requester count as an approver, if she is in a group.
	SelfApproval bool `json:"self_approval,omitempty"`
	// Confirm lists the ids of the actions of which each needs one approver's
	// word of its own right before it is sent, in the plan's order.
	Confirm []string `json:"confirm,omitempty"`
	// Confirmers say whose word lets an action go that is in Confirm: the first
	// entry that names it counts. Of an action that none names, everybody's who may
	// approve the plan.
	Confirmers []Confirmers `json:"confirmers,omitempty"`
	// Resolvers may say what became of an action of unknown outcome: the first
	// entry that names the action counts, or else the one without actions.
	Resolvers []Resolvers `json:"resolvers"`
	// Signers are the keys of everyone who is named above, as the policy has them.
	Signers []signature.Key `json:"signers,omitempty"`
	// Reasons say, for people, which rule asked for what.
	Reasons []Reason `json:"reasons,omitempty"`
}

// Quorum is how many different people of one group must approve.
type Quorum struct {
	Group   string   `json:"group"`
	Need    int      `json:"need"`
	Members []string `json:"members"`
}

// Resolvers may resolve these actions, or all that are not named elsewhere.
type Resolvers struct {
	Actions []string `json:"actions,omitempty"`
	Members []string `json:"members"`
}

// Confirmers may let these actions go.
type Confirmers struct {
	Actions []string `json:"actions"`
	Members []string `json:"members"`
}

// Reason is what one rule asked for, and for how many of the plan's actions.
type Reason struct {
	Rule    string `json:"rule"`
	Actions int    `json:"actions"`
	Asks    string `json:"asks"` // e.g. "2 of security, signature"
}
