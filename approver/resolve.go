package main

import (
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/runs"
)

func newResolve(s *session) *cobra.Command {
	var say finding
	var proof proofFlags
	c := &cobra.Command{
		Use:   "resolve RUN ACTION happened|not_happened|abort",
		Short: "Say what became of an action of unknown outcome",
		Long: `Say what became of an action of unknown outcome, after a look at its target.

  happened      the effect is there: your word is its receipt, and it is not sent again
  not_happened  it is not there and will not come: it is sent again, under the same key
  abort         it stays unknown: the run ends, and names it

It is signed as a decision is, see 'approver approve --help'.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 3 {
				return cli.Usagef("resolve needs RUN, ACTION and one of happened, not_happened, abort")
			}
			return nil
		},
		RunE: s.Connected(func(c *cobra.Command, args []string, temporal client.Client, reader runs.Reader) error {
			say.action, say.outcome, say.as = args[1], args[2], person(say.as)
			if strings.TrimSpace(say.evidence) == "" {
				return cli.Usagef("resolve needs --evidence: say how you know, such as what you saw at the target")
			}
			at := s.desk(temporal, reader, c.InOrStdin(), c.OutOrStdout())
			return at.resolve(c.Context(), args[0], say, proof)
		}),
	}
	c.Flags().StringVar(&say.as, "as", "", "who says so (default: HOLDPOINT_APPROVER, or your login)")
	c.Flags().StringVar(&say.evidence, "evidence", "", "how you know")
	proof.register(c.Flags())
	return c
}
