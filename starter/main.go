// Command starter is the requester's program: it starts runs and looks at
// them.
//
//	starter start --goal TEXT --from ROOT[/PATH] --into REPOSITORY[/PATH]
//	starter start --task FILE
//	starter status | watch | cancel RUN
//	starter evidence RUN -o FILE
//	starter list
//
// Exit codes: 0 done, 1 an error or a run that did not complete, 2 wrong usage.
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
