package main

import (
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/runs"
)

// decision is what the flags of approve, reject and revise say.
type decision struct {
	choice   approvals.Choice
	action   string // of a word about one action
	as       string
	comment  string
	feedback string
	planHash string
	yes      bool
	proof    proofFlags
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
		Long: short + `.

The plan is shown, with its hash computed on this machine, and below it the
statement that is signed; then you are asked. It is signed when the policy
wants signatures, when you give --key, or when ssh-agent offers a key that the
policy has for you; otherwise your name is sent as a claim.`,
		Args: cli.OneRun,
		RunE: func(c *cobra.Command, args []string) error {
			d.as = person(d.as)
			if choice == approvals.Revise && strings.TrimSpace(d.feedback) == "" {
				return cli.Usagef("revise needs --feedback: say what the new plan should do differently")
			}
			return s.Connected(func(c *cobra.Command, args []string, temporal client.Client, reader runs.Reader) error {
				at := s.desk(temporal, reader, c.InOrStdin(), c.OutOrStdout())
				return at.decide(c.Context(), args[0], d, s.JSON())
			})(c, args)
		},
	}
	flags := c.Flags()
	flags.StringVar(&d.as, "as", "", "who decides (default: HOLDPOINT_APPROVER, or your login)")
	flags.StringVar(&d.planHash, "plan-hash", "", "decide only if this is the run's plan, and do not show it or ask")
	flags.BoolVarP(&d.yes, "yes", "y", false, "do not ask")
	d.proof.register(flags)
	if choice == approvals.Revise {
		flags.StringVar(&d.feedback, "feedback", "", "what the new plan should do differently")
		return c
	}
	flags.StringVar(&d.comment, "comment", "", "a word for the record")
	flags.StringVar(&d.action, "action", "", "decide on this one `ACTION` of an approved plan, which waits for a word of its own")
	return c
}

// person is who speaks: the flag's name, or whoever types.
func person(as string) string {
	if as != "" {
		return as
	}
	return cli.Person("HOLDPOINT_APPROVER")
}
