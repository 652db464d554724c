package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/internal/temporalclient"
)

// Session is what every command about runs needs: the connection and the way
// to print.
type Session struct {
	temporal temporalclient.Flags
	output   string
}

// Register adds the session's flags.
func (s *Session) Register(flags *pflag.FlagSet) {
	s.temporal.Register(flags)
	flags.StringVarP(&s.output, "output", "o", "text", "text or json")
}

// JSON reports whether the output is for programs.
func (s *Session) JSON() bool { return s.output == "json" }

// CheckOutput reports an output that no program has as a mistake.
func (s *Session) CheckOutput() error {
	if s.output != "text" && s.output != "json" {
		return Usagef("--output %q: use text or json", s.output)
	}
	return nil
}

// Connect returns a client, which the caller closes, and a reader of runs that
// uses it.
func (s *Session) Connect(ctx context.Context) (client.Client, runs.Reader, error) {
	if err := s.CheckOutput(); err != nil {
		return nil, runs.Reader{}, err
	}
	c, options, err := temporalclient.Dial(ctx, s.temporal, temporalclient.Logger(zap.NewNop()))
	if err != nil {
		return nil, runs.Reader{}, err
	}
	return c, runs.Reader{Client: c, Namespace: options.Namespace}, nil
}

// Connected is the RunE of a command that begins by connecting.
func (s *Session) Connected(
	do func(c *cobra.Command, args []string, temporal client.Client, r runs.Reader) error,
) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		temporal, r, err := s.Connect(c.Context())
		if err != nil {
			return err
		}
		defer temporal.Close()
		return do(c, args, temporal, r)
	}
}
