package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// usageError is a user's mistake: said in one line, exit code 2.
type usageError struct{ error }

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	root := newCommand()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(errOut, "worker: %v\nRun 'worker --help' for usage.\n", err)
		return 2
	default:
		fmt.Fprintf(errOut, "worker: %v\n", err)
		return 1
	}
}

func newCommand() *cobra.Command {
	var o options
	command := &cobra.Command{
		Use:   "worker",
		Short: "Run Holdpoint's workflow and activities for one task queue",
		Long: `Run Holdpoint's workflow and activities for one task queue, until SIGINT or SIGTERM.

The configuration is ` + "`holdpoint.yaml`" + ` where it exists, or the file of --config; flags are laid over
it. With --source, --repository and --approver no file is needed.`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(c *cobra.Command, _ []string) error {
			return serve(c.Context(), o, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	o.register(command.Flags())
	command.AddCommand(newReplayCommand())
	return command
}
