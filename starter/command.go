package main

import (
	"context"
	"encoding/json"
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
		fmt.Fprintf(errOut, "starter: %v\nRun 'starter --help' for usage.\n", err)
		return 2
	default:
		fmt.Fprintf(errOut, "starter: %v\n", err)
		return 1
	}
}

// session is what every subcommand needs: the connection and the way to print.
type session struct {
	temporal temporalclient.Flags
	output   string
}

func newCommand() *cobra.Command {
	var s session
	root := &cobra.Command{
		Use:           "starter",
		Short:         "Start Holdpoint runs and look at them",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	s.temporal.Register(root.PersistentFlags())
	root.PersistentFlags().StringVarP(&s.output, "output", "o", "text", "text or json")
	root.AddCommand(newStart(&s), newStatus(&s), newList(&s), newWatch(&s), newCancel(&s))
	return root
}

// connect returns a client and a reader of runs, and what closes them.
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

// oneRun makes the cobra argument check speak of runs.
func oneRun(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{fmt.Errorf("%s takes one run id, e.g. acme/weekly-report-2026-W48", c.Name())}
	}
	return nil
}

func printJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
