package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
)

func TestRun(t *testing.T) {
	cases := []struct {
		name string
		args []string
		err  error
		code int
		says string
	}{
		{"done", nil, nil, 0, ""},
		{"an error", nil, errors.New("no such run"), 1, "prog: no such run\n"},
		{"a mistake", nil, fmt.Errorf("start: %w", Usagef("--from is missing")), 2,
			"prog: start: --from is missing\nRun 'prog --help' for usage.\n"},
		{"an unknown flag", []string{"--colour"}, nil, 2, "prog: unknown flag: --colour\nRun 'prog --help' for usage.\n"},
		{"what somebody else wrote", nil, errors.New("rejected by cy: \x1b]0;owned\a\nline 2"), 1,
			`prog: rejected by cy: \u{001B}]0;owned\u{0007}` + "\nline 2\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			program := &cobra.Command{Use: "prog", RunE: func(*cobra.Command, []string) error { return c.err }}
			code := Run(t.Context(), program, c.args, Streams{Out: &out, Err: &errOut})
			require.Equal(t, c.code, code)
			require.Equal(t, c.says, errOut.String())
			require.Empty(t, out.String())
		})
	}
}

// What a signal stopped says so, and not what Go says of it.
func TestRunThatASignalStopped(t *testing.T) {
	for name, err := range map[string]error{
		"here":          fmt.Errorf("run \"acme/x\": %w", context.Canceled),
		"by the server": fmt.Errorf("run \"acme/x\": %w", serviceerror.NewCanceled("context canceled")),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			program := &cobra.Command{Use: "prog", RunE: func(*cobra.Command, []string) error {
				stop()
				return err
			}}
			var errOut bytes.Buffer
			require.Equal(t, 1, Run(ctx, program, nil, Streams{Out: io.Discard, Err: &errOut}))
			require.Equal(t, "prog: stopped by a signal, before it was done\n", errOut.String())
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	program := &cobra.Command{Use: "prog", RunE: func(*cobra.Command, []string) error {
		stop()
		return errors.New("no such run")
	}}
	var errOut bytes.Buffer
	Run(ctx, program, nil, Streams{Out: io.Discard, Err: &errOut})
	require.Equal(t, "prog: no such run\n", errOut.String(), "another reason is not hidden")
}

func TestOneRun(t *testing.T) {
	command := &cobra.Command{Use: "status"}
	require.NoError(t, OneRun(command, []string{"acme/x"}))
	for _, args := range [][]string{nil, {"acme/x", "acme/y"}} {
		err := OneRun(command, args)
		require.ErrorAs(t, err, new(UsageError))
		require.ErrorContains(t, err, "status takes one run id")
	}
}

func TestConnectNamesTheOutputsThatThereAre(t *testing.T) {
	_, _, err := (&Session{output: "xml"}).Connect(t.Context())
	require.ErrorAs(t, err, new(UsageError))
	require.ErrorContains(t, err, "xml")
}

func TestPersonIsNamedByTheEnvironmentFirst(t *testing.T) {
	t.Setenv("HOLDPOINT_APPROVER", "bo.lin")
	require.Equal(t, "bo.lin", Person("HOLDPOINT_APPROVER"))
}
