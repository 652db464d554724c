package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
)

func TestC033_StatusesThatEndTheAction(t *testing.T) {
	for _, status := range []int{400, 401, 403, 404, 405, 410, 412, 413, 422, 451, 499, 418, 301, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			server := keyed(t)
			server.Always(scripted.Refusal(status, `{"echo":"BODY-SECRET"}`))
			s := newScene(t, open(t, server, keyedOrders), "week-48", "A-1")

			_, err := s.retried()
			require.Equal(t, faults.Permanent, faults.ClassOf(err))
			require.Contains(t, err.Error(), fmt.Sprint(status))
			require.Contains(t, err.Error(), server.Address)
			require.NotContains(t, err.Error(), "SECRET")
			require.Len(t, server.Writes(), 1)
			require.Zero(t, server.All())
			require.Equal(t, effects.Released, s.row().State)
		})
	}
}

func TestC033_StatusesThatAreTriedAgain(t *testing.T) {
	for _, status := range []int{408, 429, 500, 502, 503, 504, 599, 501} {
		for _, made := range []bool{false, true} {
			if made && status == 429 {
				continue // which surely refuses
			}
			t.Run(fmt.Sprint(status, " made ", made), func(t *testing.T) {
				server := keyed(t)
				answer := scripted.Answer{NoEffect: !made, Status: status, Body: "{}"}
				server.Script(answer, answer)
				s := newScene(t, open(t, server, keyedOrders), "week-48", "A-1")

				out, err := s.retried()
				require.NoError(t, err)
				require.Equal(t, "order-1", out.Receipt.Ref)
				require.Len(t, server.Writes(), 3)
				require.Len(t, bodies(server), 1)
				require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
			})
		}
	}
}

// Where nobody deduplicates, the same answers go to a person.
func TestC033_UnknownStatusesOfAToolThatIsSentOnce(t *testing.T) {
	t.Parallel()
	for _, status := range []int{408, 500, 502, 503, 504, 599, 202, 206, 302, 303} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel() // they wait for the end of the first call
			server := serve(t, scripted.Options{})
			server.Script(scripted.Answer{Status: status, Body: "{}"})
			s := newScene(t, open(t, server, quick(onceOrders)), "week-48", "A-1")
			_, err := s.retried()
			requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
			require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
		})
	}
}

func TestThrottledOnceIsSentAgain(t *testing.T) {
	server := serve(t, scripted.Options{})
	server.Script(scripted.Refusal(429, "{}"))
	s := newScene(t, open(t, server, quick(onceOrders)), "week-48", "A-1")
	_, err := s.attempt()
	requireFault(t, err, faults.Throttled, "http_429")
	_, err = s.attempt()
	require.NoError(t, err)
	require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
}

func TestDeclaredThrottling(t *testing.T) {
	server := serve(t, scripted.Options{})
	answer := scripted.Refusal(http.StatusOK, `{"error":{"code":"ratelimited"}}`)
	answer.Header = map[string]string{"Retry-After": "7"}
	server.Script(answer)
	s := newScene(t, open(t, server, onceOrders+`
  throttled: body.error.code == 'ratelimited'
`), "week-48", "A-1")
	_, err := s.attempt()
	require.Equal(t, 7*time.Second, requireFault(t, err, faults.Throttled, "throttled").RetryAfter)
	_, err = s.attempt()
	require.NoError(t, err)
}

func TestC032_RetryAfter(t *testing.T) {
	const date = "Mon, 30 Nov 2026 10:00:00 GMT"
	const asked = 3 * time.Second
	tests := []struct {
		name, value string
		floor       time.Duration // not before
		ceiling     time.Duration // not after
	}{
		{"seconds", "3", asked, asked},
		{"IMF-fixdate", "Mon, 30 Nov 2026 10:00:03 GMT", asked, asked},
		{"RFC 850 date", "Monday, 30-Nov-26 10:00:03 GMT", asked, asked},
		{"asctime date", "Mon Nov 30 10:00:03 2026", asked, asked},
		{"date in the past", "Mon, 30 Nov 2026 09:00:00 GMT", time.Millisecond, 20 * time.Millisecond},
		{"negative", "-1", time.Millisecond, 20 * time.Millisecond},
		{"rubbish", "soon", time.Millisecond, 20 * time.Millisecond},
		{"missing", "", time.Millisecond, 20 * time.Millisecond},
		{"huge", "99999999999999999999", time.Minute, time.Minute}, // max_after
	}
	for _, status := range []int{429, 503} {
		for _, tt := range tests {
			t.Run(fmt.Sprint(status, " ", tt.name), func(t *testing.T) {
				server := keyed(t)
				answer := scripted.Throttle(status, tt.value)
				answer.Header["Date"] = date
				if tt.value == "" {
					delete(answer.Header, "Retry-After")
				}
				server.Always(answer)
				s := newScene(t, open(t, server, keyedOrders), "week-48", "A-1")

				_, err := s.attempt()
				require.Error(t, err)
				delay := nextDelay(t, faults.Temporal(err, 2, 0, s.tool.Spec().Retry))
				require.GreaterOrEqual(t, delay, tt.floor)
				require.LessOrEqual(t, delay, tt.ceiling)
				require.Len(t, server.Writes(), 1, "one request an attempt")
			})
		}
	}
}

func nextDelay(t *testing.T, err error) time.Duration {
	t.Helper()
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.False(t, app.NonRetryable())
	return app.NextRetryDelay()
}

// What a target answers can hold anything, and stays out of the errors: also
// where an expression stumbles over it.
func TestAnswersStayOutOfErrors(t *testing.T) {
	const body = `{"id":"BODY-SECRET","error":"BODY-SECRET"}`
	for _, ref := range []string{"string(int(body.id))", "string(timestamp(body.id))", "string(headers[body.id])", "body[body.id]", "string(duration(body.id))"} {
		for _, status := range []int{200, 400, 409, 500} {
			server := serve(t, scripted.Options{})
			answer := scripted.Refusal(status, body)
			answer.Header = map[string]string{"X-Echo": "HEADER-SECRET", "Location": "/?q=URL-SECRET"}
			server.Always(answer)
			s := newScene(t, open(t, server, replace(onceOrders, "{ref: body.id}", "{ref: '"+ref+"'}")), "week-48", "A-1")
			_, err := s.attempt()
			require.Error(t, err)
			require.NotContains(t, err.Error(), "SECRET")
		}
	}
}

func TestC035_ResetInTheMiddleOfTheAnswer(t *testing.T) {
	long := `{"id":"order-1","number":"A-1","padding":"` + fmt.Sprintf("%0456d", 0) + `"}`
	require.Len(t, long, 500)
	broken := map[string]scripted.Answer{
		"reset":       {Body: long, Sent: 100, Ending: scripted.Reset},
		"closed":      {Body: long, Sent: 100, Ending: scripted.Closed},
		"reset early": {Body: long, Ending: scripted.Reset},
		"too large":   {Body: `{"id":"` + fmt.Sprintf("%02000000d", 0) + `"}`},
		"no JSON":     {Body: "<html>", Header: map[string]string{"Content-Type": "text/html"}},
		"no id":       {Body: `{"number":"A-1"}`},
		"empty id":    {Body: `{"id":"","number":"A-1"}`},
		"id null":     {Body: `{"id":null,"number":"A-1"}`},
	}
	for name, answer := range broken {
		t.Run(name, func(t *testing.T) {
			t.Run("keyed: sent again under the same key", func(t *testing.T) {
				server := keyed(t)
				server.Script(answer)
				s := newScene(t, open(t, server, keyedOrders), "week-48", "A-1")
				_, err := s.attempt()
				require.Equal(t, faults.Unknown, faults.ClassOf(err), "%v", err)
				require.Equal(t, effects.Started, s.row().State)
				out, err := s.retried()
				require.NoError(t, err)
				require.Equal(t, "order-1", out.Receipt.Ref)
				require.Equal(t, "order A-1", out.Receipt.Detail)
				require.Len(t, server.Writes(), 2)
				require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
			})
			if name != "reset" && name != "too large" && name != "no JSON" {
				return // the rest takes time, and is about what follows from the same fault
			}
			t.Run("lookup: found", func(t *testing.T) {
				server := serve(t, scripted.Options{})
				server.Script(answer)
				s := newScene(t, open(t, server, quick(foundOrders)), "week-48", "A-1")
				out, err := s.retried()
				require.NoError(t, err)
				require.Equal(t, "order-1", out.Receipt.Ref)
				require.Len(t, server.Writes(), 1)
				require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
			})
			t.Run("once: a person", func(t *testing.T) {
				server := serve(t, scripted.Options{})
				server.Script(answer)
				s := newScene(t, open(t, server, quick(onceOrders)), "week-48", "A-1")
				_, err := s.retried()
				requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
				require.Len(t, server.Writes(), 1)
				require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
			})
		})
	}
}
