package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
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

// doubts says what a person has to find out, or can still take back, and how to
// say it.
func (r *agentRun) doubts() string {
	var b strings.Builder
	shown, more := 0, 0
	for _, row := range r.state.Actions {
		switch {
		case !row.unsettled():
			continue
		case shown == maxShownDoubts:
			more++
			continue
		}
		shown++
		b.WriteString(fmt.Sprintf("Nobody knows what became of **%s** (key %s), sent to %s since %s.\n\n> %s\n\n", plan.CodeSpan(row.ID),
			plan.CodeSpan(row.Key), plan.CodeSpan(row.Doubt.Target), row.Doubt.SentAt.Format(time.RFC3339), plan.CodeSpan(row.Doubt.Detail)))
		if next := row.Next(); next != "" {
			b.WriteString("It " + plan.CodeSpan(next) + ".\n\n")
		}
		if row.Resolvable() {
			b.WriteString("Look there, then (the outcome is `happened`, `not_happened` or `abort`):\n\n" + plan.CodeBlock("", r.howToResolve(row)))
		}
	}
	if more > 0 {
		b.WriteString(fmt.Sprintf("… and %d more.\n\n", more))
	}
	return b.String()
}

// howToResolve is the command of one who may.
func (r *agentRun) howToResolve(row Action) string {
	doubts := r.state.Doubts()
	resolver := doubts.ResolverOf(row.ID)
	if doubts.Terms.Proof == approvals.BySignature {
		return Command("approver", "resolve", r.runID, row.ID, "happened", "--as", resolver, "--evidence", "what you saw")
	}
	return ResolveCommand(r.runID, r.state.Plan.PlanHash, row, resolver)
}

// howToApprove says who must say what, and how.
func (r *agentRun) howToApprove() string {
	terms := r.state.Request.Terms
	approver, until, actionID := first(r.state.Gate.Awaited()), *r.state.DecideBy, ""
	text := "Wanted: " + plan.CodeSpan(terms.Asks())
	if missing := r.state.Gate.Missing(); missing != "" && missing != terms.Asks() {
		text += "; still missing: " + plan.CodeSpan(missing)
	}
	if waiting := r.state.unconfirmed(); len(waiting) > 0 {
		approver, actionID, until = first(terms.ConfirmersFor(r.task.Requester, waiting[0])), waiting[0], r.state.Grant.ExpiresAt
		text = "Wanted: a word of one approver about action " + plan.CodeSpan(actionID) + " alone"
	}
	if approver == "" {
		approver = terms.ApproverFor(r.task.Requester)
	}
	command := ApproveCommand(r.runID, r.state.Plan.PlanHash, approver, actionID)
	if terms.Proof == approvals.BySignature {
		words := []string{"approver", "approve", r.runID}
		if actionID != "" {
			words = append(words, "--action", actionID)
		}
		command = Command(append(words, "--as", approver)...)
	}
	return fmt.Sprintf("%s.\n\nDecide before %s. To approve:\n\n%s", text, until.Format(time.RFC3339), plan.CodeBlock("", command))
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// maxShownDoubts bounds them in the Web UI.
const maxShownDoubts = 10

// details is the Markdown that the Web UI shows for the run. Whatever a document,
// a target or a person has said stands in code spans and blocks, out of which it
// can put no link, picture or heading on the page.
func (r *agentRun) details() string {
	var b strings.Builder
	b.WriteString(fmt.Sprintf("**%s**", r.state.Status))
	if r.state.Reason != "" {
		b.WriteString(": " + plan.CodeSpan(r.state.Reason))
	}
	b.WriteString("\n\n")
	if r.state.Plan == nil {
		return b.String()
	}
	b.WriteString(fmt.Sprintf("plan_hash: `%s`\n\n", r.state.Plan.PlanHash))
	if r.state.Status == WaitingApproval {
		b.WriteString(r.howToApprove())
	}
	if r.state.Status == WaitingResolution {
		b.WriteString(r.doubts())
	}
	b.WriteString(r.state.Plan.Summary)
	return b.String()
}
