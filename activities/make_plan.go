package activities

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// summaryBytes bounds the plan's Markdown in the history and the Web UI.
const summaryBytes = 12 << 10

// MakePlan asks the task's planner for proposals, lets the tools prepare
// them, compares them with the ledger, and stores the plan at its hash.
func (a *Activities) MakePlan(ctx context.Context, in workflows.MakePlanInput) (workflows.MakePlanResult, error) {
	var none workflows.MakePlanResult
	planner, ok := a.Planners[in.Task.Planner]
	if !ok {
		return none, bad("no_planner", "this worker has no planner %q; it has %s", in.Task.Planner, namesOf(a.Planners))
	}
	ledger, err := a.checkedLedgerID(ctx, in.Ledger)
	if err != nil {
		return none, err
	}
	request, notes, err := a.planRequest(ctx, in)
	if err != nil {
		return none, err
	}
	draft, err := planner.Plan(ctx, request)
	if err != nil {
		return none, err
	}
	p := plan.Plan{
		Format: plan.Format, RunID: in.RunID, Tenant: in.Task.Tenant, BusinessID: in.Task.BusinessID,
		Revision: in.Revision, Goal: in.Task.Goal, ContextDigest: in.ContextDigest,
		Planner: planner.Name() + "/" + planner.Version(), ModelID: draft.ModelID, PromptVersion: draft.PromptVersion,
		WorkflowVersion: in.WorkflowVersion, Notes: append(draft.Notes, notes...),
	}
	if p.Actions, err = a.prepare(ctx, in.Task, draft.Actions); err != nil {
		return none, err
	}
	return a.publish(ctx, p, ledger, draft.Usage)
}

// planRequest is what the planner may know, and the notes of how it was read.
func (a *Activities) planRequest(ctx context.Context, in workflows.MakePlanInput) (planners.Request, []string, error) {
	documents, notes, err := a.documents(ctx, in.Task.Tenant, in.Manifest)
	if err != nil {
		return planners.Request{}, nil, err
	}
	r := planners.Request{
		Tenant: in.Task.Tenant, RunID: in.RunID, Execution: in.Execution, BusinessID: in.Task.BusinessID, Goal: in.Task.Goal, Revision: in.Revision,
		Documents: documents, Targets: a.targets(in.Task), Feedback: in.Feedback,
		Check: func(ctx context.Context, drafts []planners.DraftAction) error {
			_, err := a.prepare(ctx, in.Task, drafts)
			return err
		},
	}
	if !in.Earlier.Digest.IsZero() {
		earlier, err := a.loadPlan(ctx, in.Task.Tenant, in.Earlier, in.Earlier.Digest)
		if err != nil {
			return planners.Request{}, nil, err
		}
		r.Earlier = &earlier
	}
	return r, notes, nil
}

// prepare turns proposals into actions. Everything an approver relies on
// comes from the tools and the ledger, never from the planner.
func (a *Activities) prepare(ctx context.Context, task workflows.Task, drafts []planners.DraftAction) ([]plan.Action, error) {
	actions := make([]plan.Action, 0, len(drafts))
	for _, d := range drafts {
		tool, ok := a.Tools.Get(d.Proposal.Tool)
		if !ok {
			return nil, bad("no_tool", "action %.64q: this worker has no tool %.64q", d.ID, d.Proposal.Tool)
		}
		prepared, err := tool.Prepare(ctx, d.Proposal)
		if err != nil {
			return nil, inAction(d.ID, err)
		}
		within, ok := allowed(task, d.Proposal.Tool, prepared.Target)
		if !ok {
			return nil, bad("not_allowed", "action %.64q: the task does not allow tool %q to write to %q",
				d.ID, d.Proposal.Tool, prepared.Target)
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
			return nil, err
		}
		actions = append(actions, action)
	}
	return actions, nil
}

// publish validates the plan, which was compared with a ledger, stores it, and
// says of it what the workflow needs.
func (a *Activities) publish(ctx context.Context, p plan.Plan, ledger string, usage planners.Usage) (workflows.MakePlanResult, error) {
	var none workflows.MakePlanResult
	if err := p.Validate(); err != nil {
		return none, &faults.Fault{Class: faults.Permanent, Code: "bad_plan", Reason: err.Error(), Cause: err}
	}
	canonical, err := p.Canonical()
	if err != nil {
		return none, &faults.Fault{Class: faults.Permanent, Code: "bad_plan", Reason: err.Error(), Cause: err}
	}
	digest, err := a.Blobs.Put(ctx, p.Tenant, canonical)
	if err != nil {
		return none, err
	}
	planned := plannedOf(p.Actions)
	if err := a.markInDoubt(ctx, planned); err != nil {
		return none, err
	}
	return inline(workflows.MakePlanResult{
		Attempt: attempt(ctx), PlanHash: digest, Blob: workflows.BlobRef{Digest: digest, Size: int64(len(canonical))},
		Summary: plan.Summary(p, summaryBytes), Risk: highestRisk(p.Actions), Actions: planned,
		Limits: a.limits(p.Actions), Parallel: a.Parallel, Ledger: ledger, Model: modelUse(p, usage),
	}, canonical)
}

// modelUse is what the plan cost, for the run's status.
func modelUse(p plan.Plan, u planners.Usage) *workflows.ModelUse {
	if u == (planners.Usage{}) {
		return nil
	}
	return &workflows.ModelUse{
		ModelID: p.ModelID, PromptVersion: p.PromptVersion, Calls: u.Calls, Stored: u.Stored,
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, Cost: u.Cost,
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
	order := []plan.Risk{plan.LowRisk, plan.MediumRisk, plan.HighRisk}
	highest := plan.LowRisk
	for _, action := range actions {
		if slices.Index(order, action.Risk) > slices.Index(order, highest) {
			highest = action.Risk
		}
	}
	return highest
}

// targets are what the task allows, with what the tools say of themselves.
func (a *Activities) targets(task workflows.Task) []planners.Target {
	var ts []planners.Target
	for _, use := range task.Tools {
		target := planners.Target{Tool: use.Tool, Name: targetName(use)}
		if tool, ok := a.Tools.Get(use.Tool); ok {
			target.Schema = tool.Spec().Schema
		}
		ts = append(ts, target)
	}
	return ts
}

// allowed reports whether the task lets a tool write to a target, and the place
// by whose name it does: the target's own, or else the innermost that holds it.
func allowed(task workflows.Task, tool, target string) (within string, ok bool) {
	for _, use := range task.Tools {
		name := targetName(use)
		if use.Tool == tool && (target == name || strings.HasPrefix(target, name+"/")) && len(name) >= len(within) {
			within, ok = name, true
		}
	}
	return within, ok
}

// inAction says which action a fault is about.
func inAction(id string, err error) error {
	var fault *faults.Fault
	if !errors.As(err, &fault) {
		return err
	}
	named := *fault
	named.Reason = fmt.Sprintf("action %.64q: %s", id, fault.Reason)
	return &named
}

func targetName(use workflows.ToolUse) string {
	if use.Path == "" {
		return use.Target
	}
	return use.Target + "/" + use.Path
}
