package main

import (
	"fmt"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// show prints each piece of progress once, in lines that stay stable.
func (w *watcher) show(run *runs.Run) {
	status := run.Status
	for _, step := range status.Steps {
		if step.Name == workflows.ExecuteAction {
			for _, a := range status.Actions {
				w.action(a)
			}
		}
		switch step.Status { //nolint:exhaustive // what has not ended is no news
		case workflows.StepCompleted, workflows.StepSkipped:
			w.line("checkpoint: %s -> %s%s", step.Name, step.Status, revision(step, status))
		case workflows.StepFailed:
			w.line("step: %s -> %s%s", step.Name, step.Status, because(step.Error))
		}
	}
	for _, p := range run.Pending {
		if p.Attempt > 1 {
			w.line("retry: %s, attempt %d%s", plan.Escape(p.Activity), p.Attempt, because(p.Failure))
		}
	}
	w.howFar(run.Pending)
	for _, v := range status.Decisions.Recent {
		w.line("decision: %s -> %s%s%s", decided(v), v.Code, stillMissing(v), because(v.Reason))
	}
	for _, n := range status.Notices {
		if n.Status == workflows.StepFailed {
			w.line("notice: %s to %s at %s -> %s%s", n.Event, plan.Escape(n.Channel), n.At.Format(time.RFC3339), n.Status, because(n.Error))
		}
	}
	if n := run.State.Asked; n > 0 && atGate(status) {
		w.line("asked again, %d of %d times: nobody had decided in time", n, run.State.Gate.Terms.AskAgain)
	}
	if !run.Closed && run.Pollers == 0 {
		w.line("no worker polls task queue %s", plan.Escape(run.TaskQueue))
	}
	if status.Status != workflows.Running {
		w.line("%s%s%s", status.Status, because(status.Reason), deadline(status))
	}
}

// progressEvery is how often a step that takes long says how far it is. One that
// takes less says nothing.
const progressEvery = 5 * time.Second

// howFar says how far a collection is. It is no news after which more is
// expected soon, so it is not among the lines that were shown.
func (w *watcher) howFar(pending []runs.Pending) {
	for _, p := range pending {
		if p.Progress == nil || w.waited < progressEvery {
			continue
		}
		w.waited = 0
		if !w.json {
			fmt.Fprintln(w.out, howFar(*p.Progress))
		}
	}
}

// howFar says it in one line.
func howFar(p workflows.CollectProgress) string {
	if p.Listing.Digest.IsZero() {
		return fmt.Sprintf("%s: %s listed so far", workflows.CollectContext, files(p.Entries))
	}
	return fmt.Sprintf("%s: %s of %s, %s skipped, %s", workflows.CollectContext, grouped(p.Done), files(p.Entries), grouped(p.Skipped), size(p.Bytes))
}

func (w *watcher) action(a workflows.Action) {
	id, ref := plan.Escape(a.ID), plan.Escape(a.Ref)
	switch {
	case a.Unconfirmed:
		w.line("action: %s waits for a word of its own", id)
	case a.Status == workflows.StepCompleted && a.Already:
		w.line("action: %s -> ALREADY DONE (%s)", id, ref)
	case a.Status == workflows.StepCompleted:
		w.line("action: %s -> COMPLETED (%s)", id, ref)
	case a.Status == workflows.StepInDoubt && a.Doubt != nil:
		w.line("action: %s -> %s since claim %d: %s", id, a.Status, a.Doubt.Token, plan.Escape(a.Doubt.Detail))
	case a.Status == workflows.StepFailed, a.Status == workflows.StepInDoubt, a.Status == workflows.StepSkipped:
		w.line("action: %s -> %s%s", id, a.Status, because(a.Error))
	}
}

// line prints a line unless it was printed before.
func (w *watcher) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if w.shown[text] {
		return
	}
	w.shown[text] = true
	if !w.json {
		fmt.Fprintln(w.out, text)
	}
}

// decided says what was decided by whom. The name is a claim that anyone may
// have typed, so nothing in it may draw on the screen.
func decided(v approvals.Verdict) string {
	if v.Outcome != "" {
		return fmt.Sprintf("%s of action %s by %s", v.Outcome, plan.Escape(v.ActionID), plan.Escape(v.Approver))
	}
	if v.Decision != "" && v.ActionID != "" {
		return fmt.Sprintf("%s of action %s by %s", v.Decision, plan.Escape(v.ActionID), plan.Escape(v.Approver))
	}
	if v.Decision == "" {
		return "unreadable"
	}
	return fmt.Sprintf("%s by %s", v.Decision, plan.Escape(v.Approver))
}

// because is a reason or an error after what it explains. It may quote a
// comment, a document or a target's answer.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + plan.Escape(reason)
}

// revision tells the second completion of a step from the first.
func revision(step workflows.Step, status workflows.Status) string {
	if step.Runs < 2 || step.Name == workflows.ExecuteAction {
		return ""
	}
	return fmt.Sprintf(" (revision %d)", status.Revision)
}

func deadline(status workflows.Status) string {
	switch {
	case status.Status != workflows.WaitingApproval:
		return ""
	case status.Approval != nil:
		return fmt.Sprintf(" (plan %s, approved until %s)", status.PlanHash, status.Approval.ExpiresAt.Format(time.RFC3339))
	case status.DecideBy == nil:
		return ""
	}
	return fmt.Sprintf(" (plan %s, decide before %s)", status.PlanHash, status.DecideBy.Format(time.RFC3339))
}
