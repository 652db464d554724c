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
	// shows it. NotHappened needs it: what it says of one call must not be taken
	// for a word about the next. Without it, the others speak of the claim that
	// is in doubt now, since neither of them sends anything.
	Claim string `json:"claim,omitempty"`
	// Signature is an SSH signature over the resolution's ResolutionStatement.
	Signature string `json:"signature,omitempty"`
}

// ParseResolution reads a resolution as strictly as ParseDecision reads a
// decision. Every member but claim and signature is needed, and claim too for
// NotHappened: whoever resolves says how she knows, and whoever has something
// sent again says which call did not arrive.
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
	case r.Claim == "" && r.Outcome == NotHappened:
		return errors.New("there is no claim, which not_happened needs: " +
			"the run's status names the claim in doubt ('starter status RUN', or the query 'status')")
	}
	return nil
}

// Doubts is what resolutions are judged against: the actions of a run that
// wait for one, and what has been said of others.
type Doubts struct {
	RunID     string      `json:"run_id"`
	PlanHash  plan.Digest `json:"plan_hash"`
	Requester string      `json:"requester"`
	Terms     Terms       `json:"terms"`
	Waiting   []InDoubt   `json:"waiting"`
	Resolved  []InDoubt   `json:"resolved"` // actions that were in doubt, of this plan, with what was said
	Ended     bool        `json:"ended"`    // the run has ended, or is ending
}

// InDoubt is an action that waits for a resolution, or has had one.
type InDoubt struct {
	ActionID string `json:"action_id"`
	Claim    string `json:"claim"`
	// Said is the word that was accepted; "" is none. While the action still
	// waits, it is a NotHappened that is not recorded yet, and the cautious words
	// take its place.
	Said Outcome `json:"said,omitempty"`
	// Request names the asking that a NotHappened answers, once it was asked anew;
	// empty before.
	Request string `json:"request,omitempty"`
	// Anew is set in a run that was reset since this was asked: the name under which
	// it is asked anew. What was said then may be missing, so no NotHappened is
	// taken before.
	Anew string `json:"asked_anew,omitempty"`
}

// open reports whether a word about the action can still change something.
func (i InDoubt) open(to Outcome) bool {
	return i.Said == "" || i.Said == NotHappened && to != NotHappened
}

// JudgeResolutions judges resolutions in the order in which they arrived, each
// against what the earlier ones left, and returns one verdict for each, in
// that order. The first valid word about an action counts, but for a
// NotHappened: until it is recorded, and so may be sent again, whoever knows
// better can still say so. In a run that was reset, a NotHappened is asked anew,
// under another name, and only words that come after that batch answer it: what
// took the first one back may be missing, and a reset repeats what was sent.
//
//	the action                          the word         code
//	----------------------------------  ---------------  ------------
//	is not in doubt, or another claim   any              not_in_doubt
//	waits, the run was reset since      not_happened     asked_anew
//	waits, and nothing was said         any              accepted
//	waits to be sent again              not_happened     duplicate
//	waits to be sent again              another          accepted
//	was resolved                        the same         duplicate
//	was resolved                        another          contradicts
func JudgeResolutions(d Doubts, batch []Arrival) []Verdict {
	verdicts := make([]Verdict, 0, len(batch))
	for _, a := range batch {
		v := judgeResolution(d, a)
		if v.Code != Accepted {
			v = v.Short()
		}
		verdicts = append(verdicts, v)
		if v.Code == Accepted {
			d = d.After(v)
		}
	}
	return verdicts
}

// After returns the doubts as they stand after v. A refusal changes nothing, but
// for the one that asks anew. The receiver's own lists stay as they are.
func (d Doubts) After(v Verdict) Doubts {
	switch v.Code {
	case AskedAnew:
		return d.askedAnew(v)
	case Accepted:
	default:
		return d
	}
	said := InDoubt{ActionID: v.ActionID, Claim: v.Claim, Said: v.Outcome}
	before := slices.IndexFunc(d.Waiting, said.sameAction)
	if v.Outcome == NotHappened && before >= 0 {
		said.Request = d.Waiting[before].Request
	}
	d.Waiting = slices.DeleteFunc(slices.Clone(d.Waiting), said.sameAction)
	if v.Outcome == NotHappened {
		d.Waiting = append(d.Waiting, said)
	} else {
		d.Resolved = append(slices.DeleteFunc(slices.Clone(d.Resolved), said.sameAction), said)
	}
	return d
}

func (i InDoubt) sameAction(other InDoubt) bool { return i.ActionID == other.ActionID }

func judgeResolution(d Doubts, a Arrival) Verdict {
	v := Verdict{At: a.At.UTC(), Via: a.Via}
	r, err := readResolution(a)
	if err != nil {
		v.Code = Malformed
		v.Reason = sentence(err) + ` Send one JSON object such as {"action_id":"a1","plan_hash":"sha256:…",` +
			`"outcome":"happened","operator":"you@example.com","evidence":"what you saw","claim":"1"}.`
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
		code, reason = d.Terms.resolvesForAnother(proven.Key, d.Requester, statement.Operator)
	}
	if code == Accepted {
		code, reason = resolve(d, r)
	}
	if anew := d.asksAnew(r); code == Accepted && anew != "" {
		v.Code, v.Claim, v.RequestID = AskedAnew, statement.Claim, anew
		v.Reason = "The run was reset since this was asked, and what took it back may be missing. " +
			"It is asked anew: look at the run and at the target again, and say what is so now."
		return v
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
	id := plan.Escape(r.ActionID)
	about := func(i InDoubt) bool { return i.ActionID == r.ActionID }
	if at := slices.IndexFunc(d.Waiting, about); at >= 0 {
		now := d.Waiting[at]
		switch {
		case r.Claim != "" && r.Claim != now.Claim:
			return NotInDoubt, fmt.Sprintf("The resolution is of the claim %s of action %s; it is the claim %s that is in doubt now. Look at the run again.",
				plan.Escape(shorten(r.Claim)), id, now.Claim)
		case now.open(r.Outcome):
			return Accepted, ""
		default:
			return Duplicate, fmt.Sprintf("That the action %s did not happen was said already. Nothing is left to do.", id)
		}
	}
	at := slices.IndexFunc(d.Resolved, about)
	switch {
	case at < 0, r.Claim != "" && d.Resolved[at].Claim != "" && r.Claim != d.Resolved[at].Claim:
		return NotInDoubt, fmt.Sprintf("The action %s is not in doubt. Look at the run's status.", id)
	case d.Resolved[at].Said == r.Outcome:
		return Duplicate, fmt.Sprintf("The action %s was resolved so already. Nothing is left to do.", id)
	default:
		said := d.Resolved[at].Said
		return Contradicts, fmt.Sprintf("The action %s was resolved as %s before, and that is recorded; it stands. %s", id, said, tooLateFor(said))
	}
}

// tooLateFor says what can still be done about a word that stands.
func tooLateFor(said Outcome) string {
	if said == NotHappened {
		return "It may have been sent again by now: look at the run's status and at the target, and cancel the run if nothing more must be sent."
	}
	return "Nothing is sent because of it. Look at the run's status."
}
