// Command worker is the operator's program: it runs the workflow and the
// activities for one task queue until it is told to stop.
//
//	worker [flags]                  run until SIGINT or SIGTERM
//	worker replay [flags] FILE…     replay saved histories against this build
//
// Exit codes: 0 stopped as told, 1 an error, 2 wrong usage, 75 a crash drill.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
