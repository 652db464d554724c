package activities

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"go.temporal.io/sdk/activity"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// RequestApproval evaluates the policy for a plan: who must decide on it, and
// for how long. It gives the request a fresh id. The policy's bytes are kept, so
// that the version in the approval record can be looked up, and evaluated again,
// later.
func (a *Activities) RequestApproval(
	ctx context.Context, in workflows.RequestApprovalInput,
) (workflows.RequestApprovalResult, error) {
	p, err := a.loadPlan(ctx, in.Task.Tenant, in.Blob, in.PlanHash)
	if err != nil {
		return workflows.RequestApprovalResult{}, err
	}
	terms, err := a.terms(in.PlanHash, p, in.Task.Requester)
	if err != nil {
		return workflows.RequestApprovalResult{}, bad("policy_refused", "the policy %s cannot be applied to this plan: %v", a.Policy.Label(), err)
	}
	if err := fitsHistory(terms); err != nil {
		return workflows.RequestApprovalResult{}, err
	}
	if _, err := a.put(ctx, in.Task.Tenant, a.Policy.Canonical()); err != nil {
		return workflows.RequestApprovalResult{}, err
	}
	return workflows.RequestApprovalResult{
		Attempt:   attempt(ctx),
		RequestID: rand.Text(),
		Execution: activity.GetInfo(ctx).WorkflowExecution.RunID,
		Terms:     terms,
		Notify:    a.Notices.Names(in.Task.Tenant),
	}, nil
}

// maxTermsBytes bounds terms as JSON. They stand in the history with each
// request, and in what a waiting run carries over when it continues as new.
const maxTermsBytes = 48 << 10

func fitsHistory(terms approvals.Terms) error {
	raw, err := json.Marshal(terms)
	if err != nil {
		return err
	}
	if len(raw) > maxTermsBytes {
		return bad("policy_refused", "what the policy %s asks about this plan takes %d bytes, with the names and keys of all whom it asks; "+
			"at most %d fit a history. Ask smaller groups.", terms.Label, len(raw), maxTermsBytes)
	}
	return nil
}
