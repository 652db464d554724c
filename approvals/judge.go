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
	Via        string    `json:"via"` // ViaSignal or ViaUpdate
	At         time.Time `json:"at"`  // the workflow's time when it was read
	// Late says that the timer of what waits had fired before it reached the
	// workflow: that of the time to decide or, once the plan was approved, that of
	// the approval's life.
	Late bool `json:"late"`
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
	if d.ActionID != "" && d.PlanHash == r.PlanHash {
		v.Expires = r.GrantedUntil
	}
	if v.Code, v.Reason = speaks(r, d, a); v.Code != Accepted {
		return v
	}
	statement, err := r.StatementOf(d)
	if err != nil {
		v.Code, v.Reason = NotAnApprover, sentence(err) // Allows has refused it already
		return v
	}
	proven, code, reason := r.Terms.prove(statement.Approver, statement.Bytes(), d.Signature, a.At)
	if code == Accepted {
		code, reason = r.oneKeyOnePerson(statement.Approver, d, proven)
	}
	if code == Accepted {
		code, reason = counts(r, d, statement.Approver)
	} else if r.Terms.cannotSign(statement.Approver) {
		reason = fmt.Sprintf("The policy %s wants a signature, and takes no key of %s, who is in no group that it asks about this plan. "+
			"Whoever requested a run can stop it without one: 'starter cancel RUN'.", r.Terms.Label, statement.Approver)
	}
	if code == Accepted && r.Reset && d.Decision != Reject {
		code, reason = AskedAnew, "The run was reset since this was asked, and what others had said may be missing. "+
			"It is asked anew: look at the run again and decide on that."
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
func speaks(r Request, d Decision, a Arrival) (Code, string) {
	switch {
	case r.PlanHash.IsZero() && r.Phase == PhaseClosed:
		return TooLate, "The run has ended without a plan; nothing can be decided any more."
	case r.PlanHash.IsZero() || r.Phase == PhaseNoPlan:
		return NoPlanYet, "No plan waits for a decision yet. Wait until the run shows one, read it, and decide on that."
	case d.PlanHash != r.PlanHash:
		return StalePlan, stale(r, d.PlanHash)
	case r.Phase == PhaseExpired || r.Phase == PhaseOpen && a.Late:
		return Expired, fmt.Sprintf("The time to decide ran out at %s. Start the run again and decide on its new plan.", r.DecideBy.UTC().Format(time.RFC3339))
	case d.ActionID != "" && !r.GrantedUntil.IsZero() && (a.Late || !a.At.Before(r.GrantedUntil)):
		return Expired, fmt.Sprintf("The plan's approval held until %s, and so did the time for a word about one of its actions. "+
			"Start the run again and decide on its new plan.", r.GrantedUntil.UTC().Format(time.RFC3339))
	}
	return r.Terms.AllowsWord(r.Requester, d.Approver, d.Decision, d.ActionID)
}

// stale names both plans, so that an approver finds out which one she read.
func stale(r Request, got plan.Digest) string {
	return fmt.Sprintf("The decision is on the plan %s; the run's plan is %s. Read that one and decide on it.", got, r.PlanHash)
}

// counts judges what others, and she herself, have decided meanwhile.
func counts(r Request, d Decision, name string) (Code, string) {
	switch {
	case r.took(name, d):
		return Duplicate, repeated(r, d, name)
	case d.ActionID != "":
		return confirms(r, d)
	case r.Phase == PhaseOpen && d.Decision == Approve && !r.Terms.fills(r.approved(), name):
		return NotNeeded, fmt.Sprintf("The groups that %s is in have approved already; still missing: %s. Nothing is left for her to do.", name, r.Missing())
	case r.Phase == PhaseOpen:
		return Accepted, ""
	default:
		return TooLate, decidedOn(r, d)
	}
}

// repeated says that a decision was accepted already, and what is asked for
// since.
func repeated(r Request, d Decision, name string) string {
	if d.ActionID == "" && d.Decision == Approve && r.Phase == PhaseGranted && len(r.Confirm) > 0 {
		return fmt.Sprintf("%s has approved the plan already. The action %s waits for a word of its own: decide on it, by action_id %[2]s.", name, r.Confirm[0])
	}
	return fmt.Sprintf("The same decision of %s was accepted already. Nothing is left to do.", name)
}

// decidedOn says what has become of a plan that waits for no decision any more.
func decidedOn(r Request, d Decision) string {
	switch {
	case r.Phase == PhaseGranted && len(r.Confirm) > 0 && d.Decision == Reject:
		return fmt.Sprintf("The plan was approved already. To stop what is left, reject the action that waits, by action_id %s, or cancel the run.",
			r.Confirm[0])
	case r.Phase == PhaseGranted:
		return "The plan was approved already and is being carried out. To stop it, cancel the run."
	case r.Phase == PhaseRevising:
		return "A revision of this plan was asked for already. Wait for the new plan and decide on that."
	default:
		return "The run has ended or is ending; nothing can be decided any more. See its result."
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
