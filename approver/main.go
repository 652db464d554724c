// Command approver is the approver's program: it shows the plans that wait,
// and decides on them.
//
//	approver list
//	approver show RUN [--canonical]
//	approver approve | reject | revise RUN
//
// Exit codes: 0 decided or shown, 1 an error or a refused decision, 2 wrong usage.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
