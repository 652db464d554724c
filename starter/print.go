package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// statusOutput is the JSON form of a status: what the workflow would answer,
// and what only the server knows.
type statusOutput struct {
	workflows.Status
	TaskQueue string         `json:"task_queue"`
	Workers   int            `json:"workers"`
	Pending   []runs.Pending `json:"pending,omitempty"`
	Next      string         `json:"next,omitempty"`
}

func statusJSON(run *runs.Run) statusOutput {
	return statusOutput{run.Status, run.TaskQueue, run.Pollers, run.Pending, next(run)}
}

func printStatus(out io.Writer, run *runs.Run) {
	s := run.Status
	fmt.Fprintf(out, "run        %s\nstatus     %s%s\n", plan.Escape(s.RunID), s.Status, because(s.Reason))
	if s.DocumentsRead+s.DocumentsSkipped > 0 {
		fmt.Fprintf(out, "documents  %d read, %d skipped\n", s.DocumentsRead, s.DocumentsSkipped)
		for _, skipped := range s.Skipped {
			fmt.Fprintf(out, "           skipped %s\n", plan.Escape(skipped))
		}
	}
	for _, p := range run.Pending {
		if p.Progress != nil {
			fmt.Fprintf(out, "progress   %s\n", howFar(*p.Progress))
		}
	}
	if !s.PlanHash.IsZero() {
		fmt.Fprintf(out, "plan_hash  %s (revision %d)\n", s.PlanHash, s.Revision)
	}
	printModel(out, s.Model)
	printApproval(out, run)
	fmt.Fprintln(out)
	printSteps(out, s)
	if s.EffectCount != nil {
		fmt.Fprintf(out, "\neffect_count %d (counted at the target)\n", *s.EffectCount)
	}
	printDecisions(out, s)
	printUnconfirmed(out, run)
	printDoubts(out, s)
	printNotices(out, s)
	for _, p := range run.Pending {
		if p.Failure != "" {
			fmt.Fprintf(out, "retry      %s, attempt %d%s\n", plan.Escape(p.Activity), p.Attempt, because(p.Failure))
		}
	}
	if !run.Closed && run.Pollers == 0 {
		fmt.Fprintf(out, "\nno worker polls task queue %s: the run waits, nothing is lost\n", plan.Escape(run.TaskQueue))
	}
	if n := next(run); n != "" {
		fmt.Fprintf(out, "\nnext: %s\n", n)
	}
}

// printModel says what the plan cost, when a model made it. The id is the
// server's word.
func printModel(out io.Writer, m *workflows.ModelUse) {
	if m == nil {
		return
	}
	fmt.Fprintf(out, "model      %s, prompt %s: %d calls, %d stored replies, %s\n",
		plan.Escape(m.ModelID), plan.Escape(m.PromptVersion), m.Calls, m.Stored, cost(m))
}

// cost is what a plan's replies cost, as far as the model's server has said it.
func cost(m *workflows.ModelUse) string {
	if m.Unreported > 0 && m.InputTokens == 0 && m.OutputTokens == 0 {
		return "tokens and cost not reported by the server"
	}
	text := fmt.Sprintf("%d tokens in, %d out", m.InputTokens, m.OutputTokens)
	if m.Cost != "" {
		text += ", " + plan.Escape(m.Cost)
	}
	if m.Unreported > 0 {
		text += fmt.Sprintf(", and for %d of the replies not reported by the server", m.Unreported)
	}
	return text
}

// printDecisions lists the last verdicts, and says how many are not listed.
func printDecisions(out io.Writer, s workflows.Status) {
	earlier := -len(s.Decisions.Recent)
	for _, c := range s.Decisions.Counts {
		earlier += c.Count
	}
	if earlier > 0 {
		fmt.Fprintf(out, "decision   … %d earlier: see the query 'verdicts'\n", earlier)
	}
	for _, v := range s.Decisions.Recent {
		void := ""
		if v.Code == approvals.Accepted && v.PlanHash != s.PlanHash.String() {
			void = " (of an earlier plan, void now)"
		}
		fmt.Fprintf(out, "decision   %s -> %s%s%s%s\n", decided(v), v.Code, stillMissing(v), void, because(v.Reason))
	}
}

func printSteps(out io.Writer, s workflows.Status) {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "STEP\tSTATUS\tATTEMPTS\tKEY\tERROR")
	for _, step := range s.Steps {
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", step.Name, step.Status, step.Attempts, short(step.IdempotencyKey), plan.Escape(step.Error))
	}
	if len(s.Actions) > 0 {
		fmt.Fprintln(table, "\t\t\t\t\nACTION\tSTATUS\tATTEMPTS\tKEY\tRECEIPT")
	}
	for _, a := range s.Actions {
		state := string(a.Status)
		switch {
		case a.Already:
			state = "ALREADY DONE"
		case a.Unconfirmed:
			state = "UNCONFIRMED"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", plan.Escape(a.ID), state, a.Attempts, short(a.Key), plan.Escape(a.Ref+a.Error))
	}
	if s.ActionsOmitted > 0 {
		fmt.Fprintf(table, "… %d more\t\t\t\t\n", s.ActionsOmitted)
	}
	table.Flush()
}

// short is enough of a key to tell it from the others on one screen; -o json
// has it whole.
func short(key string) string { return key[:min(12, len(key))] }

// next is the command that one would want now.
func next(run *runs.Run) string {
	switch s := run.Status; {
	case !run.Closed && run.Pollers == 0:
		return plan.Escape(workerCommand(run.TaskQueue))
	case s.Status == workflows.WaitingApproval:
		return plan.Escape(workflows.Command("approver", "show", s.RunID)) + ", then\n  " + plan.Escape(approveCommand(run))
	case s.Status == workflows.WaitingResolution:
		return "look at the target, then say what became of the action; the commands stand above"
	case s.Status == workflows.Running:
		return plan.Escape(workflows.Command("starter", "watch", s.RunID))
	case s.Status.Ended() && s.Status != workflows.Completed:
		return "starter start --again with the same task" + stillInDoubt(s)
	default:
		return ""
	}
}

func printList(out io.Writer, listed []runs.Listed) error {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "RUN\tSTATUS\tRISK\tSTARTED\tDECIDE BY")
	for _, l := range listed {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", plan.Escape(l.ID), plan.Escape(string(l.Status)), plan.Escape(l.Risk),
			l.StartedAt.Format(time.RFC3339), decideBy(l))
	}
	return table.Flush()
}

// decideBy is until when a run waits for a word: that of an action which waits
// for one of its own is the approval's end, and not the plan's deadline.
func decideBy(l runs.Listed) string {
	by := l.DecideBy
	if len(l.Confirm) > 0 {
		by = l.ConfirmBy
	}
	if by == nil || l.Status != workflows.WaitingApproval {
		return ""
	}
	return by.Format(time.RFC3339)
}

// printLaunch says what start did, and what to do next.
func printLaunch(ctx context.Context, out io.Writer, r runs.Reader, l launch, queue taskQueue) {
	switch {
	case l.Started:
		fmt.Fprintf(out, "started %s\n", l.RunID)
		// The run has begun, whether or not the server answers this.
		if n, err := r.Pollers(ctx, l.TaskQueue); err == nil && n == 0 {
			printNoWorker(out, l.TaskQueue)
		}
		fmt.Fprintf(out, "next: %s\n", workflows.Command("starter", "watch", l.RunID))
	case l.Existing.Status.Status == workflows.Completed:
		fmt.Fprintf(out, "%s is completed already; these are its receipts\n\n", l.RunID)
		printStatus(out, l.Existing)
	default:
		fmt.Fprintf(out, "attached to %s, which is %s\n", l.RunID, l.Existing.Status.Status)
		if l.TaskQueue != queue.name {
			fmt.Fprintf(out, "it is on task queue %s, where it was started, and not on %s\n", plan.Escape(l.TaskQueue), queue.name)
		}
		if l.Existing.Pollers == 0 {
			printNoWorker(out, l.TaskQueue)
		}
		fmt.Fprintf(out, "next: %s\n", workflows.Command("starter", "watch", l.RunID))
	}
}

func printNoWorker(out io.Writer, queue string) {
	fmt.Fprintf(out, "no worker polls task queue %s yet; start one with '%s'\n", plan.Escape(queue), plan.Escape(workerCommand(queue)))
}

// workerCommand starts a worker of a task queue. FILE is its operator's to name:
// without a configuration a worker has nothing to read or to write.
func workerCommand(queue string) string {
	return workflows.Command("worker", "--config", "FILE", "-t", queue)
}
