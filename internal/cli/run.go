package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Streams are where a program reads and writes. A nil In is the process's own.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Run runs a program's command and returns its exit code: 0 done, 1 an error,
// 2 wrong usage. It says the error itself, so that no command does.
func Run(ctx context.Context, program *cobra.Command, args []string, std Streams) int {
	program.SilenceUsage, program.SilenceErrors = true, true
	program.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return UsageError{err} })
	for _, command := range append(program.Commands(), program) {
		command.Args = asUsage(command.Args)
	}
	program.SetArgs(args)
	program.SetIn(std.In)
	program.SetOut(std.Out)
	program.SetErr(std.Err)
	err := program.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if stopped(ctx, err) {
		err = errStopped
	}
	// An error may quote what anybody wrote: nothing in it may draw on the
	// screen.
	fmt.Fprintf(std.Err, "%s: %s\n", program.Name(), plan.EscapeLines(err.Error()))
	if _, ok := errors.AsType[UsageError](err); ok {
		fmt.Fprintf(std.Err, "Run '%s --help' for usage.\n", program.Name())
		return 2
	}
	return 1
}

// errStopped is what Ctrl-C and SIGTERM make of an error.
var errStopped = errors.New("stopped by a signal, before it was done")

// stopped reports an error that only says that the context was canceled.
func stopped(ctx context.Context, err error) bool {
	if ctx.Err() == nil {
		return false
	}
	_, byServer := errors.AsType[*serviceerror.Canceled](err)
	return byServer || errors.Is(err, context.Canceled)
}

// asUsage makes a wrong number of arguments, or an unknown command, a mistake
// of usage.
func asUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		return nil
	}
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if _, ok := errors.AsType[UsageError](err); ok || err == nil {
			return err
		}
		return UsageError{err}
	}
}
