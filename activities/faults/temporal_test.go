package faults_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

// ceilings draws the longest wait each time.
var ceilings = faults.Retry{
	Base: time.Second, Max: time.Minute, MaxAfter: time.Hour,
	Rand: func() float64 { return 1 },
}

func TestTemporal(t *testing.T) {
	tests := []struct {
		name      string
		err       error
		class     string
		code      string
		message   string
		retryable bool
		delay     time.Duration
	}{
		{
			name: "transient", err: &faults.Fault{Class: faults.Transient, Code: "dial_failed", Reason: "no connection"},
			class: "transient", code: "dial_failed", message: "dial_failed: no connection", retryable: true, delay: 4 * time.Second,
		},
		{
			name: "throttled waits as asked", err: &faults.Fault{Class: faults.Throttled, Code: "http_429", Reason: "slow down", RetryAfter: 90 * time.Second},
			class: "throttled", code: "http_429", message: "http_429: slow down", retryable: true, delay: 90 * time.Second,
		},
		{
			name: "in progress", err: &faults.Fault{Class: faults.InProgress, Code: "lease_held", Reason: "another attempt is at work", RetryAfter: 3 * time.Second},
			class: "in_progress", code: "lease_held", message: "lease_held: another attempt is at work", retryable: true, delay: 4 * time.Second,
		},
		{
			name: "permanent", err: &faults.Fault{Class: faults.Permanent, Code: "http_422", Reason: "refused"},
			class: "permanent", code: "http_422", message: "http_422: refused",
		},
		{
			name: "unknown is tried again, for the protocol recovers it", err: &faults.Fault{Code: "timeout", Reason: "no answer"},
			class: "unknown", code: "timeout", message: "timeout: no answer", retryable: true, delay: 4 * time.Second,
		},
		{
			name: "outcome unknown is a person's", err: &faults.Fault{Code: faults.CodeOutcomeUnknown, Reason: "nobody can tell"},
			class: "unknown", code: "outcome_unknown", message: "outcome_unknown: nobody can tell",
		},
		{
			name: "the last, whatever it is", err: &faults.Last{Err: &faults.Fault{Class: faults.Transient, Code: "locked", Reason: "locked"}},
			class: "transient", code: "locked", message: "locked: locked",
		},
		{
			name: "unnamed", err: errors.New(secret),
			class: "unknown", code: "unnamed", message: "unnamed: an error of type *errors.errorString; see the worker's log", retryable: true, delay: 4 * time.Second,
		},
		{
			name: "worker shutdown", err: fmt.Errorf("%s: %w", secret, context.Canceled),
			class: "transient", code: "interrupted", message: "interrupted: the step was interrupted before it was done", retryable: true, delay: 4 * time.Second,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := faults.Temporal(fmt.Errorf("%s: %w", secret, tt.err), 3, 0, ceilings)

			var app *temporal.ApplicationError
			require.ErrorAs(t, err, &app)
			require.Equal(t, tt.class, app.Type())
			require.Equal(t, tt.message, app.Message())
			require.Equal(t, tt.retryable, !app.NonRetryable())
			require.Equal(t, !tt.retryable, faults.Final(tt.err))
			require.Equal(t, tt.delay, app.NextRetryDelay())
			require.NotContains(t, inHistory(t, err), "SECRET")

			var details workflows.FaultDetails
			require.NoError(t, app.Details(&details))
			require.Equal(t, workflows.FaultDetails{Class: tt.class, Code: tt.code, Attempt: 3}, details)
		})
	}
}

func TestTemporalCancellation(t *testing.T) {
	canceled := temporal.NewCanceledError()

	t.Run("the workflow's passes through", func(t *testing.T) {
		wrapped := fmt.Errorf("step: %w", canceled)
		require.Equal(t, wrapped, faults.Temporal(wrapped, 1, 0, ceilings))
	})
	t.Run("a bare one stays visible to the SDK, which knows who canceled", func(t *testing.T) {
		require.ErrorIs(t, faults.Temporal(context.Canceled, 1, 0, ceilings), context.Canceled)
	})
	t.Run("a fault never becomes one", func(t *testing.T) {
		for _, cause := range []error{canceled, context.Canceled} {
			err := faults.Temporal(&faults.Fault{Code: faults.CodeInterrupted, Reason: "no answer", Cause: cause}, 1, 0, ceilings)
			require.NotErrorIs(t, err, context.Canceled)
			require.False(t, temporal.IsCanceledError(err))
		}
	})
}

func TestTemporalLeavesItsOwnAlone(t *testing.T) {
	require.NoError(t, faults.Temporal(nil, 1, 0, ceilings))
	once := faults.Temporal(&faults.Fault{Class: faults.Permanent, Code: "x"}, 1, 0, ceilings)
	require.Equal(t, once, faults.Temporal(once, 2, 0, ceilings))
}

// inHistory is the whole failure as the server would store it.
func inHistory(t *testing.T, err error) string {
	t.Helper()
	fc := temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{DataConverter: converter.GetDefaultDataConverter()})
	text, err := protojson.Marshal(fc.ErrorToFailure(err))
	require.NoError(t, err)
	return string(text)
}
