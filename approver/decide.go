package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// decision is what the flags of approve, reject and revise say.
type decision struct {
	choice   approvals.Choice
	as       string
	comment  string
	feedback string
	planHash string
	yes      bool
}

func newApprove(s *session) *cobra.Command {
	return newDecision(s, "approve", "Approve exactly the plan that is shown", approvals.Approve)
}

func newReject(s *session) *cobra.Command {
	return newDecision(s, "reject", "Reject the plan; the run ends", approvals.Reject)
}

func newRevise(s *session) *cobra.Command {
	return newDecision(s, "revise", "Send the plan back with feedback; a new plan is made", approvals.Revise)
}

func newDecision(s *session, use, short string, choice approvals.Choice) *cobra.Command {
	d := decision{choice: choice}
	c := &cobra.Command{
		Use:   use + " RUN",
		Short: short,
		Args:  cli.OneRun,
		RunE: func(c *cobra.Command, args []string) error {
			return s.decide(c.Context(), args[0], d, c.InOrStdin(), c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&d.as, "as", "", "who decides (default: HOLDPOINT_APPROVER, or your login)")
	c.Flags().StringVar(&d.planHash, "plan-hash", "", "decide only if this is the run's plan, and do not ask")
	c.Flags().BoolVarP(&d.yes, "yes", "y", false, "do not ask")
	if choice == approvals.Revise {
		c.Flags().StringVar(&d.feedback, "feedback", "", "what the new plan should do differently")
	} else {
		c.Flags().StringVar(&d.comment, "comment", "", "a word for the record")
	}
	return c
}

func (s *session) decide(ctx context.Context, runID string, d decision, in io.Reader, out io.Writer) error {
	if d.choice == approvals.Revise && strings.TrimSpace(d.feedback) == "" {
		return cli.Usagef("revise needs --feedback: say what the new plan should do differently")
	}
	c, reader, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	run, err := reader.Read(ctx, runID)
	if err != nil {
		return err
	}
	if err := s.confirm(ctx, run, d, in, out); err != nil {
		return err
	}
	payload, err := json.Marshal(approvals.Decision{
		Decision: d.choice, PlanHash: run.Status.PlanHash, Approver: approverName(d.as),
		Comment: d.comment, Feedback: d.feedback,
	})
	if err != nil {
		return err
	}
	return s.send(ctx, c, run, message{workflows.ApprovalName, payload}, out)
}

// confirm shows the plan and asks, unless the decision was made before.
func (s *session) confirm(ctx context.Context, run *runs.Run, d decision, in io.Reader, out io.Writer) error {
	if s.JSON() && d.planHash == "" && !d.yes {
		return cli.Usagef("-o json cannot ask: give --plan-hash or --yes")
	}
	if d.planHash != "" {
		if d.planHash != run.Status.PlanHash.String() {
			return fmt.Errorf("the plan of %s is now %s, not %s: look at it again", run.ID, run.Status.PlanHash, d.planHash)
		}
		return nil
	}
	p, err := s.plan(ctx, run)
	if err != nil {
		return err
	}
	if s.JSON() {
		out = io.Discard // the answer is the verdict alone
	}
	if err := show(out, run, p); err != nil {
		return err
	}
	if d.yes {
		return nil
	}
	fmt.Fprintf(out, "\n%s this plan as %s? [yes/no] ", d.choice, approverName(d.as))
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && answer == "" {
		return errors.New("no answer; nothing was sent (--plan-hash or --yes decides without asking)")
	}
	if strings.TrimSpace(strings.ToLower(answer)) != "yes" {
		return errors.New("nothing was sent")
	}
	return nil
}

func approverName(as string) string {
	if as != "" {
		return as
	}
	return cli.Person("HOLDPOINT_APPROVER")
}
