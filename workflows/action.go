package workflows

import (
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Action is a row of the action table.
type Action struct {
	ID       string     `json:"id"`
	Status   StepStatus `json:"status"`
	Key      string     `json:"idempotency_key"`
	Attempts int        `json:"attempts,omitempty"`
	Ref      string     `json:"ref,omitempty"` // the receipt's reference at the target
	// Recoverable says, of an action in doubt, that a further attempt finds out
	// by itself what became of it.
	Recoverable bool `json:"recoverable,omitempty"`
	// Already says that the effect was there before this run came to it.
	Already bool   `json:"already_done,omitempty"`
	Error   string `json:"error,omitempty"`
	// Unconfirmed says that everything else is ready, and that the action waits
	// for one approver's word of its own.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
	// Doubt is what is known of an action in doubt that waits for a person.
	Doubt *Doubt `json:"doubt,omitempty"`
	// Told is the claim of which people were told that it is in doubt.
	Told int64 `json:"told,omitempty"`
	// Resolution is what a person said of it.
	Resolution *Resolved `json:"resolution,omitempty"`
}

// Failed reports whether the action's error ends the run. One in doubt that
// waits for a person does not.
func (a Action) Failed() bool { return a.Error != "" && a.Doubt == nil }

// Aborted is the failure of a run in which a person gave the action up.
func (a Action) Aborted() string {
	return a.ID + ": its outcome stays unknown; aborted by " + a.Resolution.Operator
}

// Resolvable reports whether a person's word about the action can still change
// something: it is in doubt, and nothing was said of it, or only that it did
// not happen, which is not recorded yet.
func (a Action) Resolvable() bool {
	return a.Status == StepInDoubt && a.Doubt != nil && (a.Resolution == nil || a.Resolution.revocable())
}

// takes reports whether the word takes effect.
func (a Action) takes(word approvals.Outcome) bool {
	return a.Resolvable() && (a.Resolution == nil || word != approvals.NotHappened)
}

// unsettled reports whether the action is in doubt, and what a person may have
// said of it is not recorded yet, or, of an abort, not taken by the run.
func (a Action) unsettled() bool {
	return a.Resolvable() || a.Status == StepInDoubt && a.Doubt != nil && a.Resolution.bound()
}

// needsEyes reports whether a person has to look at it.
func (a Action) needsEyes() bool {
	return a.Status == StepFailed || a.Status == StepInDoubt || a.Status == StepRunning || a.Unconfirmed
}

// Resolved is a person's accepted word about an action in doubt.
type Resolved struct {
	Outcome  approvals.Outcome `json:"outcome"`
	Operator string            `json:"operator"` // normalized; a claim
	Evidence string            `json:"evidence"`
	At       time.Time         `json:"at"` // the workflow's time
	Via      string            `json:"via"`
	Applied  bool              `json:"applied"` // the run has acted upon it
	// Claim is the claim that it is about. It is empty in histories from before
	// verdicts named it; such a word is final as soon as it is accepted.
	Claim string `json:"claim,omitempty"`
	// Signature is hers over the word, and Text the digest of the evidence that it
	// is of, for the one who records the word: he takes nothing on the workflow's.
	// They are left out of a status.
	Signature string      `json:"signature,omitempty"`
	Text      plan.Digest `json:"evidence_sha256,omitzero"`
	// Execution is the one in which the doubt was shown that it is about, and Request
	// names the asking that it answers; see Doubt. They are left out too.
	Execution string `json:"execution,omitempty"`
	Request   string `json:"request,omitempty"`
}

// aborts reports a word that ends the run, with the doubt.
func (r *Resolved) aborts() bool { return r != nil && r.Outcome == approvals.Abort }

// givesUp reports an abort that the policy of the day has taken.
func (r *Resolved) givesUp(out SettleActionResult) bool { return r.aborts() && out.Refused == "" }

func (r *Resolved) bound() bool { return r != nil && r.Claim != "" }

// revocable reports whether the cautious words can still take its place.
func (r *Resolved) revocable() bool { return r.bound() && r.Outcome == approvals.NotHappened }
