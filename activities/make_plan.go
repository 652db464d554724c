package activities

import (
	"context"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// MakePlan asks the task's planner for proposals, lets the tools prepare
// them, compares them with the ledger, and stores the plan at its hash.
func (a *Activities) MakePlan(ctx context.Context, in workflows.MakePlanInput) (workflows.MakePlanResult, error) {
	var none workflows.MakePlanResult
	planner, ok := a.Planners[in.Task.Planner]
	if !ok {
		return none, a.lacks("no_planner", "no planner %.64q; it has %s", in.Task.Planner, namesOf(a.Planners))
	}
	ledger, err := a.checkedLedgerID(ctx, in.Ledger)
	if err != nil {
		return none, err
	}
	m := &making{Activities: a, in: in, planner: planner, ledger: ledger}
	request, err := m.request(ctx)
	if err != nil {
		return none, err
	}
	draft, err := planner.Plan(ctx, request)
	if err != nil {
		return none, err
	}
	made, err := m.plan(ctx, draft)
	if err != nil {
		return none, err
	}
	if _, err := a.put(ctx, in.Task.Tenant, made.canonical); err != nil {
		return none, err
	}
	return made.result, nil
}

// making is what one attempt makes a plan from.
type making struct {
	*Activities

	in      workflows.MakePlanInput
	planner planners.Planner
	ledger  string   // the identity of the one that the plan is compared with
	notes   []string // of how the documents were read

	// prepared are the actions that the proposals became which were checked last:
	// what a planner has had checked and then proposes the tools look at once.
	checked  []planners.DraftAction // a copy, because a planner may change its own
	prepared []plan.Action
}

// request is what the planner may know. Its check makes the whole plan of what
// is proposed: whatever would end the step, the planner hears of while it can
// still propose something else.
func (m *making) request(ctx context.Context) (r planners.Request, err error) {
	in := m.in
	r = planners.Request{
		Tenant: in.Task.Tenant, RunID: in.RunID, Execution: in.Execution, BusinessID: in.Task.BusinessID, Goal: in.Task.Goal, Revision: in.Revision,
		Targets: m.targets(in.Task), Feedback: in.Feedback,
		Check: func(ctx context.Context, drafts []planners.DraftAction) error {
			_, err := m.plan(ctx, planners.Draft{Actions: drafts})
			return err
		},
	}
	if r.Documents, m.notes, err = m.documents(ctx, in.Task.Tenant, in.Manifest); err != nil {
		return planners.Request{}, err
	}
	if !in.Earlier.Digest.IsZero() {
		earlier, err := m.loadPlan(ctx, in.Task.Tenant, in.Earlier, in.Earlier.Digest)
		if err != nil {
			return planners.Request{}, err
		}
		r.Earlier = &earlier
	}
	return r, nil
}
