package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
)

func TestC038_TheCallStopsWithItsContext(t *testing.T) {
	server := keyed(t)
	server.Script(scripted.Answer{Wait: time.Minute})
	s := newScene(t, open(t, server, strings.Replace(keyedOrders, "call_timeout: 2s", "call_timeout: 1m", 1)), "week-48", "A-1")

	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for server.All() == 0 {
			time.Sleep(5 * time.Millisecond)
		}
		stop()
	}()
	began := time.Now()
	_, err := s.attemptIn(ctx)
	require.Less(t, time.Since(began), 20*time.Second, "the answer would take a minute")
	fault := requireFault(t, err, faults.Unknown, "stopped_after_sending")
	require.False(t, last(t, faults.Temporal(err, 1, 0, s.tool.Spec().Retry)), "another worker goes on")
	require.Contains(t, fault.Reason, server.Address)

	_, err = s.retried()
	require.NoError(t, err)
	require.Equal(t, 1, server.Effects(s.action.IdempotencyKey))
}

func TestC038_NothingIsSentWhenTheContextIsOver(t *testing.T) {
	server := keyed(t)
	tool := open(t, server, keyedOrders)
	s := newScene(t, tool, "week-48", "A-1")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := tool.Apply(ctx, s.call())
	requireFault(t, err, faults.Transient, "dial_failed")
	require.Empty(t, server.Writes())
}

func TestC037_FailureInAnAnswerOfSuccessIsNoSuccess(t *testing.T) {
	for _, class := range []string{keyedOrders, onceOrders, foundOrders} {
		server := keyed(t)
		server.Always(scripted.Refusal(http.StatusOK, `{"status":"failed","id":"order-1","number":"A-1"}`))
		s := newScene(t, open(t, server, class+`
  failed: body.status == 'failed'
`), "week-48", "A-1")
		_, err := s.retried()
		fault := requireFault(t, err, faults.Permanent, "failed_by_target")
		require.NotContains(t, fault.Reason, "order-1")
		require.Len(t, server.Writes(), 1)
	}
}

func TestC037_AnAnswerThatCannotBeJudgedIsNoSuccess(t *testing.T) {
	server := keyed(t)
	server.Always(scripted.Refusal(http.StatusOK, `<html>Please log in</html>`))
	s := newScene(t, open(t, server, strings.Replace(keyedOrders, "body.id", "key", 1)+`
  failed: body.status == 'failed'
`), "week-48", "A-1")
	_, err := s.attempt()
	requireFault(t, err, faults.Unknown, "answer_not_judged")
}
