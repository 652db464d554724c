package approvals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Limits of a decision, in bytes.
const (
	MaxDecisionBytes = 64 << 10 // the whole document
	MaxTextBytes     = 4 << 10  // comment and feedback, each
)

// Choice is what an approver decides. The zero Choice is no decision, and
// never a yes.
type Choice string

// The choices.
const (
	Approve Choice = "approve" // carry out this very plan
	Reject  Choice = "reject"  // end the run
	Revise  Choice = "revise"  // make a new plan after the feedback; this one is void
)

// known reports whether c is a choice at all.
func (c Choice) known() bool { return c == Approve || c == Reject || c == Revise }

// Decision is one person's answer to one plan, as the signal and the update
// "approval" carry it.
type Decision struct {
	Decision Choice      `json:"decision"`
	PlanHash plan.Digest `json:"plan_hash"`
	// ActionID makes it a confirmation: a word about this one action of an
	// approved plan, which waits for it.
	ActionID string `json:"action_id,omitempty"`
	// Approver is a claim: whoever may send a signal may write any name. What
	// proves it is the signature; without one, the right to reach the namespace,
	// or a gateway before it.
	Approver string `json:"approver"`
	Comment  string `json:"comment,omitempty"`
	Feedback string `json:"feedback,omitempty"` // of a revise, for the planner
	// Signature is an SSH signature over the decision's Statement, as
	// ssh-keygen -Y sign -n holdpoint writes it.
	Signature string `json:"signature,omitempty"`
}

// text is what the person wrote, and signs.
func (d Decision) text() string {
	if d.Decision == Revise {
		return d.Feedback
	}
	return d.Comment
}

// ParseDecision reads a decision strictly. Whatever two readers could take for
// two different decisions is refused: what plan.Canonicalize refuses (so
// duplicate members in any spelling), members that it does not know or that
// are written in other letter case, null, other types than text, a plan_hash
// in another form. A missing decision, plan_hash or approver is refused, and
// so is feedback with anything but revise, which needs it. There is no member
// for an expiry: a decision cannot bring its own.
//
// The error says what is wrong, in words for whoever sent it; Judge makes the
// verdict Malformed of it.
func ParseDecision(raw []byte) (Decision, error) {
	canonical, err := object(raw)
	if err != nil {
		return Decision{}, err
	}
	var d Decision
	if err := readMembers(canonical, d.set); err != nil {
		return Decision{}, err
	}
	if err := d.check(); err != nil {
		return Decision{}, err
	}
	return d, nil
}

// readMembers hands each member of a canonical object, in order, to set. Go's
// own decoder would match names in any letter case.
func readMembers(canonical []byte, set func(name, text string) error) error {
	members := json.NewDecoder(bytes.NewReader(canonical))
	if _, err := members.Token(); err != nil {
		return err
	}
	for members.More() {
		token, err := members.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // an object's members begin with their names
		var value json.RawMessage
		if err := members.Decode(&value); err != nil {
			return err
		}
		text, err := textOf(value)
		if err != nil {
			return fmt.Errorf("the member %+q %w", shorten(name), err)
		}
		if err := set(name, text); err != nil {
			return err
		}
	}
	return nil
}

// set puts a member in its place.
func (d *Decision) set(name, text string) (err error) {
	switch name {
	case "decision":
		d.Decision = Choice(text)
	case "plan_hash":
		d.PlanHash, err = planHash(text)
	case "approver":
		d.Approver = text
	case "action_id":
		d.ActionID = text
	case "comment":
		d.Comment = text
	case "feedback":
		d.Feedback = text
	case "signature":
		d.Signature = text
	default:
		return unknownMember(name, "decision", "plan_hash", "action_id", "approver", "comment", "feedback", "signature")
	}
	return err
}

func planHash(text string) (plan.Digest, error) {
	hash, err := plan.ParseDigest(text)
	switch {
	case err != nil:
		return hash, fmt.Errorf("the plan_hash cannot be used: %w", err)
	case hash.IsZero():
		return hash, errors.New("the plan_hash is all zeros, which no plan has")
	}
	return hash, nil
}

func unknownMember(name string, members ...string) error {
	for _, known := range members {
		if strings.EqualFold(name, known) {
			return fmt.Errorf("the member %+q must be written %q", shorten(name), known)
		}
	}
	return fmt.Errorf("the member %+q is not known", shorten(name))
}

func (d Decision) check() error {
	switch {
	case d.Decision == "":
		return errors.New("there is no decision")
	case !d.Decision.known():
		return fmt.Errorf("the decision %+q is not known; approve, reject and revise are", shorten(string(d.Decision)))
	case d.PlanHash.IsZero():
		return errors.New("there is no plan_hash")
	case d.Approver == "":
		return errors.New("there is no approver")
	case d.ActionID != "" && d.Decision == Revise:
		return errors.New("one action cannot be revised, for the plan is approved; approve or reject the action")
	case d.Decision == Revise && strings.TrimSpace(d.Feedback) == "":
		return errors.New("revise needs feedback, which says what the new plan is to do otherwise")
	case d.Decision == Revise && d.Comment != "" && d.Signature != "":
		return errors.New("of a signed revise only the feedback is signed; write the comment into it")
	case d.Decision != Revise && d.Feedback != "":
		return fmt.Errorf("feedback belongs to revise; with %s, write a comment", d.Decision)
	}
	return errors.Join(
		atMost("approver", d.Approver, maxIdentityBytes), atMost("action_id", d.ActionID, maxIdentityBytes),
		atMost("comment", d.Comment, MaxTextBytes), atMost("feedback", d.Feedback, MaxTextBytes),
	)
}

func atMost(member, text string, limit int) error {
	if len(text) > limit {
		return fmt.Errorf("the %s has %d bytes; at most %d are allowed", member, len(text), limit)
	}
	return nil
}

// textOf reads a canonical JSON string.
func textOf(value []byte) (string, error) {
	if kind := kindOf(value); kind != "a string" {
		return "", fmt.Errorf("is %s, not a string", kind)
	}
	var text string
	err := json.Unmarshal(value, &text)
	return text, err
}

// kindOf names the kind of a canonical JSON value by its first byte.
func kindOf(value []byte) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

// shorten bounds a sender's text in an error message and says that it did.
func shorten(s string) string {
	const limit = 60
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
