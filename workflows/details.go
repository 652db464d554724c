package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// showEveryEnd is a change to the sequence of commands, see doc.go.
const showEveryEnd = "show-every-end"

// setStatus moves the run and shows the move: in the search attribute, in the
// worker's log, and in the details that the Web UI prints.
func (r *agentRun) setStatus(ctx workflow.Context, status RunStatus, reason string) {
	changed := r.state.Status != status || r.shown == ""
	if !changed && r.shown != status {
		// An end that the gate or the execution has named already. Histories
		// from before this change did not show it.
		changed = workflow.GetVersion(ctx, showEveryEnd, workflow.DefaultVersion, 1) == 1
	}
	r.state.Status, r.state.Reason = status, plan.Clip(reason, maxErrorText)
	workflow.SetCurrentDetails(ctx, r.details())
	if !changed {
		return
	}
	r.shown = status
	workflow.GetLogger(ctx).Info(string(status), "run_id", r.runID, "reason", r.state.Reason, "tenant", r.task.Tenant)
	if err := workflow.UpsertTypedSearchAttributes(ctx,
		keyword(StatusAttribute, string(status)), keyword(TenantAttribute, r.task.Tenant)); err != nil {
		workflow.GetLogger(ctx).Error("search attributes", "error", err)
	}
}

// details is the Markdown that the Web UI shows for the run.
func (r *agentRun) details() string {
	var b strings.Builder
	b.WriteString(fmt.Sprintf("**%s**", r.state.Status))
	if r.state.Reason != "" {
		b.WriteString(fmt.Sprintf(": %s", r.state.Reason))
	}
	b.WriteString("\n\n")
	if r.state.Plan == nil {
		return b.String()
	}
	b.WriteString(fmt.Sprintf("plan_hash: `%s`\n\n", r.state.Plan.PlanHash))
	if r.state.Status == WaitingApproval {
		b.WriteString(fmt.Sprintf("Decide before %s. To approve:\n\n```\n%s\n```\n\n",
			r.state.DecideBy.Format(time.RFC3339), ApproveCommand(r.runID, r.state.Plan.PlanHash, r.state.Request.Policy.Approvers[0])))
	}
	b.WriteString(r.state.Plan.Summary)
	return b.String()
}
