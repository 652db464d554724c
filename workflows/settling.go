package workflows

import (
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// JudgeResolutionsInput is one batch of resolutions as they arrived.
type JudgeResolutionsInput struct {
	Doubts   approvals.Doubts `json:"doubts"`
	Arrivals []Arrival        `json:"arrivals"`
}

// SettleActionInput asks what became of an action; with a resolution, it says
// so.
type SettleActionInput struct {
	RunID    string      `json:"run_id"`
	Tenant   string      `json:"tenant"`
	PlanHash plan.Digest `json:"plan_hash"`
	ActionID string      `json:"action_id"`
	Key      string      `json:"idempotency_key"`
	// Requester is the run's, who may not be the one to say what happened.
	Requester string `json:"requester,omitempty"`
	// Resolution is a person's word about the claim of Token. It changes nothing
	// when another claim has been made since, and is not taken when it names another.
	Resolution *Resolved `json:"resolution,omitempty"`
	Token      int64     `json:"token,omitempty"`
	// Ledger is the plan's: another one knows nothing of the action.
	Ledger string `json:"ledger,omitempty"`
	// Policy is the version of the policy by which words are judged. It is empty in
	// histories from before it was named.
	Policy string `json:"approval_policy_version,omitempty"`
	// Doubt is what the run knows of an action that a person gives up. The ledger is
	// told nothing of that, and is not asked: a run can be given up while it is away.
	// There is no Token then, so that a worker that knows no such word refuses it,
	// and does not end the claim by it.
	Doubt *Doubt `json:"doubt,omitempty"`
	// Hears asks for Today alone, and neither ledger nor word are looked at.
	Hears bool `json:"hears,omitempty"`
	// Waits says that the workflow waits by itself for the end of a call: the
	// activity answers with the time. It is false in histories in which the
	// activity waits.
	Waits bool `json:"waits,omitempty"`
}

// Standing is where an action stands in the ledger.
type Standing string

// The standings.
const (
	StandingDone    Standing = "done"     // its receipt is there
	StandingAbsent  Standing = "absent"   // its effect surely is not there
	StandingInDoubt Standing = "in_doubt" // nobody knows
)

// SettleActionResult is what the ledger says of an action.
type SettleActionResult struct {
	Attempt  int           `json:"attempt"`
	Standing Standing      `json:"standing"`
	Receipt  *plan.Receipt `json:"receipt,omitempty"` // when done
	Doubt    *Doubt        `json:"doubt,omitempty"`   // when in doubt
	// Refused says why the word was not recorded: the policy of today does not take
	// it, or its signature is none.
	Refused string `json:"refused,omitempty"`
	// Today is by what the policy of the day judges words, where that is another one
	// than the input names.
	Today *approvals.Resolving `json:"today,omitempty"`
	// Wait says that nothing could be settled yet, and when to ask again.
	Wait time.Duration `json:"wait,omitempty"`
}

// Doubt is what is known of an action whose outcome is not.
type Doubt struct {
	Token  int64  `json:"claim"` // the fencing token of the claim in doubt
	Tool   string `json:"tool"`
	Target string `json:"target"`
	// SentAt is when the first attempt began that may have sent it.
	SentAt  time.Time `json:"sent_at"`
	Attempt int       `json:"attempt"` // the last one
	// QuietUntil is until when a call may still be under way; nothing is sent
	// again before.
	QuietUntil *time.Time `json:"quiet_until,omitempty"`
	// Detail is what the last attempt met, or what a look at the target said.
	Detail string `json:"detail"`
	// Execution is the one in which it was shown, as a request's is. It is empty in
	// histories from before it was recorded.
	Execution string `json:"execution,omitempty"`
	// Request names the asking when it was asked anew, after a reset.
	Request string `json:"request,omitempty"`
}
