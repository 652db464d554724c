package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/runs"
)

func newStatement(s *session) *cobra.Command {
	var d decision
	var f finding
	var choice, as string
	c := &cobra.Command{
		Use:   "statement RUN",
		Short: "Print the text that a decision's or a resolution's signature is of, and nothing else",
		Long: `Print the text that a decision's or a resolution's signature is of, and nothing
else, to be signed by hand:

  approver statement RUN --decision approve --as you@example.com > s.txt
  ssh-keygen -Y sign -n holdpoint -f KEY s.txt
  approver approve RUN --as you@example.com --signature s.txt.sig

Read the plan first: approver show RUN. Comment, feedback and evidence are part
of what is signed, so give them here as you will there.`,
		Args: cli.OneRun,
		RunE: func(c *cobra.Command, args []string) error {
			d.choice, d.as, f.as = approvals.Choice(choice), person(as), person(as)
			var say words = d
			switch {
			case (choice == "") == (f.action == ""):
				return cli.Usagef("statement needs --decision approve, reject or revise, or else --resolve ACTION")
			case f.action != "":
				say = f
			}
			return s.Connected(func(c *cobra.Command, args []string, _ client.Client, reader runs.Reader) error {
				return printStatement(c.Context(), reader.Read, args[0], say, c.OutOrStdout(), c.ErrOrStderr())
			})(c, args)
		},
	}
	flags := c.Flags()
	flags.StringVar(&as, "as", "", "who signs (default: HOLDPOINT_APPROVER, or your login)")
	flags.StringVar(&choice, "decision", "", "approve, reject or revise")
	flags.StringVar(&d.action, "action", "", "of a decision on one `ACTION` that waits for a word of its own")
	flags.StringVar(&d.comment, "comment", "", "the comment of approve or reject")
	flags.StringVar(&d.feedback, "feedback", "", "the feedback of revise")
	flags.StringVar(&f.action, "resolve", "", "of a resolution: the `ACTION` of unknown outcome")
	flags.StringVar(&f.outcome, "outcome", "", "happened, not_happened or abort")
	flags.StringVar(&f.evidence, "evidence", "", "how you know")
	return c
}

// printStatement prints the statement also when nobody waits for it any more,
// for whoever checks a signature afterwards, and says so beside it.
func printStatement(
	ctx context.Context, read func(context.Context, string) (*runs.Run, error), runID string, say words, out, aside io.Writer,
) error {
	run, err := read(ctx, runID)
	if err != nil {
		return err
	}
	if run.State.Request == nil {
		return fmt.Errorf("run %s is %s and asks nobody: there is nothing to sign", run.ID, run.Status.Status)
	}
	w, err := say.about(run)
	if err != nil {
		return err
	}
	if why := say.idle(run); why != "" {
		fmt.Fprintf(aside, "note: %s\n", plan.Escape(why))
	}
	_, err = out.Write(w.statement)
	return err
}

// idle says why the run does not wait for this decision now; "" when it does.
func (d decision) idle(run *runs.Run) string {
	gate := run.State.GateNow()
	if d.action != "" {
		if slices.Contains(gate.Confirm, d.action) {
			return ""
		}
		return "action " + d.action + " does not wait for a word of its own now"
	}
	if gate.Phase != approvals.PhaseOpen || run.Closed {
		return "the plan does not wait for a decision now"
	}
	return ""
}

// idle says why the run does not wait for this finding now; "" when it does.
func (f finding) idle(run *runs.Run) string {
	for _, a := range run.State.Actions {
		if a.ID == f.action && a.Resolvable() {
			return ""
		}
	}
	return "action " + f.action + " is not in doubt now"
}
