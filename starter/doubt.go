package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// unresolved says which actions of a run that is over keep it from being
// started once more, and what to do; "" when none does. An action in doubt is
// none when a further attempt finds out by itself whether it happened.
func unresolved(s workflows.Status) string {
	hidden := s.Counts.InDoubt
	var ids []string
	for _, a := range s.Actions {
		if a.Status != workflows.StepInDoubt {
			continue
		}
		hidden--
		if !a.Recoverable {
			ids = append(ids, a.ID)
		}
	}
	if hidden > 0 {
		// Nothing is known of a row that the status leaves out.
		ids = append(ids, fmt.Sprintf("%d more", hidden))
	}
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf("no further attempt can find out whether these actions happened: %s. "+
		"Look at their target, and start what is left under another business id", strings.Join(ids, ", "))
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
			continue
		}
		fmt.Fprintf(out, "           %s\n", plan.Escape(runs.ResolveCommand(s.RunID, a.ID, s.Resolver)))
	}
}
