package activities

import (
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// evaluation is all that a policy's terms for a plan follow from.
type evaluation struct {
	policy    string // its version
	plan      plan.Digest
	requester string
}

// terms evaluates the policy of today for a plan.
func (a *Activities) terms(hash plan.Digest, p plan.Plan, requester string) (approvals.Terms, error) {
	key := evaluation{policy: a.Policy.Version(), plan: hash, requester: requester}
	return a.evaluated.get(key, func() (approvals.Terms, error) { return a.Policy.Evaluate(p, requester) })
}
