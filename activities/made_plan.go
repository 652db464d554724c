package activities

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// summaryBytes bounds the plan's Markdown in the history and the Web UI.
const summaryBytes = 12 << 10

// madePlan is a plan that holds together, before it is stored.
type madePlan struct {
	canonical []byte
	result    workflows.MakePlanResult
}

// plan makes the whole plan of a draft and writes nothing. What is wrong with it
// is a permanent fault, which names the action where it is one's.
func (m *making) plan(ctx context.Context, draft planners.Draft) (madePlan, error) {
	in := m.in
	p := plan.Plan{
		Format: plan.Format, RunID: in.RunID, Tenant: in.Task.Tenant, BusinessID: in.Task.BusinessID,
		Revision: in.Revision, Goal: in.Task.Goal, ContextDigest: in.ContextDigest,
		Planner: m.planner.Name() + "/" + m.planner.Version(), ModelID: draft.ModelID, PromptVersion: draft.PromptVersion,
		WorkflowVersion: in.WorkflowVersion, Notes: append(draft.Notes, m.notes...),
	}
	var err error
	if p.Actions, err = m.actions(ctx, draft.Actions); err != nil {
		return madePlan{}, err
	}
	if err := p.Validate(); err != nil {
		return madePlan{}, badPlan(err)
	}
	canonical, err := p.Canonical()
	if err != nil {
		return madePlan{}, badPlan(err)
	}
	planned := plannedOf(p.Actions)
	if err := m.markInDoubt(ctx, planned); err != nil {
		return madePlan{}, err
	}
	digest := plan.Sum(canonical)
	result, err := inline(workflows.MakePlanResult{
		Attempt: attempt(ctx), PlanHash: digest, Blob: workflows.BlobRef{Digest: digest, Size: int64(len(canonical))},
		Summary: plan.Summary(p, summaryBytes), Risk: highestRisk(p.Actions), Actions: planned,
		Limits: m.limits(p.Actions), Parallel: m.Parallel, Ledger: m.ledger, Model: modelUse(p, draft.Usage),
	}, canonical)
	return madePlan{canonical, result}, err
}

// actions are those of a draft as the tools have prepared them, each for itself
// and all together.
func (m *making) actions(ctx context.Context, drafts []planners.DraftAction) ([]plan.Action, error) {
	if m.prepared != nil && reflect.DeepEqual(drafts, m.checked) {
		return m.prepared, nil
	}
	prepared, err := m.prepare(ctx, m.in.Task, drafts)
	if err == nil {
		err = m.together(prepared)
	}
	if err != nil {
		return nil, err
	}
	m.checked, m.prepared = copyOf(drafts), prepared
	return prepared, nil
}

func copyOf(drafts []planners.DraftAction) []planners.DraftAction {
	drafts = slices.Clone(drafts)
	for i := range drafts {
		d := &drafts[i]
		d.DependsOn, d.Documents = slices.Clone(d.DependsOn), slices.Clone(d.Documents)
		d.Proposal.Parameters, d.Proposal.AllowedTargets = slices.Clone(d.Proposal.Parameters), slices.Clone(d.Proposal.AllowedTargets)
	}
	return drafts
}

func badPlan(err error) error {
	return &faults.Fault{Class: faults.Permanent, Code: codeBadPlan, Reason: err.Error(), Cause: err}
}

// codeBadPlan is a plan that does not hold together.
const codeBadPlan = "bad_plan"

// modelUse is what the plan cost, for the run's status.
func modelUse(p plan.Plan, u planners.Usage) *workflows.ModelUse {
	if u == (planners.Usage{}) {
		return nil
	}
	return &workflows.ModelUse{
		ModelID: p.ModelID, PromptVersion: p.PromptVersion, Calls: u.Calls, Stored: u.Stored,
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, Unreported: u.Unreported, Cost: u.Cost,
	}
}

// maxResultBytes bounds a step's result, as JSON: no event of a history is
// over 256 kB, and the payload is not all of the event.
const maxResultBytes = 250_000

// inline puts the plan into the result when both are small enough for the
// history. JSON writes '<', '>' and '&' with six bytes each, so a plan's own
// size does not tell.
func inline(out workflows.MakePlanResult, canonical []byte) (workflows.MakePlanResult, error) {
	if len(canonical) <= workflows.InlinePlanBytes {
		out.Plan = canonical
		if fits(out) {
			return out, nil
		}
		out.Plan = nil
	}
	if !fits(out) {
		return workflows.MakePlanResult{}, bad("plan_too_large",
			"the order of %d actions does not fit into the history; make a plan of fewer actions or dependencies", len(out.Actions))
	}
	return out, nil
}

func fits(out workflows.MakePlanResult) bool {
	raw, err := json.Marshal(out)
	return err == nil && len(raw) <= maxResultBytes
}
