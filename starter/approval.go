package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// printApproval says whom the policy asks, who has approved, and what is
// missing.
func printApproval(out io.Writer, run *runs.Run) {
	s := run.Status
	if s.Asks != "" {
		fmt.Fprintf(out, "asks       %s, by %s\n", plan.Escape(s.Asks), s.Proof)
	}
	for _, a := range run.Approvals() {
		fmt.Fprintf(out, "approved   by %s\n", plan.Escape(runs.Approved(a)))
	}
	if atGate(s) {
		if s.Missing != "" {
			fmt.Fprintf(out, "missing    %s\n", plan.Escape(s.Missing))
		}
		fmt.Fprintf(out, "decide_by  %s%s\n", s.DecideBy.Format(time.RFC3339), whoMay(run))
		if n := run.State.Asked; n > 0 {
			fmt.Fprintf(out, "asked      again, %d of %d times: nobody had decided in time\n", n, run.State.Gate.Terms.AskAgain)
		}
	}
	if s.Approval != nil {
		fmt.Fprintf(out, "granted    by %s at %s, valid until %s\n", plan.Escape(s.Approval.By()),
			s.Approval.ApprovedAt.Format(time.RFC3339), s.Approval.ExpiresAt.Format(time.RFC3339))
		for _, c := range s.Approval.Confirmations {
			fmt.Fprintf(out, "confirmed  action %s by %s\n", plan.Escape(c.ActionID), plan.Escape(runs.Approved(c.Approval)))
		}
	}
}

// atGate reports whether the plan itself waits for decisions, and not an action
// of an approved one.
func atGate(s workflows.Status) bool {
	return s.Status == workflows.WaitingApproval && s.Approval == nil && s.DecideBy != nil
}

// whoMay names those whose approval would count now.
func whoMay(run *runs.Run) string {
	names := run.MayStillApprove()
	if len(names) == 0 {
		names = run.Status.Approvers
	}
	const shown = 20
	more := ""
	if extra := len(names) - shown; extra > 0 {
		names, more = names[:shown], fmt.Sprintf(" and %d more", extra)
	}
	return ", by " + strings.Join(cli.Escaped(names), ", ") + more
}

// printUnconfirmed says which actions wait for a word of their own, and how to
// give it.
func printUnconfirmed(out io.Writer, run *runs.Run) {
	for _, a := range run.Status.Actions {
		if a.Unconfirmed {
			fmt.Fprintf(out, "\nunconfirmed action %s: it is sent after one approver's word about it alone\n           %s\n",
				plan.Escape(a.ID), plan.Escape(runs.ConfirmCommand(run.ID, a.ID, run.Status.Approver)))
		}
	}
}

// printNotices says how people were told. One that failed stops nothing, so
// this is where it is seen.
func printNotices(out io.Writer, s workflows.Status) {
	for _, n := range s.Notices {
		about := ""
		if len(n.Waiting) > 0 {
			about = " of " + strings.Join(cli.Escaped(n.Waiting), ", ")
		}
		fmt.Fprintf(out, "notice     %s%s to %s -> %s%s\n", n.Event, about, plan.Escape(n.Channel), n.Status, because(n.Error))
	}
}

// stillMissing says, of an accepted approve, who was missing after it.
func stillMissing(v approvals.Verdict) string {
	if v.Missing == "" {
		return ""
	}
	return "; still missing then: " + plan.Escape(v.Missing)
}

// approveCommand is the command of one whose approval would count now.
func approveCommand(run *runs.Run) string {
	s := run.Status
	if names := run.MayStillApprove(); len(names) > 0 {
		s.Approver = names[0]
	}
	return runs.ApproveCommand(s)
}
