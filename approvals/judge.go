package approvals

import (
	"fmt"
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Arrival is a decision as it came, with the facts of its coming.
type Arrival struct {
	Raw []byte `json:"raw"` // the payload's JSON; empty when the signal had no input
	// Unreadable says why there is no JSON to read, for example that the
	// payload's encoding is not known. It makes the decision malformed.
	Unreadable string    `json:"unreadable"`
	Via        string    `json:"via"`  // ViaSignal or ViaUpdate
	At         time.Time `json:"at"`   // the workflow's time when it was read
	Late       bool      `json:"late"` // the decide-by timer had fired before it reached the workflow
}

// Judge judges decisions in the order in which they arrived, each against what
// the earlier ones left, and returns one verdict for each, in that order. The
// first valid decision wins: an approve followed by a reject is a granted run
// and a reject that is too late, and the other way round. The request after
// the batch is the fold of After over the verdicts.
//
// The checks stand in the order of what the sender should learn first:
// whether she was understood, whether there is a plan, whether she speaks of
// this one, whether there was time, whether she may, and only then what others
// have decided meanwhile.
func Judge(r Request, batch []Arrival) []Verdict {
	verdicts := make([]Verdict, 0, len(batch))
	for _, a := range batch {
		v := judge(r, a)
		if v.Code != Accepted {
			v = v.Short()
		}
		verdicts = append(verdicts, v)
		r = r.After(v)
	}
	return verdicts
}

func judge(r Request, a Arrival) Verdict {
	v := Verdict{At: a.At.UTC(), Via: a.Via}
	d, err := read(a)
	if err != nil {
		v.Code = Malformed
		v.Reason = sentence(err) + ` Send one JSON object such as {"decision":"approve","plan_hash":"sha256:…","approver":"you@example.com"}.`
		return v
	}
	v.Decision, v.PlanHash, v.Approver = d.Decision, d.PlanHash.String(), d.Approver
	v.Comment, v.Feedback, v.ActionID = d.Comment, d.Feedback, d.ActionID
	if v.Code, v.Reason = speaks(r, d, a.Late); v.Code != Accepted {
		return v
	}
	statement, err := r.StatementOf(d)
	if err != nil {
		v.Code, v.Reason = NotAnApprover, sentence(err) // Allows has refused it already
		return v
	}
	proven, code, reason := r.Terms.prove(statement.Approver, statement.Bytes(), d.Signature, a.At)
	if code == Accepted {
		code, reason = counts(r, d, statement.Approver)
	}
	if v.Code, v.Reason = code, reason; code != Accepted {
		return v
	}
	v.Approver, v.Proven, v.RequestID = statement.Approver, proven, r.RequestID
	if d.Decision == Approve && d.ActionID == "" {
		v.Missing = r.After(v).Missing()
	}
	return v
}

func read(a Arrival) (Decision, error) {
	if a.Unreadable != "" {
		return Decision{}, fmt.Errorf("the input cannot be read: %s", a.Unreadable)
	}
	return ParseDecision(a.Raw)
}

// speaks judges who speaks, and of what.
func speaks(r Request, d Decision, late bool) (Code, string) {
	switch {
	case r.PlanHash.IsZero() && r.Phase == PhaseClosed:
		return TooLate, "The run has ended without a plan; nothing can be decided any more."
	case r.PlanHash.IsZero() || r.Phase == PhaseNoPlan:
		return NoPlanYet, "No plan waits for a decision yet. Wait until the run shows one, read it, and decide on that."
	case d.PlanHash != r.PlanHash:
		return StalePlan, stale(r, d.PlanHash)
	case r.Phase == PhaseExpired || r.Phase == PhaseOpen && late:
		return Expired, fmt.Sprintf("The time to decide ran out at %s. Start the run again and decide on its new plan.", r.DecideBy.UTC().Format(time.RFC3339))
	}
	return r.Terms.Allows(r.Requester, d.Approver, d.Decision)
}

// stale names both plans, so that an approver finds out which one she read.
func stale(r Request, got plan.Digest) string {
	return fmt.Sprintf("The decision is on the plan %s; the run's plan is %s. Read that one and decide on it.", got, r.PlanHash)
}

// counts judges what others, and she herself, have decided meanwhile.
func counts(r Request, d Decision, name string) (Code, string) {
	switch {
	case r.took(name, d):
		return Duplicate, fmt.Sprintf("The same decision of %s was accepted already. Nothing is left to do.", name)
	case d.ActionID != "":
		return confirms(r, d)
	case r.Phase == PhaseOpen && d.Decision == Approve && r.Terms.fills(r.approved(), name):
		return Accepted, ""
	case r.Phase == PhaseOpen && d.Decision == Approve:
		return NotNeeded, fmt.Sprintf("The groups that %s is in have approved already; still missing: %s. Nothing is left for her to do.", name, r.Missing())
	case r.Phase == PhaseOpen:
		return Accepted, ""
	case r.Phase == PhaseGranted && len(r.Confirm) > 0 && d.Decision == Reject:
		return TooLate, fmt.Sprintf("The plan was approved already. To stop what is left, reject the action that waits, by action_id %s, or cancel the run.",
			r.Confirm[0])
	case r.Phase == PhaseGranted:
		return TooLate, "The plan was approved already and is being carried out. To stop it, cancel the run."
	case r.Phase == PhaseRevising:
		return TooLate, "A revision of this plan was asked for already. Wait for the new plan and decide on that."
	default:
		return TooLate, "The run has ended or is ending; nothing can be decided any more. See its result."
	}
}

// confirms judges a word about one action.
func confirms(r Request, d Decision) (Code, string) {
	switch {
	case r.Phase == PhaseOpen:
		return NotAsked, "The plan itself waits for a decision. Decide on it first, without an action_id."
	case r.Phase != PhaseGranted:
		return TooLate, "The run has ended or is ending; nothing can be decided any more. See its result."
	case !slices.Contains(r.Confirm, d.ActionID):
		return NotAsked, fmt.Sprintf("The action %s does not wait for a word of its own. Look at the run's status.", plan.Escape(shorten(d.ActionID)))
	default:
		return Accepted, ""
	}
}
