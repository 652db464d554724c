package approvals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Limits of a policy.
const (
	// MaxPeriod bounds both periods: a permission that outlives everyone's
	// memory of it is none.
	MaxPeriod = 30 * 24 * time.Hour
	// MaxApprovers bounds the list of names.
	MaxApprovers = 100

	maxLabelBytes = 64
)

// Policy says who may approve, and for how long. It is a value of its own
// bytes: two policies with one Version are one policy.
type Policy struct {
	Label     string   // 1 to 64 letters, digits and . _ -; the readable half of the version
	Approvers []string // normalized and sorted; one of them suffices
	// DecideWithin is how long the gate stays open, and GrantLife how long an
	// approval may be used. Whole seconds, above 0 and up to MaxPeriod.
	DecideWithin, GrantLife time.Duration
	// Resolvers may say what became of an action whose outcome is unknown.
	// Normalized and sorted; when there are none, the approvers may.
	Resolvers []string
}

// NewPolicy makes a policy of names as people write them, in any order.
func NewPolicy(label string, approvers []string, decideWithin, grantLife time.Duration) (Policy, error) {
	p := Policy{Label: label, DecideWithin: decideWithin, GrantLife: grantLife}
	for _, approver := range approvers {
		name, err := NormalizeIdentity(approver)
		if err != nil {
			return Policy{}, fmt.Errorf("approvers: %w", err)
		}
		p.Approvers = append(p.Approvers, name)
	}
	slices.Sort(p.Approvers)
	if err := p.check(); err != nil {
		return Policy{}, err
	}
	return p, nil
}

// Version returns label@digest, where digest is that of Canonical. It is the
// approval_policy_version of a grant.
func (p Policy) Version() string {
	return p.Label + "@" + plan.Sum(p.Canonical()).String()
}

// Canonical returns the policy's bytes: JSON in the form of RFC 8785, with the
// approvers sorted and the periods in seconds. The order in which a file lists
// names, its comments and how it writes a period do not matter.
//
// It writes by hand, for workflow code may not use encoding/json; a valid
// policy's texts have nothing that JSON would escape.
func (p Policy) Canonical() []byte {
	b := appendNames([]byte(`{"approvers":`), p.Approvers)
	b = append(b, `,"decide_within_seconds":`...)
	b = strconv.AppendInt(b, int64(p.DecideWithin/time.Second), 10)
	b = append(b, `,"grant_life_seconds":`...)
	b = strconv.AppendInt(b, int64(p.GrantLife/time.Second), 10)
	b = append(b, `,"label":`...)
	b = strconv.AppendQuote(b, p.Label)
	if len(p.Resolvers) > 0 { // a policy without any keeps the version that it has had
		b = append(b, `,"resolvers":`...)
		b = appendNames(b, p.Resolvers)
	}
	return append(b, '}')
}

func appendNames(b []byte, names []string) []byte {
	b = append(b, '[')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, name)
	}
	return append(b, ']')
}

// MarshalJSON writes Canonical, so that the history shows what is hashed.
func (p Policy) MarshalJSON() ([]byte, error) { return p.Canonical(), nil }

// UnmarshalJSON reads Canonical. It refuses a policy that ParsePolicy would, and
// one with members of a later version, whose rules this one does not know. The
// zero Policy, which allows nobody, passes.
func (p *Policy) UnmarshalJSON(raw []byte) error {
	var wire struct {
		Approvers    []string `json:"approvers"`
		DecideWithin int64    `json:"decide_within_seconds"`
		GrantLife    int64    `json:"grant_life_seconds"`
		Label        string   `json:"label"`
		Resolvers    []string `json:"resolvers"`
	}
	members := json.NewDecoder(bytes.NewReader(raw))
	members.DisallowUnknownFields()
	if err := members.Decode(&wire); err != nil {
		return err
	}
	if wire.Label == "" && len(wire.Approvers) == 0 && wire.DecideWithin == 0 && wire.GrantLife == 0 {
		*p = Policy{}
		return nil
	}
	if max(wire.DecideWithin, wire.GrantLife) > int64(MaxPeriod/time.Second) {
		return fmt.Errorf("a period of the policy is longer than %s", MaxPeriod)
	}
	read := Policy{
		Label:        wire.Label,
		Approvers:    wire.Approvers,
		DecideWithin: time.Duration(wire.DecideWithin) * time.Second,
		GrantLife:    time.Duration(wire.GrantLife) * time.Second,
		Resolvers:    wire.Resolvers,
	}
	if read.Label == "" && len(read.Approvers) == 0 && read.DecideWithin == 0 && read.GrantLife == 0 {
		*p = Policy{} // of a request that has not been opened; it allows nobody
		return nil
	}
	if err := read.check(); err != nil {
		return err
	}
	*p = read
	return nil
}

// Allows judges a person, not a plan: may approver make this choice about a
// run of requester? The code is Accepted, or else SelfApproval,
// NotAnApprover or (for no choice at all) Malformed, with a sentence that says why.
//
//   - A requester may reject her own run, and nothing else, whatever the list says.
//   - Everyone else must be on the list.
//   - A name that NormalizeIdentity refuses is nobody's.
func (p Policy) Allows(requester, approver string, choice Choice) (Code, string) {
	if !choice.known() {
		return Malformed, "There is no such decision. Send approve, reject or revise."
	}
	name, err := NormalizeIdentity(approver)
	if err != nil {
		return NotAnApprover, sentence(err) + " Write the name as the policy has it."
	}
	owner, err := NormalizeIdentity(requester)
	if err != nil {
		return SelfApproval, "It cannot be told who requested this run, so no one can be told apart from the requester. Start it again with a valid requester."
	}
	switch {
	case name == owner && choice == Reject:
		return Accepted, ""
	case name == owner:
		return SelfApproval, fmt.Sprintf("%s requested this run and may only reject it. Ask another approver of the policy %s.", name, p.Label)
	case !slices.Contains(p.Approvers, name):
		return NotAnApprover, fmt.Sprintf("%s is not an approver of the policy %s. Ask one who is.", name, p.Label)
	}
	return Accepted, ""
}

// MayResolve judges whether operator may say what became of an action of a run
// of requester. The code is Accepted, SelfApproval or NotAResolver, with a
// sentence that says why. A requester never may.
func (p Policy) MayResolve(requester, operator string) (Code, string) {
	resolvers := p.Resolvers
	if len(resolvers) == 0 {
		resolvers = p.Approvers
	}
	name, err := NormalizeIdentity(operator)
	owner, ownerErr := NormalizeIdentity(requester)
	switch {
	case err != nil:
		return NotAResolver, sentence(err) + " Write the name as the policy has it."
	case ownerErr != nil || name == owner:
		return SelfApproval, fmt.Sprintf("%s requested this run and may not resolve its actions. Ask a resolver of the policy %s.", name, p.Label)
	case !slices.Contains(resolvers, name):
		return NotAResolver, fmt.Sprintf("%s is not a resolver of the policy %s. Ask one who is.", name, p.Label)
	}
	return Accepted, ""
}

// ResolverFor returns the first who may resolve an action of a run of
// requester, or "" when nobody may.
func (p Policy) ResolverFor(requester string) string {
	resolvers := p.Resolvers
	if len(resolvers) == 0 {
		resolvers = p.Approvers
	}
	for _, name := range resolvers {
		if code, _ := p.MayResolve(requester, name); code == Accepted {
			return name
		}
	}
	return ""
}

// ApproverFor returns the first who may approve a run of requester, or "" when
// nobody may.
func (p Policy) ApproverFor(requester string) string {
	for _, name := range p.Approvers {
		if code, _ := p.Allows(requester, name, Approve); code == Accepted {
			return name
		}
	}
	return ""
}

// check refuses what is no policy.
func (p Policy) check() error {
	if err := checkLabel(p.Label); err != nil {
		return err
	}
	if len(p.Approvers) == 0 {
		return errors.New("approvers is empty; nobody could approve")
	}
	if err := checkNames("approvers", p.Approvers); err != nil {
		return err
	}
	if err := checkNames("resolvers", p.Resolvers); err != nil {
		return err
	}
	if err := checkPeriod(p.DecideWithin); err != nil {
		return fmt.Errorf("decide_within %w", err)
	}
	if err := checkPeriod(p.GrantLife); err != nil {
		return fmt.Errorf("grant_life %w", err)
	}
	return nil
}

func checkNames(field string, names []string) error {
	if len(names) > MaxApprovers {
		return fmt.Errorf("%s has %d names; at most %d are allowed", field, len(names), MaxApprovers)
	}
	for i, name := range names {
		normal, err := NormalizeIdentity(name)
		if err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
		if normal != name || i > 0 && names[i-1] >= name {
			return fmt.Errorf("%s are not in lower case, sorted and different", field)
		}
	}
	return nil
}

func checkLabel(label string) error {
	if label == "" || len(label) > maxLabelBytes {
		return fmt.Errorf("label has %d bytes; 1 to %d are allowed", len(label), maxLabelBytes)
	}
	for _, r := range label {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", r) {
			return fmt.Errorf("label has %+q; letters a to z, digits and . _ - are allowed", r)
		}
	}
	return nil
}

func checkPeriod(d time.Duration) error {
	switch {
	case d <= 0:
		return fmt.Errorf("is %s; it must be above 0", d)
	case d > MaxPeriod:
		return fmt.Errorf("is %s; at most %s (30 days) are allowed", d, MaxPeriod)
	case d%time.Second != 0:
		return fmt.Errorf("is %s; whole seconds are allowed", d)
	}
	return nil
}

// sentence makes a sentence of an error's text.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
