package httpapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
)

// impatient is keyedOrders with calls that end soon.
var impatient = strings.Replace(keyedOrders, "call_timeout: 2s", "call_timeout: 1s", 1)

func keyed(t *testing.T) *scripted.Server {
	return serve(t, scripted.Options{KeyHeader: "Idempotency-Key"})
}

func TestC016_TimeoutButTheRemoteFinishedTheWork(t *testing.T) {
	server := keyed(t)
	server.Script(scripted.Answer{Wait: time.Minute})
	s := newScene(t, open(t, server, impatient), "week-48", "A-1")

	_, err := s.attempt()
	requireFault(t, err, faults.Unknown, "no_answer")
	out, err := s.retried()
	require.NoError(t, err)

	require.Equal(t, "order-1", out.Receipt.Ref, "the id in the replay")
	require.True(t, out.Recovered)
	require.Equal(t, 2, s.attempts)
	writes := server.Writes()
	require.Len(t, writes, 2)
	require.Equal(t, writes[0].Body, writes[1].Body)
	require.Equal(t, writes[0].Header, writes[1].Header)
	require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
}

func TestC022_KeyUsedWithAnotherPayload(t *testing.T) {
	tests := []struct {
		name   string
		answer scripted.Answer
	}{
		{"422 problem", scripted.Problem(422, "Idempotency-Key is already used")},
		{"409 code", scripted.Refusal(409, `{"code":"idempotency_key_payload_mismatch"}`)},
		{"400 in an error", scripted.Refusal(400, `{"error":{"type":"idempotency_error","message":"only with the same parameters"}}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := keyed(t)
			server.Always(tt.answer)
			s := newScene(t, open(t, server, keyedOrders), "week-48", "A-1")

			_, err := s.retried()
			fault := requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
			require.Contains(t, fault.Reason, s.action.IdempotencyKey)
			require.Contains(t, fault.Reason, "action a1")
			require.Contains(t, fault.Reason, "a person")
			require.NotContains(t, err.Error(), "same parameters", "bodies stay out")
			require.Len(t, server.Writes(), 1)
			require.Zero(t, server.All())
			require.Equal(t, effects.Started, s.row().State, "a person settles it")
		})
	}
}

func TestC022_ATargetThatTellsTheRealThing(t *testing.T) {
	server := keyed(t)
	tool := open(t, server, strings.Replace(keyedOrders, `item: "{{params.number}}"`, `item: "one"`, 1))
	first := newScene(t, tool, "week-48", "A-1")
	_, err := first.retried()
	require.NoError(t, err)

	second := newScene(t, tool, "week-48", "A-2") // another ledger, which knows nothing
	require.Equal(t, first.action.IdempotencyKey, second.action.IdempotencyKey)
	_, err = second.retried()
	requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
	require.Len(t, server.Writes(), 2)
	require.Equal(t, 1, server.All())
}

const outstanding = "A request is outstanding for this Idempotency-Key"

func TestC023_KeyInProgress(t *testing.T) {
	server := keyed(t)
	server.Script(scripted.Answer{Wait: time.Minute}, scripted.Problem(409, outstanding), scripted.Problem(409, outstanding))
	s := newScene(t, open(t, server, impatient), "week-48", "A-1")

	_, err := s.attempt()
	require.Equal(t, faults.Unknown, faults.ClassOf(err))
	for range 2 {
		_, err = s.attempt()
		requireFault(t, err, faults.InProgress, "key_in_progress")
	}
	out, err := s.attempt()
	require.NoError(t, err)
	require.Equal(t, "order-1", out.Receipt.Ref)
	require.Len(t, server.Writes(), 4)
	require.Len(t, bodies(server), 1)
	require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
}

func TestC023_KeyInProgressForEver(t *testing.T) {
	server := keyed(t)
	server.Always(scripted.Problem(409, outstanding))
	s := newScene(t, open(t, server, keyedOrders), "week-48", "A-1")
	retry := s.tool.Spec().Retry
	for n := range 5 {
		_, err := s.attempt()
		requireFault(t, err, faults.InProgress, "key_in_progress")
		require.False(t, last(t, faults.Temporal(err, n+1, time.Second, retry)))
		require.True(t, last(t, faults.Temporal(err, n+1, retry.Budget, retry)), "the budget is spent")
	}
	require.Equal(t, effects.Started, s.row().State, "the outcome is unknown, and a person settles it")
	require.Len(t, bodies(server), 1)
}

func TestC023_TooEarly(t *testing.T) {
	server := keyed(t)
	server.Script(scripted.Refusal(425, ""))
	s := newScene(t, open(t, server, keyedOrders), "week-48", "A-1")
	_, err := s.attempt()
	requireFault(t, err, faults.InProgress, "key_in_progress")
	_, err = s.attempt()
	require.NoError(t, err)
	require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
}

func TestC023_ABusinessConflictIsPermanent(t *testing.T) {
	server := keyed(t)
	server.Always(scripted.Problem(409, "The page has a newer version"))
	s := newScene(t, open(t, server, keyedOrders), "week-48", "A-1")
	_, err := s.retried()
	requireFault(t, err, faults.Permanent, "http_409")
	require.Len(t, server.Writes(), 1)
	require.Equal(t, effects.Released, s.row().State, "surely nothing was done")
}

func TestC023_DeclaredTests(t *testing.T) {
	const declared = keyedOrders + `
  in_progress: status == 202 || body.state == 'working'
  key_reused: body.state == 'taken'
`
	server := keyed(t)
	s := newScene(t, open(t, server, declared), "week-48", "A-1")
	for _, answer := range []scripted.Answer{scripted.Refusal(202, "{}"), scripted.Refusal(400, `{"state":"working"}`)} {
		server.Script(answer)
		_, err := s.attempt()
		requireFault(t, err, faults.InProgress, "key_in_progress")
	}
	server.Script(scripted.Refusal(409, `{"state":"taken"}`))
	_, err := s.attempt()
	requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
}

func TestC024_KeysThatHeadersCannotCarry(t *testing.T) {
	long := strings.Repeat("k", 299)
	server := keyed(t)
	tool := open(t, server, keyedOrders)
	seen := map[string]bool{}
	for _, businessID := range []string{long + "k", long + "l", "周报-第40周", "a\nb", `a"b\c`, "x"} {
		s := newScene(t, tool, businessID, "A-1")
		before := len(server.Writes())
		server.Script(scripted.Answer{Ending: scripted.Reset})
		out, err := s.retried()
		require.NoError(t, err)
		require.Equal(t, 2, s.attempts)

		writes := server.Writes()[before:]
		require.Len(t, writes, 2)
		for _, w := range writes {
			require.Regexp(t, `^"[A-Za-z0-9-]{20,64}"$`, w.Header.Get("Idempotency-Key"))
		}
		require.Equal(t, writes[0].Header.Get("Idempotency-Key"), writes[1].Header.Get("Idempotency-Key"))
		require.Equal(t, 1, server.Effects(out.Receipt.IdempotencyKey))
		seen[out.Receipt.IdempotencyKey] = true
	}
	require.Len(t, seen, 6)
	require.Equal(t, 6, server.All())
}

func TestBareKey(t *testing.T) {
	server := serve(t, scripted.Options{KeyHeader: "X-Request-Key"})
	s := newScene(t, open(t, server, keyedOrders+`
  key: {header: X-Request-Key, style: bare}
`), "week-48", "A-1")
	_, err := s.retried()
	require.NoError(t, err)
	require.Equal(t, s.action.IdempotencyKey, server.Writes()[0].Header.Get("X-Request-Key"))
	require.Empty(t, server.Writes()[0].Header.Get("Idempotency-Key"))
}

// shortWindow has a window that a test can wait for.
const shortWindow = "call_timeout: 300ms\nkey_window: 700ms"

func forgetful(declaration string) string {
	return strings.NewReplacer("call_timeout: 2s", shortWindow, "key_window: 24h\n", "").Replace(declaration)
}

func TestC025_TheRemoteHasForgottenTheKey(t *testing.T) {
	server := serve(t, scripted.Options{KeyHeader: "Idempotency-Key", Window: 700 * time.Millisecond})
	server.Script(scripted.Answer{Ending: scripted.Reset})
	s := newScene(t, open(t, server, forgetful(keyedOrders)), "week-48", "A-1")
	_, err := s.attempt()
	require.Equal(t, faults.Unknown, faults.ClassOf(err))
	time.Sleep(800 * time.Millisecond) // no worker runs, and the window passes

	_, err = s.retried()
	requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
	require.Len(t, server.Writes(), 1, "it would be a second order")
	require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
}

func TestC025_AfterTheWindowTheLookupAnswers(t *testing.T) {
	for _, made := range []bool{true, false} {
		t.Run(fmt.Sprint("made ", made), func(t *testing.T) {
			server := serve(t, scripted.Options{KeyHeader: "Idempotency-Key", Window: 700 * time.Millisecond})
			server.Script(scripted.Answer{NoEffect: !made, Ending: scripted.Reset})
			s := newScene(t, open(t, server, forgetful(keyedOrders)+`
  lookup:
    url: URL/orders?reference={{key}}
    found: size(body.items) > 0
    absent: size(body.items) == 0
    authoritative: true
    receipt: {ref: "body.items[0].id"}
`), "week-48", "A-1")
			_, err := s.attempt()
			require.Equal(t, faults.Unknown, faults.ClassOf(err))
			time.Sleep(800 * time.Millisecond)

			out, err := s.retried()
			require.NoError(t, err)
			require.Equal(t, "order-1", out.Receipt.Ref)
			require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
			if made {
				require.Len(t, server.Writes(), 1)
			}
		})
	}
}

// last reports whether the server makes no further attempt after an error.
func last(t *testing.T, err error) bool {
	t.Helper()
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	return app.NonRetryable()
}

func (s *scene) row() effects.Row {
	s.t.Helper()
	rows, err := s.protocol.Ledger.Rows(s.t.Context(), []string{s.action.IdempotencyKey})
	require.NoError(s.t, err)
	require.Len(s.t, rows, 1)
	return rows[0]
}
