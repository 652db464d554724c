// Command testreport runs `go test -json` and makes its stream of events
// readable: one line for each package, the output of each test that failed, the
// reason of each test that was skipped, and, as the last line, the counts.
//
//	go run ./internal/testreport [-report FILE] [-guarantees FILE] [-- GO-TEST-ARGUMENTS]
//
// It writes every test with its status to the report file, and fails, beyond
// what go test itself fails for, when no test ran, when a test was skipped
// although the environment says CI=true, and when a test that the guarantees
// name as a proof failed or does not exist; of one that was skipped elsewhere it
// says so. That must be checked from outside: a test
// cannot know how the others end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ci := os.Getenv("CI") == "true"
	code := run(ctx, os.Args[1:], ci, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run returns the exit code: 0 when everything is as it must be, 1 when
// something is not, 2 for a wrong command line.
func run(ctx context.Context, args []string, ci bool, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("testreport", flag.ContinueOnError)
	flags.SetOutput(stderr)
	reportFile := flags.String("report", "", "write every test's status to this JSON `file`")
	guarantees := flags.String("guarantees", "", "check the tests that the tables of this Markdown `file` name")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	report := newReport(stdout)
	problems := report.problems(ci, goTest(ctx, flags.Args(), report, stderr))
	if *guarantees != "" {
		wrong, unproved := checkGuarantees(*guarantees, report)
		problems = append(problems, wrong...)
		if ci {
			problems = append(problems, unproved...)
			unproved = nil
		}
		for _, u := range unproved {
			fmt.Fprintln(stdout, "NOT PROVED HERE", u)
		}
	}
	if *reportFile != "" {
		if err := report.save(*reportFile); err != nil {
			problems = append(problems, fmt.Sprintf("write the report: %v", err))
		}
	}
	for _, p := range problems {
		fmt.Fprintln(stdout, "PROBLEM", p)
	}
	fmt.Fprintln(stdout, report.counts())
	if len(problems) > 0 {
		return 1
	}
	return 0
}

// goTest runs go test and feeds its events to the report. The error is go
// test's own, or says why its events could not be read.
func goTest(ctx context.Context, args []string, report *report, stderr io.Writer) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stderr = stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := report.read(events)
	if readErr != nil {
		// Nobody reads any more: go test would wait for ever.
		readErr = errors.Join(readErr, cmd.Process.Kill())
	}
	return errors.Join(readErr, cmd.Wait())
}
