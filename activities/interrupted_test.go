package activities_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

// executeInterrupted runs one attempt whose context has ended by the time that the
// step begins, as in a worker that is being stopped.
func (h *house) executeInterrupted(in workflows.ExecuteActionInput) error {
	h.t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{h.attempts()}})
	env.RegisterActivityWithOptions(func(ctx context.Context, in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return h.acts.ExecuteAction(ctx, in)
	}, activity.RegisterOptions{Name: string(workflows.ExecuteAction)})
	_, err := env.ExecuteActivity(string(workflows.ExecuteAction), in)
	return err
}

// An attempt that was interrupted before it did anything says nothing about
// the one before it: were it the last one, the run must not call the action
// not done.
func TestAnInterruptedAttemptKeepsAnEarlierDoubt(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	in := h.action(p, 0)
	h.inDoubt(p, 0)
	app, ok := errors.AsType[*temporal.ApplicationError](h.executeInterrupted(in))
	require.True(t, ok)
	require.Equal(t, faults.Unknown.String(), app.Type())
	require.False(t, app.NonRetryable(), "the next attempt recovers")
	require.Zero(t, h.pages.applied.Load())

	out, err := h.execute(in)
	require.NoError(t, err)
	require.True(t, out.Recovered)
	require.Len(t, h.keys(), 1)
}

// Without any, nothing has happened, and another attempt may do it.
func TestAnInterruptedAttemptIsTriedAgain(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	in := h.action(p, 0)
	app, ok := errors.AsType[*temporal.ApplicationError](h.executeInterrupted(in))
	require.True(t, ok)
	require.False(t, app.NonRetryable())
	h.nothingWritten(in.Key)
	out, err := h.execute(in)
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeDone, out.Outcome)
}
