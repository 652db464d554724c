// Command demo is `make demo`: the weekly-report example from its notes to
// the written knowledge base, on a Temporal development server of its own.
//
// Everything it makes lies under .holdpoint/ in the repository, or the folder of
// -home. It stops every process it started, and no other.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	home := flag.String("home", "", "folder of everything that the demo makes (default: .holdpoint in the repository)")
	flag.Parse()
	err := run(ctx, *home, os.Getenv("APPROVE"), os.Stdin, os.Stdout)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case interrupted:
		fmt.Println("\nstopped; `make demo` goes on where it was")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}
