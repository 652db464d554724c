// Command approver is the approver's program: it shows the plans that wait,
// decides on them, and checks the evidence of runs.
//
//	approver list
//	approver show RUN [--canonical]
//	approver approve | reject | revise RUN [--action ACTION] [--key FILE | --signature FILE]
//	approver statement RUN --decision approve | --resolve ACTION
//	approver resolve RUN ACTION happened | not_happened | abort
//	approver policy check POLICY | test POLICY TABLE
//	approver verify BUNDLE [--allowed-signers FILE]
//
// Exit codes: 0 decided or shown, 1 an error, a refused decision or a policy that
// is not as its examples say, 2 wrong usage.
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
