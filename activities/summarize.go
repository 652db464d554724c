package activities

import (
	"context"
	"encoding/json"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// Report is what summarize stores in the blob store: the receipts of a
// completed plan and the approval that they rest on.
type Report struct {
	Format      string           `json:"format"` // "holdpoint.report/1"
	RunID       string           `json:"run_id"`
	PlanHash    plan.Digest      `json:"plan_hash"`
	Approval    *approvals.Grant `json:"approval"` // null when every action was done before
	Actions     []ReportedAction `json:"actions"`
	EffectCount int              `json:"effect_count"` // as counted at the targets
	Uncounted   int              `json:"uncounted"`    // actions whose target cannot tell
}

// ReportedAction is one action with its receipt and the number of its effects
// that the target shows.
type ReportedAction struct {
	ID      string        `json:"id"`
	Receipt *plan.Receipt `json:"receipt"`
	Effects int           `json:"effects"` // -1 when the target cannot tell
}

// Summarize collects the receipts from the ledger, counts the effects at
// their targets, and stores the report.
func (a *Activities) Summarize(ctx context.Context, in workflows.SummarizeInput) (workflows.SummarizeResult, error) {
	var none workflows.SummarizeResult
	p, err := a.loadPlan(ctx, in.Task.Tenant, in.Blob, in.PlanHash)
	if err != nil {
		return none, err
	}
	receipts, err := a.receipts(ctx, p)
	if err != nil {
		return none, err
	}
	report := Report{Format: "holdpoint.report/1", RunID: in.RunID, PlanHash: in.PlanHash, Approval: in.Grant}
	for _, action := range p.Actions {
		tool, ok := a.Tools.Get(action.Tool)
		if !ok {
			return none, a.lacks("no_tool", "no tool %q", action.Tool)
		}
		effects, err := tool.Count(ctx, tools.Call{RunID: p.RunID, PlanHash: in.PlanHash, Action: action})
		if faults.ClassOf(err) == faults.Permanent && err != nil {
			// The effects are made; a target that refuses to be asked only
			// keeps them from being counted.
			a.Log.Warn("the effects of an action could not be counted", zap.String("run_id", in.RunID),
				zap.String("action_id", action.ID), zap.Error(err))
			effects, err = -1, nil
		}
		if err != nil {
			return none, err
		}
		if effects < 0 {
			report.Uncounted++
		} else {
			report.EffectCount += effects
		}
		report.Actions = append(report.Actions, ReportedAction{action.ID, receipts[action.IdempotencyKey], effects})
	}
	return a.storeReport(ctx, in.Task.Tenant, report)
}

func (a *Activities) receipts(ctx context.Context, p plan.Plan) (map[string]*plan.Receipt, error) {
	keys := make([]string, len(p.Actions))
	for i, action := range p.Actions {
		keys[i] = action.IdempotencyKey
	}
	rows, err := a.Effects.Ledger.Rows(ctx, keys)
	if err != nil {
		return nil, err
	}
	receipts := make(map[string]*plan.Receipt, len(rows))
	for _, row := range rows {
		receipts[row.Key] = row.Receipt
	}
	for _, action := range p.Actions {
		if receipts[action.IdempotencyKey] == nil {
			return nil, bad("no_receipt", "the ledger has no receipt of action %s (key %s): is this the ledger that the run wrote to?",
				action.ID, action.IdempotencyKey)
		}
	}
	return receipts, nil
}

func (a *Activities) storeReport(ctx context.Context, tenant string, report Report) (workflows.SummarizeResult, error) {
	raw, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return workflows.SummarizeResult{}, err
	}
	digest, err := a.put(ctx, tenant, raw)
	if err != nil {
		return workflows.SummarizeResult{}, err
	}
	return workflows.SummarizeResult{
		Attempt: attempt(ctx), Report: workflows.BlobRef{Digest: digest, Size: int64(len(raw))},
		EffectCount: report.EffectCount, Uncounted: report.Uncounted,
	}, nil
}
