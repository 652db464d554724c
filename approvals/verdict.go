package approvals

import (
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Code says what became of a decision. It is stable: people and scripts read it.
type Code string

// The codes. See the table in the package's documentation.
const (
	Accepted      Code = "accepted"
	Malformed     Code = "malformed"
	NoPlanYet     Code = "no_plan_yet"
	StalePlan     Code = "stale_plan"
	NotAnApprover Code = "not_an_approver"
	SelfApproval  Code = "self_approval"
	Duplicate     Code = "duplicate"
	Expired       Code = "expired"
	TooLate       Code = "too_late"

	// BadSignature is a signature that does not fit the statement, the person
	// or the time; SignatureRequired is none where the policy wants one.
	BadSignature      Code = "bad_signature"
	SignatureRequired Code = "signature_required"

	// NotNeeded is an approval of a group that has approved already, while
	// others are still missing.
	NotNeeded Code = "not_needed"

	// AskedAnew is a decision that would let something go in a run that was reset
	// since the request was opened. What was said then may be missing, so everybody
	// is asked anew, by another request.
	AskedAnew Code = "asked_anew"

	// NotAsked is a word about an action that waits for none.
	NotAsked Code = "not_asked"

	// NotAResolver, NotInDoubt and Contradicts are of a resolution alone: by one
	// who may not, about an action or a claim that is not in doubt, and other than
	// the one that stands.
	NotAResolver Code = "not_a_resolver"
	NotInDoubt   Code = "not_in_doubt"
	Contradicts  Code = "contradicts"
)

// The ways by which a decision arrives.
const (
	ViaSignal = "signal"
	ViaUpdate = "update"
)

// What a refused decision's texts are cut to, in bytes as JSON writes them.
const (
	shortName   = 254
	shortText   = 200
	shortReason = 600
)

// Verdict is what became of one decision, or of one resolution. Only Accepted
// changes a run.
//
// Decision to Feedback are the sender's, as far as they could be read; of a
// malformed decision they are empty, for what a doubtful text says must not be
// recorded as what a person decided. Approver is the normalized name when
// Accepted, and the claim as it was sent otherwise. Proven says, when Accepted,
// what showed that it was that person: a signature, or nothing but the claim.
type Verdict struct {
	Code     Code      `json:"code"`
	Decision Choice    `json:"decision"`
	PlanHash string    `json:"plan_hash"`
	Approver string    `json:"approver"`
	Comment  string    `json:"comment"`
	Feedback string    `json:"feedback"`
	Reason   string    `json:"reason"` // whole sentences: why, and what to do; empty when Accepted
	At       time.Time `json:"at"`     // UTC: the workflow's time when the decision was read
	Via      string    `json:"via"`    // ViaSignal or ViaUpdate
	Proven

	// Missing says, of an accepted approve, who must still approve: "1 of
	// security". RequestID is the request that an accepted decision answers, and of
	// a resolution that is asked anew the name under which it is.
	Missing   string `json:"missing,omitempty"`
	RequestID string `json:"request_id,omitempty"`

	// Expires is until when a word about one action of a granted plan holds, as
	// its statement says; zero of everything else, and in histories from before
	// it was recorded.
	Expires time.Time `json:"expires,omitzero"`

	// ActionID is of a confirmation and of a resolution; the rest of a resolution
	// alone, in place of Decision, Comment and Feedback. Approver is then the
	// operator.
	ActionID string  `json:"action_id,omitempty"`
	Claim    string  `json:"claim,omitempty"` // the claim in doubt, as it was signed
	Outcome  Outcome `json:"outcome,omitempty"`
	Evidence string  `json:"evidence,omitempty"`
}

// Short returns the verdict with its texts cut, so that a flood of long
// decisions stays small wherever verdicts are kept.
func (v Verdict) Short() Verdict {
	v.Approver, v.Reason = plan.Clip(v.Approver, shortName), plan.Clip(v.Reason, shortReason)
	v.Comment, v.Feedback = plan.Clip(v.Comment, shortText), plan.Clip(v.Feedback, shortText)
	v.ActionID, v.Evidence = plan.Clip(v.ActionID, shortName), plan.Clip(v.Evidence, shortText)
	return v
}
