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
	v.Comment, v.Feedback = d.Comment, d.Feedback
	v.Code, v.Reason = decide(r, d, a.Late)
	if v.Code == Accepted {
		v.Approver, _ = NormalizeIdentity(d.Approver) // Allows has normalized it already
	}
	return v
}

func read(a Arrival) (Decision, error) {
	if a.Unreadable != "" {
		return Decision{}, fmt.Errorf("the input cannot be read: %s", a.Unreadable)
	}
	return ParseDecision(a.Raw)
}

// decide returns the code of a well-formed decision, and its reason.
func decide(r Request, d Decision, late bool) (Code, string) {
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
	if code, reason := r.Policy.Allows(r.Requester, d.Approver, d.Decision); code != Accepted {
		return code, reason
	}
	if r.Phase == PhaseOpen {
		return Accepted, ""
	}
	return afterwards(r, d)
}

// stale names both plans, so that an approver finds out which one she read.
func stale(r Request, got plan.Digest) string {
	return fmt.Sprintf("The decision is on the plan %s; the run's plan is %s. Read that one and decide on it.", got, r.PlanHash)
}

// afterwards judges a decision that would have been valid while the gate was
// open.
func afterwards(r Request, d Decision) (Code, string) {
	name, err := NormalizeIdentity(d.Approver)
	if err == nil && slices.Contains(r.Taken, Taken{Approver: name, Decision: d.Decision}) {
		return Duplicate, fmt.Sprintf("The same decision of %s was accepted already. Nothing is left to do.", name)
	}
	switch r.Phase {
	case PhaseGranted:
		return TooLate, "The plan was approved already and is being carried out. To stop it, cancel the run."
	case PhaseRevising:
		return TooLate, "A revision of this plan was asked for already. Wait for the new plan and decide on that."
	default:
		return TooLate, "The run has ended or is ending; nothing can be decided any more. See its result."
	}
}
