package activities

import (
	"cmp"
	"context"
	"slices"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// markInDoubt finds the actions of which an earlier attempt, of this run or
// another, may have had its effect.
func (a *Activities) markInDoubt(ctx context.Context, planned []workflows.PlannedAction) error {
	keys := make([]string, len(planned))
	for i, p := range planned {
		keys[i] = p.Key
	}
	rows, err := a.Effects.Ledger.Rows(ctx, keys)
	if err != nil {
		return err
	}
	started := map[string]bool{}
	for _, row := range rows {
		started[row.Key] = row.State == effects.Started
	}
	for i, p := range planned {
		planned[i].InDoubt = started[p.Key]
	}
	return nil
}

// plannedOf is the order of the actions, as the workflow carries it out.
func plannedOf(actions []plan.Action) []workflows.PlannedAction {
	place := make(map[string]int, len(actions))
	for i, action := range actions {
		place[action.ID] = i
	}
	planned := make([]workflows.PlannedAction, len(actions))
	for i, action := range actions {
		planned[i] = workflows.PlannedAction{ID: action.ID, Tool: action.Tool, Key: action.IdempotencyKey}
		for _, id := range action.DependsOn {
			planned[i].After = append(planned[i].After, place[id])
		}
		if action.Done != nil {
			planned[i].DoneRef = cmp.Or(action.Done.Ref, "done")
		}
	}
	return planned
}

func (a *Activities) limits(actions []plan.Action) []workflows.ToolLimits {
	var limits []workflows.ToolLimits
	for _, action := range actions {
		if slices.ContainsFunc(limits, func(l workflows.ToolLimits) bool { return l.Tool == action.Tool }) {
			continue
		}
		tool, _ := a.Tools.Get(action.Tool)
		spec := tool.Spec()
		limits = append(limits, workflows.ToolLimits{
			Tool: spec.Name, Class: spec.Class, CallTimeout: spec.CallTimeout, MaxAttempts: spec.MaxAttempts,
			Concurrency: spec.Concurrency,
		})
	}
	return limits
}

func highestRisk(actions []plan.Action) plan.Risk {
	order := plan.Risks()
	highest := order[0]
	for _, action := range actions {
		if slices.Index(order, action.Risk) > slices.Index(order, highest) {
			highest = action.Risk
		}
	}
	return highest
}
