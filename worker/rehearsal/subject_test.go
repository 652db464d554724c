package rehearsal_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/worker/rehearsal"
)

func TestKeyIsFreshAndTheIdentitysOwn(t *testing.T) {
	w := wish()
	s := &target{class: plan.Keyed}
	one, err := rehearsal.Prepare(t.Context(), s, w)
	require.NoError(t, err)
	require.Equal(t, plan.Identity{
		Tenant: "drill", BusinessID: "drill-1", Tool: "book", Target: "books/sandbox", Item: "Hello", SemanticVersion: "v1",
	}.Key(), one.Action.IdempotencyKey)
	w.ID = "drill-2"
	two, err := rehearsal.Prepare(t.Context(), s, w)
	require.NoError(t, err)
	require.NotEqual(t, one.Action.IdempotencyKey, two.Action.IdempotencyKey)
}

func TestActionStaysInTheSandbox(t *testing.T) {
	for sandbox, ok := range map[string]bool{
		"books": true, "books/sandbox": true, "books/sand": false, "books/sandbox/x": false, "": false, "book": false,
	} {
		w := wish()
		w.Target = sandbox
		_, err := rehearsal.Prepare(t.Context(), &target{class: plan.Keyed}, w)
		if ok {
			require.NoError(t, err, sandbox)
			continue
		}
		require.ErrorContains(t, err, `the action writes to "books/sandbox", which is not "`+sandbox+`" or below it`)
	}
}

// Another payload of the same key: one member changed that is part of neither
// the target nor the item.
func TestOtherParametersAreMadeOfTheFirst(t *testing.T) {
	for parameters, want := range map[string]string{
		`{"shelf":"sandbox","title":"Hello","text":"one"}`:          `{"shelf":"sandbox","text":"onex","title":"Hello"}`,
		`{"shelf":"sandbox","title":"Hello","count":3}`:             `{"count":4,"shelf":"sandbox","title":"Hello"}`,
		`{"shelf":"sandbox","title":"Hello","text":"a","count":3}`:  `{"count":3,"shelf":"sandbox","text":"ax","title":"Hello"}`,
		`{"shelf":"sandbox","title":"Hello","open":true}`:           `{"open":false,"shelf":"sandbox","title":"Hello"}`,
		`{"shelf":"sandbox","title":"Hello","a":null,"list":["x"]}`: ``,
		`{"shelf":"sandbox","title":"Hello"}`:                       ``,
	} {
		w := wish()
		w.Parameters = json.RawMessage(parameters)
		subject, err := rehearsal.Prepare(t.Context(), &target{class: plan.Keyed}, w)
		require.NoError(t, err)
		if want == "" {
			require.Nil(t, subject.Other, parameters)
			continue
		}
		require.NotNil(t, subject.Other, parameters)
		require.Equal(t, want, string(subject.Other.Parameters))
		require.Equal(t, subject.Action.IdempotencyKey, subject.Other.IdempotencyKey)
	}
}

func TestOtherParametersThatTheOperatorNames(t *testing.T) {
	w := wish()
	w.Other = json.RawMessage(`{"shelf":"sandbox","title":"Hello","text":"two"}`)
	subject, err := rehearsal.Prepare(t.Context(), &target{class: plan.Keyed}, w)
	require.NoError(t, err)
	require.JSONEq(t, string(w.Other), string(subject.Other.Parameters))

	for other, want := range map[string]string{
		`{"shelf":"sandbox","title":"Bye"}`:                 `they lead to books/sandbox, "Bye"`,
		`{"shelf":"other","title":"Hello"}`:                 `the other parameters: the action writes to "books/other"`,
		`{ "title":"Hello","text":"one","shelf":"sandbox"}`: "the other parameters must differ",
		`{"shelf":"sandbox"}`:                               "the other parameters: bad_parameters",
	} {
		w.Other = json.RawMessage(other)
		_, err := rehearsal.Prepare(t.Context(), &target{class: plan.Keyed}, w)
		require.ErrorContains(t, err, want)
	}
}

func TestWithoutOtherParametersTheirStepStaysOpen(t *testing.T) {
	t.Parallel()
	w := wish()
	w.Parameters = json.RawMessage(`{"shelf":"sandbox","title":"Hello"}`)
	s := &target{class: plan.Keyed}
	subject, err := rehearsal.Prepare(t.Context(), s, w)
	require.NoError(t, err)
	result, err := run(t, t.Context(), s, subject)
	require.NoError(t, err)
	require.True(t, result.Holds())
	require.Equal(t, []string{"other payload"}, verdicts(result, rehearsal.Open))
}
