package faults_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/activities/faults"
)

func TestC037_PanicIsNamedRedactedAndLogged(t *testing.T) {
	var logged any
	var stack []byte
	err := faults.Guard("execute_action",
		func(r any, s []byte) { logged, stack = r, s },
		panicking)

	require.EqualError(t, err, "panic: panic in execute_action; see the worker's log")
	require.Equal(t, faults.Unknown, faults.ClassOf(err), "nobody knows how far it came")
	require.Equal(t, "PANIC-SECRET", logged)
	require.Contains(t, string(stack), "panicking", "the log shows where")

	var app *temporal.ApplicationError
	require.ErrorAs(t, faults.Temporal(err, 1, 0, faults.Retry{}), &app)
	require.True(t, app.NonRetryable(), "attempts are bounded")
	require.NotContains(t, inHistory(t, app), "SECRET")
}

func TestC037_NilMapIsAPanicToo(t *testing.T) {
	err := faults.Guard("make_plan", func(any, []byte) {}, func() error {
		nilMap()["x"] = 1
		return nil
	})
	require.EqualError(t, err, "panic: panic in make_plan; see the worker's log")
}

func TestGuardPassesResultsOn(t *testing.T) {
	untouched := func(any, []byte) { t.Error("logged without a panic") }
	require.NoError(t, faults.Guard("x", untouched, func() error { return nil }))
	want := errors.New("x")
	require.Equal(t, want, faults.Guard("x", untouched, func() error { return want }))
}

func nilMap() map[string]int { return nil }

//go:noinline
func panicking() error { panic("PANIC-SECRET") }
