package activities_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

const secret = "hunter2-SECRET"

// A programming error in a tool: the worker stays up, the attempt is not
// repeated, and neither the panic's text nor the stack leaves the machine.
func TestC037_AToolThatPanics(t *testing.T) {
	panics := map[string]func(context.Context, tools.Call) (plan.Receipt, error){
		"with a text": func(context.Context, tools.Call) (plan.Receipt, error) { panic("token=" + secret) },
		"with a nil map": func(_ context.Context, c tools.Call) (plan.Receipt, error) {
			headers := noHeaders()
			headers["Authorization"] = secret
			return plan.Receipt{Ref: headers[c.RunID]}, nil
		},
		"with an error": func(context.Context, tools.Call) (plan.Receipt, error) { panic(errors.New(secret)) },
	}
	for name, apply := range panics {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			p := h.planned()
			in := h.action(p, 0)
			h.pages.apply = apply
			_, err := h.execute(in)
			app := refused(t, err, faults.Unknown, faults.CodePanic)
			require.Equal(t, "panic: panic in execute_action; see the worker's log", app.Message())
			requireNoTrace(t, err)
			require.EqualValues(t, 1, h.pages.applied.Load())
			require.Empty(t, h.keys())

			logged := h.log.FilterMessage("panic").All()
			require.Len(t, logged, 1, "the worker's own log has all of it")
			require.Contains(t, logged[0].ContextMap()["stack"], "panic_test.go")
			require.Equal(t, in.Key, logged[0].ContextMap()["idempotency_key"])

			h.pages.apply = nil
			other, err := h.execute(h.action(p, 1))
			require.NoError(t, err, "the worker goes on")
			require.Equal(t, workflows.OutcomeDone, other.Outcome)
			mended, err := h.execute(in)
			require.NoError(t, err, "and so can the action, once the tool is mended")
			require.True(t, mended.Recovered, "nobody knows how far the panicking tool had come")
			require.ElementsMatch(t, []string{in.Key, p.Actions[1].Key}, h.keys())
		})
	}
}

func noHeaders() map[string]string { return nil }

// A panic anywhere else is kept from the worker in the same way.
func TestC037_AStepThatPanics(t *testing.T) {
	h := newHouse(t)
	h.acts.Blobs = nil
	var out workflows.SummarizeResult
	err := h.do(string(workflows.Summarize), workflows.SummarizeInput{Task: task()}, &out)
	require.Equal(t, "panic: panic in summarize; see the worker's log", refused(t, err, faults.Unknown, faults.CodePanic).Message())
	requireNoTrace(t, err)
}

// "It failed", said without an error, must not pass for success.
func TestC037_AToolThatReturnsNoReceipt(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	in := h.action(p, 0)
	for name, answer := range map[string]func(tools.Call) plan.Receipt{
		"nothing":             func(tools.Call) plan.Receipt { return plan.Receipt{} },
		"of another action":   func(tools.Call) plan.Receipt { return plan.Receipt{IdempotencyKey: "other", Ref: "x"} },
		"without any moment":  func(c tools.Call) plan.Receipt { return plan.Receipt{IdempotencyKey: c.Action.IdempotencyKey} },
		"that says it failed": func(tools.Call) plan.Receipt { return plan.Receipt{Detail: `{"status":"failed"}`} },
	} {
		h.pages.apply = func(_ context.Context, c tools.Call) (plan.Receipt, error) { return answer(c), nil }
		_, err := h.execute(in)
		app := refused(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
		require.Contains(t, app.Message(), "neither an error nor a receipt", name)
		rows, err := h.acts.Effects.Ledger.Rows(t.Context(), []string{in.Key})
		require.NoError(t, err)
		require.Equal(t, effects.Started, rows[0].State, "in doubt, not completed")
	}
	require.Empty(t, h.keys())
}

// Only the text of a fault reaches the history; whatever caused it stays here.
func TestErrorsCarryNoSecrets(t *testing.T) {
	cause := errors.New("POST https://api.example.com/v1?token=" + secret + ": refused")
	for name, given := range map[string]error{
		"a fault's cause": &faults.Fault{Class: faults.Permanent, Code: "http_422", Reason: "api.example.com refused it", Cause: cause},
		"an unnamed one":  cause,
		"joined":          errors.Join(cause, &faults.Fault{Class: faults.Transient, Code: "locked", Reason: "the repository is locked"}),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			p := h.planned()
			h.pages.apply = func(context.Context, tools.Call) (plan.Receipt, error) { return plan.Receipt{}, given }
			_, err := h.execute(h.action(p, 0))
			require.Error(t, err)
			requireNoTrace(t, err)
			rows, err := h.acts.Effects.Ledger.Rows(t.Context(), []string{p.Actions[0].Key})
			require.NoError(t, err)
			require.NotContains(t, rows[0].Reason, secret)
		})
	}
}

// requireNoTrace says that the failure, as it goes to the server, has neither
// a secret nor a stack in it.
func requireNoTrace(t *testing.T, err error) {
	t.Helper()
	raw, marshalErr := protojson.Marshal(temporal.GetDefaultFailureConverter().ErrorToFailure(err))
	require.NoError(t, marshalErr)
	var failure map[string]any
	require.NoError(t, json.Unmarshal(raw, &failure))
	require.NotEmpty(t, failure["message"])
	require.NotContains(t, string(raw), secret)
	require.NotContains(t, string(raw), "_test.go")
	require.NotContains(t, string(raw), "goroutine")
}
