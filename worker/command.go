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
	var o options
	command := &cobra.Command{
		Use:   "worker",
		Short: "Run Holdpoint's workflow and activities for one task queue",
		Long: `Run Holdpoint's workflow and activities for one task queue, until SIGINT or SIGTERM.

The configuration is ` + "`holdpoint.yaml`" + ` where it exists, or the file of --config; flags are laid over
it. With --source, --repository and --approver no file is needed.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return serve(c.Context(), o, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.register(command.Flags())
	command.AddCommand(newReplayCommand())
	return command
}
