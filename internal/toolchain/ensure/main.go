// Command ensure builds the named tools of internal/toolchain, unless their
// pinned versions are there, and prints their paths, one a line, to standard
// output. What it builds it says on standard error. For the temporal CLI a
// recent one on the PATH will do.
//
//	go run ./internal/toolchain/ensure temporal golangci-lint
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/toolchain"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ensure:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string, stdout, stderr io.Writer) error {
	root, err := toolchain.Root(".")
	if err != nil {
		return err
	}
	for _, name := range names {
		path, err := ensure(ctx, root, name, stderr)
		if err != nil {
			return err
		}
		fmt.Fprintln(stdout, path)
	}
	return nil
}

func ensure(ctx context.Context, root, name string, out io.Writer) (string, error) {
	if name == devserver.CLIName {
		return devserver.FindCLI(ctx, root, out)
	}
	return toolchain.Ensure(ctx, root, name, out)
}
