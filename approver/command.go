package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/holdpoint/holdpoint/internal/cli"
)

func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	return cli.Run(ctx, newCommand(), args, cli.Streams{In: in, Out: out, Err: errOut})
}

// session is what every subcommand needs: the connection, and where plans lie
// that are too large for the history.
type session struct {
	cli.Session
	store cli.BlobStore // for plans that are too large for the history
}

func newCommand() *cobra.Command {
	var s session
	root := &cobra.Command{
		Use:   "approver",
		Short: "Show the plans that wait for approval, decide on them, and resolve actions of unknown outcome",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	s.Register(root.PersistentFlags())
	s.store.Register(root.PersistentFlags())
	root.AddCommand(newList(&s), newShow(&s), newApprove(&s), newReject(&s), newRevise(&s),
		newStatement(&s), newResolve(&s), newPolicy(&s), newVerify())
	return root
}
