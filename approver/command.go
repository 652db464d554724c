package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/internal/temporalclient"
)

// usageError is a user's mistake: said in one line, exit code 2.
type usageError struct{ error }

func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	root := newCommand()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		fmt.Fprintf(errOut, "approver: %v\nRun 'approver --help' for usage.\n", err)
		return 2
	default:
		fmt.Fprintf(errOut, "approver: %v\n", err)
		return 1
	}
}

// session is what every subcommand needs: the connection, and where plans lie
// that are too large for the history.
type session struct {
	temporal temporalclient.Flags
	output   string
	data     string
}

func newCommand() *cobra.Command {
	var s session
	root := &cobra.Command{
		Use:           "approver",
		Short:         "Show the plans that wait for approval, and decide on them",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	s.temporal.Register(root.PersistentFlags())
	root.PersistentFlags().StringVarP(&s.output, "output", "o", "text", "text or json")
	root.PersistentFlags().StringVar(&s.data, "data", ".holdpoint", "the worker's data folder, for plans that are too large for the history")
	root.AddCommand(newList(&s), newShow(&s), newApprove(&s), newReject(&s), newRevise(&s))
	return root
}

func (s *session) connect(ctx context.Context) (client.Client, runs.Reader, error) {
	if s.output != "text" && s.output != "json" {
		return nil, runs.Reader{}, usageError{fmt.Errorf("--output %q: use text or json", s.output)}
	}
	c, options, err := temporalclient.Dial(ctx, s.temporal, temporalclient.Logger(zap.NewNop()))
	if err != nil {
		return nil, runs.Reader{}, err
	}
	return c, runs.Reader{Client: c, Namespace: options.Namespace}, nil
}

func oneRun(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("%s takes one run id, e.g. acme/weekly-report-2026-W48", c.Name())}
	}
	return nil
}
