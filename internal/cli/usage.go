// Package cli is what the programs' command lines have in common: how a
// command ends, what it says when it fails, and how it finds runs.
package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// UsageError is a user's mistake: said in one line, exit code 2.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap returns what was wrong.
func (e UsageError) Unwrap() error { return e.Err }

// Usagef makes a UsageError of fmt.Errorf's arguments.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// OneRun is the argument check of a command about one run.
func OneRun(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return Usagef("%s takes one run id, e.g. acme/weekly-report-2026-W48", c.Name())
	}
	return nil
}
