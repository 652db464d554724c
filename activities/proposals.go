package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// prepare turns proposals into actions. Everything an approver relies on
// comes from the tools and the ledger, never from the planner.
func (a *Activities) prepare(ctx context.Context, task workflows.Task, drafts []planners.DraftAction) ([]plan.Action, error) {
	actions := make([]plan.Action, 0, len(drafts))
	for _, d := range drafts {
		tool, ok := a.Tools.Get(d.Proposal.Tool)
		if !ok {
			return nil, a.noTool(task, d)
		}
		prepared, err := tool.Prepare(ctx, d.Proposal)
		if err != nil {
			return nil, inAction(d.ID, err)
		}
		within, ok := allowed(task, d.Proposal.Tool, prepared.Target)
		if !ok {
			return nil, inAction(d.ID, bad("not_allowed", "the task does not allow tool %q to write to %q", d.Proposal.Tool, prepared.Target))
		}
		spec := tool.Spec()
		action := plan.Action{
			ID: d.ID, Tool: spec.Name, ToolVersion: spec.Version, SchemaDigest: spec.SchemaDigest,
			ToolDigest: tools.DigestOf(tool, prepared.Target),
			Target:     prepared.Target, Item: prepared.Item, Parameters: prepared.Parameters, DependsOn: d.DependsOn,
			Documents:     d.Documents,
			DeliveryClass: spec.Class, Risk: spec.Risk, SemanticVersion: task.SemanticVersion,
			Precondition: prepared.Precondition, Preview: prepared.Preview,
		}
		if within != prepared.Target {
			action.Within = within
		}
		if err := a.compareWithLedger(ctx, task, &action, spec.Replaces); err != nil {
			return nil, inAction(d.ID, err)
		}
		actions = append(actions, action)
	}
	return actions, nil
}

// noTool is the fault of an action whose tool is not here: another worker may
// have what the task names, and what it does not name no worker may use.
func (a *Activities) noTool(task workflows.Task, d planners.DraftAction) error {
	name := d.Proposal.Tool
	if slices.ContainsFunc(task.Tools, func(use workflows.ToolUse) bool { return use.Tool == name }) {
		return inAction(d.ID, a.lacks("no_tool", "no tool %.64q", name))
	}
	return inAction(d.ID, bad("no_tool", "this worker has no tool %.64q", name))
}

// together holds the actions against each other: no effect twice, and none that
// its tool cannot carry out beside another.
func (a *Activities) together(actions []plan.Action) error {
	owner := map[string]string{} // of an idempotency key
	byTool := map[string][]plan.Action{}
	var names []string // of the tools, in their order
	for _, action := range actions {
		if first, taken := owner[action.IdempotencyKey]; taken {
			return inAction(action.ID, bad(codeBadPlan, "it has one idempotency key with action %.64q: the same tool, target, item and "+
				"semantic version; an effect stands in a plan once", first))
		}
		owner[action.IdempotencyKey] = action.ID
		if _, seen := byTool[action.Tool]; !seen {
			names = append(names, action.Tool)
		}
		byTool[action.Tool] = append(byTool[action.Tool], action)
	}
	for _, name := range names {
		tool, _ := a.Tools.Get(name)
		companion, ok := tool.(tools.Companion)
		if !ok {
			continue
		}
		if id, err := companion.Together(byTool[name]); err != nil {
			return inAction(id, err)
		}
	}
	return nil
}

// inAction says which action a fault is about.
func inAction(id string, err error) error {
	var fault *faults.Fault
	if !errors.As(err, &fault) {
		return err
	}
	named := *fault
	named.Reason = fmt.Sprintf("action %.64q: %s", id, fault.Reason)
	named.Cause = &planners.InAction{ID: id, Reason: fault.Reason, Cause: fault.Cause}
	return &named
}
