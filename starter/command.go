package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/holdpoint/holdpoint/internal/cli"
)

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	return cli.Run(ctx, newCommand(), args, cli.Streams{Out: out, Err: errOut})
}

func newCommand() *cobra.Command {
	var s cli.Session
	root := &cobra.Command{
		Use:   "starter",
		Short: "Start Holdpoint runs and look at them",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	s.Register(root.PersistentFlags())
	root.AddCommand(newStart(&s), newStatus(&s), newList(&s), newWatch(&s), newCancel(&s), newEvidence(&s))
	return root
}
