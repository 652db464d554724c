package approvals

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Outcome is what a person found out about an action whose outcome nobody
// knew. The zero Outcome says nothing.
type Outcome string

// The outcomes.
const (
	Happened    Outcome = "happened"     // the effect is at the target; it is recorded and not sent again
	NotHappened Outcome = "not_happened" // it is not and will not come; it is sent again, under the same key
	Abort       Outcome = "abort"        // it stays unknown; the run ends
)

func (o Outcome) known() bool { return o == Happened || o == NotHappened || o == Abort }

// Resolution is one person's word about one action in doubt, as the signal and
// the update "resolution" carry it.
type Resolution struct {
	ActionID string      `json:"action_id"`
	PlanHash plan.Digest `json:"plan_hash"`
	Outcome  Outcome     `json:"outcome"`
	// Operator is a claim, as a decision's approver is.
	Operator string `json:"operator"`
	// Evidence says how the operator knows, such as what she saw at the target.
	Evidence string `json:"evidence"`
	// Claim names which claim of the action it speaks of, as the run's status
	// shows it; empty speaks of the one in doubt now. With it, a word that was
	// sent twice cannot resolve what became of the action after the first.
	Claim string `json:"claim,omitempty"`
	// Signature is an SSH signature over the resolution's ResolutionStatement.
	Signature string `json:"signature,omitempty"`
}

// ParseResolution reads a resolution as strictly as ParseDecision reads a
// decision. Every member but claim and signature is needed: whoever resolves
// says how she knows.
func ParseResolution(raw []byte) (Resolution, error) {
	canonical, err := object(raw)
	if err != nil {
		return Resolution{}, err
	}
	var r Resolution
	if err := readMembers(canonical, r.set); err != nil {
		return Resolution{}, err
	}
	return r, r.check()
}

// object bounds the input and returns it in canonical form, if it is a JSON
// object.
func object(raw []byte) ([]byte, error) {
	if len(raw) > MaxDecisionBytes {
		return nil, fmt.Errorf("the input has %d bytes; at most %d are allowed", len(raw), MaxDecisionBytes)
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, errors.New("there is no input")
	}
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return nil, fmt.Errorf("the input is %w", err)
	}
	if kind := kindOf(canonical); kind != "an object" {
		return nil, fmt.Errorf("the input is %s, not an object", kind)
	}
	return canonical, nil
}

func (r *Resolution) set(name, text string) (err error) {
	switch name {
	case "action_id":
		r.ActionID = text
	case "plan_hash":
		r.PlanHash, err = planHash(text)
	case "outcome":
		r.Outcome = Outcome(text)
	case "operator":
		r.Operator = text
	case "evidence":
		r.Evidence = text
	case "claim":
		r.Claim = text
	case "signature":
		r.Signature = text
	default:
		return unknownMember(name, "action_id", "plan_hash", "outcome", "operator", "evidence", "claim", "signature")
	}
	return err
}

func (r Resolution) check() error {
	switch {
	case r.ActionID == "":
		return errors.New("there is no action_id")
	case len(r.ActionID) > maxIdentityBytes:
		return fmt.Errorf("the action_id has %d bytes; at most %d are allowed", len(r.ActionID), maxIdentityBytes)
	case r.PlanHash.IsZero():
		return errors.New("there is no plan_hash")
	case r.Outcome == "":
		return errors.New("there is no outcome")
	case !r.Outcome.known():
		return fmt.Errorf("the outcome %+q is not known; happened, not_happened and abort are", shorten(string(r.Outcome)))
	case r.Operator == "":
		return errors.New("there is no operator")
	case len(r.Operator) > maxIdentityBytes:
		return fmt.Errorf("the operator has %d bytes; at most %d are allowed", len(r.Operator), maxIdentityBytes)
	case strings.TrimSpace(r.Evidence) == "":
		return errors.New("there is no evidence, which says how you know")
	case len(r.Evidence) > MaxTextBytes:
		return fmt.Errorf("the evidence has %d bytes; at most %d are allowed", len(r.Evidence), MaxTextBytes)
	}
	return nil
}

// Doubts is what resolutions are judged against: the actions of a run that
// wait for one.
type Doubts struct {
	RunID     string      `json:"run_id"`
	PlanHash  plan.Digest `json:"plan_hash"`
	Requester string      `json:"requester"`
	Terms     Terms       `json:"terms"`
	Waiting   []InDoubt   `json:"waiting"`
	Resolved  []string    `json:"resolved"` // ids of the actions that were in doubt, of this plan
	Ended     bool        `json:"ended"`    // the run has ended, or is ending
}

// InDoubt is an action that waits for a resolution.
type InDoubt struct {
	ActionID string `json:"action_id"`
	Claim    string `json:"claim"`
}

// JudgeResolutions judges resolutions in the order in which they arrived, each
// against what the earlier ones left, and returns one verdict for each, in
// that order. The first valid word about an action counts.
func JudgeResolutions(d Doubts, batch []Arrival) []Verdict {
	verdicts := make([]Verdict, 0, len(batch))
	for _, a := range batch {
		v := judgeResolution(d, a)
		if v.Code != Accepted {
			v = v.Short()
		}
		verdicts = append(verdicts, v)
		d = d.After(v)
	}
	return verdicts
}

// After returns the doubts as they stand after v. A refusal changes nothing.
// The receiver's own lists stay as they are.
func (d Doubts) After(v Verdict) Doubts {
	if v.Code != Accepted {
		return d
	}
	d.Waiting = slices.DeleteFunc(slices.Clone(d.Waiting), func(w InDoubt) bool { return w.ActionID == v.ActionID })
	d.Resolved = append(slices.Clone(d.Resolved), v.ActionID)
	return d
}

func judgeResolution(d Doubts, a Arrival) Verdict {
	v := Verdict{At: a.At.UTC(), Via: a.Via}
	r, err := readResolution(a)
	if err != nil {
		v.Code = Malformed
		v.Reason = sentence(err) + ` Send one JSON object such as {"action_id":"a1","plan_hash":"sha256:…",` +
			`"outcome":"happened","operator":"you@example.com","evidence":"what you saw"}.`
		return v
	}
	v.PlanHash, v.Approver = r.PlanHash.String(), r.Operator
	v.ActionID, v.Outcome, v.Evidence = r.ActionID, r.Outcome, r.Evidence
	if v.Code, v.Reason = speaksOf(d, r); v.Code != Accepted {
		return v
	}
	statement, err := d.StatementOf(r)
	if err != nil {
		v.Code, v.Reason = NotAResolver, sentence(err) // MayResolve has refused it already
		return v
	}
	proven, code, reason := d.Terms.prove(statement.Operator, statement.Bytes(), r.Signature, a.At)
	if code == Accepted {
		code, reason = resolve(d, r)
	}
	if v.Code, v.Reason = code, reason; code == Accepted {
		v.Approver, v.Proven, v.Claim = statement.Operator, proven, statement.Claim
	}
	return v
}

func readResolution(a Arrival) (Resolution, error) {
	if a.Unreadable != "" {
		return Resolution{}, fmt.Errorf("the input cannot be read: %s", a.Unreadable)
	}
	return ParseResolution(a.Raw)
}

// speaksOf judges who speaks, and of what.
func speaksOf(d Doubts, r Resolution) (Code, string) {
	switch {
	case d.Ended:
		return TooLate, "The run has ended or is ending; nothing can be resolved in it any more. See its result."
	case d.PlanHash.IsZero():
		return NoPlanYet, "The run has no plan yet, and so no action in doubt."
	case r.PlanHash != d.PlanHash:
		return StalePlan, fmt.Sprintf("The resolution is of the plan %s; the run's plan is %s. Look at the run again.", r.PlanHash, d.PlanHash)
	}
	return d.Terms.MayResolve(d.Requester, r.Operator, r.ActionID)
}

// resolve judges whether the action waits for this word.
func resolve(d Doubts, r Resolution) (Code, string) {
	waiting := slices.IndexFunc(d.Waiting, func(w InDoubt) bool { return w.ActionID == r.ActionID })
	switch {
	case waiting >= 0 && r.Claim != "" && r.Claim != d.Waiting[waiting].Claim:
		return NotInDoubt, fmt.Sprintf("The resolution is of the claim %s of action %s; it is the claim %s that is in doubt now. Look at the run again.",
			plan.Escape(shorten(r.Claim)), plan.Escape(r.ActionID), d.Waiting[waiting].Claim)
	case waiting >= 0:
		return Accepted, ""
	case slices.Contains(d.Resolved, r.ActionID):
		return Duplicate, fmt.Sprintf("The action %s was resolved already. Nothing is left to do.", plan.Escape(r.ActionID))
	default:
		return NotInDoubt, fmt.Sprintf("The action %s is not in doubt. Look at the run's status.", plan.Escape(r.ActionID))
	}
}
