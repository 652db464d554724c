// Command mutate shows that the tests named in docs/guarantees.md can fail. For
// each row of its table it takes out the guard that keeps the row's promise, one
// small mutation, and runs the test that the row names: the test must then fail.
// A test that still passes proves nothing, and is a defect.
//
//	go run ./internal/mutate [-row TEXT] [-timeout TIME]
//
// The tree is never touched: the mutated file stands in for the real one by
// go's -overlay, which also reaches the programs that tests build. The tests are
// expected to pass without a mutation; `make test` sees to that.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/holdpoint/holdpoint/internal/guarantees"
	"github.com/holdpoint/holdpoint/internal/toolchain"
)

// Where the table and the promises are, under the module's root.
var (
	tablePath    = filepath.Join("internal", "mutate", "mutations.yaml")
	promisesPath = filepath.Join("docs", "guarantees.md")
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit code: 0 when every mutation was caught, 1 when one was
// not or the table has a defect, 2 for a wrong command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("row", "", "run only the mutations that have this `text` in their row, file, package or tests")
	timeout := flags.Duration("timeout", 10*time.Minute, "the longest that one mutation's tests may take")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		return 2
	}
	root, err := toolchain.Root(".")
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	table, problems, err := open(root)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	for _, p := range problems {
		fmt.Fprintln(stdout, "DEFECT", p)
	}
	chosen := table.matching(*only)
	if len(chosen) == 0 {
		fmt.Fprintf(stderr, "no mutation has %q in its row, file, package or tests\n", *only)
		return 2
	}
	missed := mutateAll(ctx, runner{root: root, timeout: *timeout}.run, chosen, stdout)
	if len(problems) > 0 || missed > 0 {
		return 1
	}
	return 0
}

// open reads the table and the promises, and says what is wrong between them.
func open(root string) (Table, []string, error) {
	table, err := load(filepath.Join(root, tablePath))
	if err != nil {
		return Table{}, nil, err
	}
	rows, err := guarantees.Read(filepath.Join(root, promisesPath))
	if err != nil {
		return Table{}, nil, err
	}
	return table, table.problems(root, rows), nil
}

// mutateAll runs one mutation after the other, prints a line for each, and
// returns how many were not caught.
func mutateAll(
	ctx context.Context, run func(context.Context, Mutation) verdict, mutations []Mutation, out io.Writer,
) (missed int) {
	began := time.Now()
	for _, m := range mutations {
		since := time.Now()
		v := run(ctx, m)
		fmt.Fprintf(out, "%-9s %5.0fs  %s\n", v.word, time.Since(since).Seconds(), m)
		if v.word != caught {
			missed++
			fmt.Fprintf(out, "%s\n", v.detail)
		}
		if ctx.Err() != nil {
			fmt.Fprintln(out, "interrupted")
			return missed + 1
		}
	}
	fmt.Fprintf(out, "%d mutations, %d caught, %d not, in %s\n",
		len(mutations), len(mutations)-missed, missed, time.Since(began).Round(time.Second))
	return missed
}
