package main

import (
	"fmt"
	"io"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// stillInDoubt says what starting a run once more means for the actions that it
// left in doubt; "" when it left none.
func stillInDoubt(s workflows.Status) string {
	if s.Counts.InDoubt == 0 {
		return ""
	}
	return fmt.Sprintf("; of what it left in doubt (%d) nothing is sent again before it is found out, or a person has said what became of it", s.Counts.InDoubt)
}

// printDoubts says of each action in doubt what was sent, when and where, what
// has been found out since, and what a person can do.
func printDoubts(out io.Writer, s workflows.Status) {
	for _, a := range s.Actions {
		if a.Status != workflows.StepInDoubt || a.Doubt == nil {
			continue
		}
		d := a.Doubt
		fmt.Fprintf(out, "\nin doubt   action %s, sent to %s by tool %s at %s\n",
			plan.Escape(a.ID), plan.Escape(d.Target), plan.Escape(d.Tool), d.SentAt.Format(time.RFC3339))
		fmt.Fprintf(out, "           key %s, claim %d, attempt %d: %s\n", a.Key, d.Token, d.Attempt, plan.Escape(d.Detail))
		if d.QuietUntil != nil {
			fmt.Fprintf(out, "           a call may be under way until %s; nothing is sent again before\n", d.QuietUntil.Format(time.RFC3339))
		}
		if a.Resolution != nil {
			fmt.Fprintf(out, "           %s, says %s: %s\n", a.Resolution.Outcome, plan.Escape(a.Resolution.Operator), plan.Escape(a.Resolution.Evidence))
		}
		if s.Status.Ended() {
			continue
		}
		if next := a.Next(); next != "" {
			fmt.Fprintf(out, "           it %s\n", plan.Escape(next))
		}
		if !a.Resolvable() {
			continue
		}
		fmt.Fprintf(out, "           %s\n", plan.Escape(runs.ResolveCommand(s.RunID, a.ID, s.Resolver)))
		if s.Proof != approvals.BySignature {
			fmt.Fprintf(out, "           or, with \"outcome\" happened, not_happened or abort:\n           %s\n",
				plan.Escape(workflows.ResolveCommand(s.RunID, s.PlanHash, a, s.Resolver)))
		}
	}
}
