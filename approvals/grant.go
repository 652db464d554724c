package approvals

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The reasons why a grant does not allow an effect; none is helped by trying
// again. ErrPolicyChanged and ErrNotConfirmed lead back to the gate, and
// ErrGrantExpired ends the run as expired. The others say that something is
// broken, which no new plan mends.
var (
	ErrNotGranted    = errors.New("there is no approval")
	ErrOtherPlan     = errors.New("the approval is of another plan")
	ErrGrantExpired  = errors.New("the approval has expired")
	ErrPolicyChanged = errors.New("the policy has changed since the approval")
	ErrNotConfirmed  = errors.New("the action has not been confirmed")
)

// Grant is the approval record: the permission to carry out one plan until one
// moment. The zero Grant permits nothing. Times are UTC and whole seconds.
type Grant struct {
	RunID         string      `json:"run_id,omitempty"`
	PlanHash      plan.Digest `json:"plan_hash"`
	PolicyVersion string      `json:"approval_policy_version"` // Terms.Version
	RequestID     string      `json:"request_id"`
	// Execution is the request's. An effect begins in no other one.
	Execution string `json:"execution,omitempty"`
	// ByPolicy names the rules because of which nobody was asked; there are no
	// approvals then.
	ByPolicy  []string   `json:"by_policy,omitempty"`
	Approvals []Approval `json:"approvals"`
	// Confirmations are words about single actions, given after the approval.
	Confirmations []Confirmation `json:"confirmations,omitempty"`
	ApprovedAt    time.Time      `json:"approved_at"` // the workflow's time
	ExpiresAt     time.Time      `json:"expires_at"`  // fixed here; later settings do not move it
	// DecideBy is until when the request waited: the "expires" of the
	// statements of those who approved the plan.
	DecideBy time.Time `json:"decide_by,omitzero"`
}

// Approval is one person's part in a grant.
type Approval struct {
	Approver string    `json:"approver"` // normalized
	Comment  string    `json:"comment"`
	At       time.Time `json:"at"`
	// Groups are the quorums that it counts for.
	Groups string `json:"groups,omitempty"`
	Proven
	Text plan.Digest `json:"text_sha256,omitzero"` // of the comment, as it was signed
	// Expires is until when a word about one action held, as its statement says.
	// It is zero of an approval of the plan, and of words from before it was
	// recorded, whose statements name Grant.DecideBy.
	Expires time.Time `json:"expires,omitzero"`
}

// Confirmation is one person's word that one action may go.
type Confirmation struct {
	ActionID string `json:"action_id"`
	Approval
}

// NewGrant makes the grant of a request whose quorums are met, or which needs
// nobody. It holds for the terms' GrantLife from at, cut to the second.
func NewGrant(r Request, at time.Time) (Grant, error) {
	switch {
	case r.PlanHash.IsZero():
		return Grant{}, fmt.Errorf("%w: there is no plan", ErrOtherPlan)
	case r.Phase != PhaseGranted:
		return Grant{}, fmt.Errorf("%w: the request is not granted", ErrNotGranted)
	case r.Missing() != "":
		return Grant{}, fmt.Errorf("%w: %s must still approve", ErrNotGranted, r.Missing())
	}
	at = at.UTC().Truncate(time.Second)
	g := Grant{
		RunID: r.RunID, PlanHash: r.PlanHash, PolicyVersion: r.Terms.Version, RequestID: r.RequestID, Execution: r.Execution, ByPolicy: r.Terms.ByPolicy,
		ApprovedAt: at, ExpiresAt: at.Add(r.Terms.GrantLife), DecideBy: r.Expires(),
	}
	seats := r.Terms.seat(r.approved())
	for _, t := range r.Taken {
		if t.Decision == Approve && t.ActionID == "" {
			t.Groups = seats.groups(t.Approver)
			g.Approvals = append(g.Approvals, t.Approval)
		}
	}
	return g, nil
}

// Confirmed returns the grant with one more action confirmed. The receiver's
// own list stays as it is.
func (g Grant) Confirmed(actionID string, by Approval) Grant {
	g.Confirmations = append(slices.Clone(g.Confirmations), Confirmation{ActionID: actionID, Approval: by})
	return g
}

// For is the permission for one action, for where it is written many times:
// without comments, and without the words about other actions.
func (g Grant) For(actionID string) Grant {
	g.Approvals = slices.Clone(g.Approvals)
	for i := range g.Approvals {
		g.Approvals[i].Comment = ""
	}
	g.Confirmations = slices.DeleteFunc(slices.Clone(g.Confirmations), func(c Confirmation) bool { return c.ActionID != actionID })
	for i := range g.Confirmations {
		g.Confirmations[i].Comment = ""
	}
	return g
}

// By names who granted it, for a record of one line: the approvers, or the
// rules of the policy that ask nobody.
func (g Grant) By() string {
	if len(g.Approvals) == 0 {
		return "policy: " + strings.Join(g.ByPolicy, ", ")
	}
	names := make([]string, len(g.Approvals))
	for i, a := range g.Approvals {
		names[i] = a.Approver
	}
	return strings.Join(names, ", ")
}

// Covers reports whether an effect of the plan may begin at now: nil, or
// ErrNotGranted, ErrOtherPlan or ErrGrantExpired. At ExpiresAt itself it has
// expired. A grant without times, or with a life beyond MaxPeriod, has too: no
// policy gives one, so what cannot be read never means "no expiry".
func (g Grant) Covers(hash plan.Digest, now time.Time) error {
	switch {
	case g.PlanHash.IsZero() || len(g.Approvals) == 0 && len(g.ByPolicy) == 0:
		return ErrNotGranted
	case g.PlanHash != hash:
		return fmt.Errorf("%w: it is of %s, this is %s", ErrOtherPlan, g.PlanHash, hash)
	case g.ApprovedAt.IsZero() || !g.ExpiresAt.After(g.ApprovedAt) || g.ExpiresAt.Sub(g.ApprovedAt) > MaxPeriod:
		return fmt.Errorf("%w: no policy gives a life from %s to %s", ErrGrantExpired,
			g.ApprovedAt.Format(time.RFC3339), g.ExpiresAt.Format(time.RFC3339))
	case !now.Before(g.ExpiresAt):
		return fmt.Errorf("%w: it held until %s", ErrGrantExpired, g.ExpiresAt.UTC().Format(time.RFC3339))
	}
	return nil
}
