package approvals

import (
	"bytes"
	"errors"
	"fmt"
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
