// Package program is the worker's program, for worker's own main and for
// that of an operator who has a tool written in Go: such a main names it, and
// is otherwise the same program, with the same flags and configuration.
//
//	func main() {
//		os.Exit(program.Main(os.Args[1:], func(context.Context) (tools.Tool, error) {
//			return notebook.Open(os.Getenv("NOTEBOOK"))
//		}))
//	}
//
// examples/gotool is such a program, with its tests.
package program

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/internal/cli"
)

// ToolMaker makes a tool that is written in Go, when the worker starts. The
// tool's name must be no other tool's. A tool that is an io.Closer is closed
// when the worker stops.
type ToolMaker func(context.Context) (tools.Tool, error)

// Main runs the program with the process's own streams until it has done what
// it was asked for, or SIGINT or SIGTERM comes, and returns its exit code: 0
// stopped as told, 1 an error, 2 wrong usage, 75 a crash drill.
func Main(args []string, goTools ...ToolMaker) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, goTools)
}

func run(ctx context.Context, args []string, std cli.Streams, goTools []ToolMaker) int {
	return cli.Run(ctx, newCommand(goTools), args, std)
}
