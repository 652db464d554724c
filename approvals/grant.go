package approvals

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The reasons why a grant does not allow an effect. Each but ErrPolicyChanged
// and ErrGrantExpired says that something is broken, and none is helped by
// trying again.
var (
	ErrNotGranted    = errors.New("there is no approval")
	ErrOtherPlan     = errors.New("the approval is of another plan")
	ErrGrantExpired  = errors.New("the approval has expired")
	ErrPolicyChanged = errors.New("the policy has changed since the approval")
)

// Grant is the approval record: the permission to carry out one plan until one
// moment. The zero Grant permits nothing. Times are UTC and whole seconds.
type Grant struct {
	PlanHash      plan.Digest `json:"plan_hash"`
	PolicyVersion string      `json:"approval_policy_version"` // Policy.Version
	RequestID     string      `json:"request_id"`
	Approvals     []Approval  `json:"approvals"`
	ApprovedAt    time.Time   `json:"approved_at"` // the workflow's time
	ExpiresAt     time.Time   `json:"expires_at"`  // fixed here; later settings do not move it
}

// Approval is one person's part in a grant.
type Approval struct {
	Approver string    `json:"approver"` // normalized; a claim, see Decision
	Comment  string    `json:"comment"`
	At       time.Time `json:"at"`
}

// NewGrant makes the grant that an accepted approval of r's plan opens. It
// holds for the policy's GrantLife from the verdict's time, cut to the second.
func NewGrant(r Request, v Verdict) (Grant, error) {
	if v.Code != Accepted || v.Decision != Approve {
		return Grant{}, fmt.Errorf("%w: the verdict is %s of %q", ErrNotGranted, v.Code, v.Decision)
	}
	if r.PlanHash.IsZero() || v.PlanHash != r.PlanHash.String() {
		return Grant{}, fmt.Errorf("%w: %s, not %s", ErrOtherPlan, v.PlanHash, r.PlanHash)
	}
	at := v.At.UTC().Truncate(time.Second)
	return Grant{
		PlanHash:      r.PlanHash,
		PolicyVersion: r.Policy.Version(),
		RequestID:     r.RequestID,
		Approvals:     []Approval{{Approver: v.Approver, Comment: v.Comment, At: at}},
		ApprovedAt:    at,
		ExpiresAt:     at.Add(r.Policy.GrantLife),
	}, nil
}

// WithoutComments is the permission alone, for where it is written many times.
func (g Grant) WithoutComments() Grant {
	g.Approvals = slices.Clone(g.Approvals)
	for i := range g.Approvals {
		g.Approvals[i].Comment = ""
	}
	return g
}

// Covers reports whether an effect of the plan may begin at now: nil, or
// ErrNotGranted, ErrOtherPlan or ErrGrantExpired. At ExpiresAt itself it has
// expired. A grant without times, or with a life beyond MaxPeriod, has too: no
// policy gives one, so what cannot be read never means "no expiry".
func (g Grant) Covers(hash plan.Digest, now time.Time) error {
	switch {
	case g.PlanHash.IsZero() || len(g.Approvals) == 0:
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

// StillAllows reports whether this policy, which may be newer than the grant's,
// would accept each of its approvals of a run of requester: nil, or
// ErrNotGranted, or ErrPolicyChanged, which leads back to the gate. Its periods
// are not asked: a grant's expiry was fixed when it was given.
func (p Policy) StillAllows(g Grant, requester string) error {
	if len(g.Approvals) == 0 {
		return ErrNotGranted
	}
	for _, a := range g.Approvals {
		if code, reason := p.Allows(requester, a.Approver, Approve); code != Accepted {
			return fmt.Errorf("%w: %s", ErrPolicyChanged, reason)
		}
	}
	return nil
}
