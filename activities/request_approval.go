package activities

import (
	"context"
	"crypto/rand"

	"github.com/holdpoint/holdpoint/workflows"
)

// RequestApproval says who must decide on a plan, and for how long, and gives
// the request a fresh id. The policy's bytes are kept, so that the version in
// the approval record can be looked up later.
func (a *Activities) RequestApproval(
	ctx context.Context, in workflows.RequestApprovalInput,
) (workflows.RequestApprovalResult, error) {
	if a.Policy.ApproverFor(in.Task.Requester) == "" {
		return workflows.RequestApprovalResult{}, bad("nobody_may_approve",
			"the policy %s has no approver but the requester, who may not approve her own run", a.Policy.Label)
	}
	if _, err := a.Blobs.Put(ctx, in.Task.Tenant, a.Policy.Canonical()); err != nil {
		return workflows.RequestApprovalResult{}, err
	}
	return workflows.RequestApprovalResult{
		Attempt:   attempt(ctx),
		RequestID: rand.Text(),
		Policy:    a.Policy,
	}, nil
}
