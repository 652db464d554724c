package activities_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// meets has the tool meet these, one in each call, and then do its work.
func (h *house) meets(met ...error) {
	h.pages.apply = func(ctx context.Context, c tools.Call) (plan.Receipt, error) {
		if n := int(h.pages.applied.Load()); n <= len(met) {
			return plan.Receipt{}, met[n-1]
		}
		return h.pages.Tool.Apply(ctx, c)
	}
}

// A worker that lacks a secret of the tool fails no action and takes none of the
// tool's attempts, as long as the tool says that it sent nothing.
func TestAnActionWaitsForAWorkerThatHasItsSecret(t *testing.T) {
	missing := faults.SecretMissing("the mail server's credentials", errors.New("the environment variable SMTP_PASSWORD is not set"))
	later := *missing
	later.Class = faults.Unknown // met after something was sent
	failed := &faults.Fault{Class: faults.Transient, Code: "http_503", Reason: "later"}
	for _, tt := range []struct {
		name  string
		met   []error
		calls int32
		code  string // of the fault that ends it; empty: it is done
	}{
		{"one worker of two has it", times(1, missing), 2, ""},
		{"more workers lack it than the tool has attempts", times(12, missing), 13, ""},
		{"the tool's own attempts count", append(times(12, missing), failed, failed), 14, "http_503"},
		{"in any order", []error{failed, missing, missing, failed, missing}, 4, "http_503"},
		{"not when something was sent before", times(2, &later), 2, faults.CodeSecretMissing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t)
			in := h.action(h.planned(), 0)
			in.MaxAttempts = 2
			h.meets(tt.met...)
			var out workflows.ExecuteActionResult
			err := h.persist(string(workflows.ExecuteAction), in, &out)
			require.Equal(t, tt.calls, h.pages.applied.Load())
			if tt.code != "" {
				require.ErrorContains(t, err, tt.code)
				require.Empty(t, h.keys())
				return
			}
			require.NoError(t, err)
			require.Equal(t, workflows.OutcomeDone, out.Outcome)
			require.Equal(t, []string{in.Key}, h.keys())
		})
	}
}

// The wait for a secret ends with the approval, and leaves nothing begun.
func TestTheWaitForASecretEndsWithTheApproval(t *testing.T) {
	h := newHouse(t)
	in := h.action(h.planned(), 0)
	in.MaxAttempts = 1
	h.meets(times(1, faults.SecretMissing("the DSN", errors.New("the environment variable DSN is not set")))...)
	_, err := h.execute(in)
	app := refused(t, err, faults.Transient, faults.CodeSecretMissing)
	require.False(t, app.NonRetryable(), "although the tool has one attempt")
	require.Contains(t, app.Message(), "the DSN: the environment variable DSN is not set; nothing was sent. Another worker may have it")
	rows, err := h.acts.Effects.Ledger.Rows(t.Context(), []string{in.Key})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, effects.Released, rows[0].State)

	in.Grant.ApprovedAt, in.Grant.ExpiresAt = in.Grant.ApprovedAt.Add(-2*time.Hour), in.Grant.ExpiresAt.Add(-2*time.Hour)
	out, err := h.execute(in)
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeExpired, out.Outcome)
	require.False(t, out.InDoubt)
	require.EqualValues(t, 1, h.pages.applied.Load())
	require.Empty(t, h.keys())
}
