package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/workflows"
)

// The API made the order, lost its own answer, and says for ever that the key
// is being worked on. When the tool's time is over, a person is asked.
func TestC023_KeyInProgressForEverWaitsForAPerson(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	server := s.shop("keyed", "")
	s.addToTool("    key_window: 1h\n    call_timeout: 1s\n    retry: {attempts: 1000, base: 50ms, max: 200ms, budget: 3s}\n")
	server.Script(scripted.Answer{Wait: time.Minute})
	server.Always(scripted.Problem(409, "A request is outstanding for this Idempotency-Key"))
	s.write("notes/actions.json", `{"format": "holdpoint.actions/1", "actions": [{"id": "order", "tool": "shop", "parameters": {"number": "1"}}]}`)
	s.worker()
	run := s.order()
	waiting := s.await(run, workflows.WaitingResolution)
	order := waiting.Actions[0]
	require.Equal(t, workflows.StepInDoubt, order.Status)
	require.NotNil(t, order.Doubt)
	require.GreaterOrEqual(t, order.Attempts, 3, "it was waited for, and asked again")
	require.Equal(t, 1, server.Effects(order.Key))
	writes := server.Writes()
	require.Len(t, writes, order.Attempts, "one request an attempt")
	for _, w := range writes {
		require.Equal(t, order.Key, strings.Trim(w.Header.Get("Idempotency-Key"), `"`), "the same key each time")
		require.Equal(t, writes[0].Body, w.Body)
	}

	s.approver("resolve", run, "order", "happened", "--as", "bo.lin", "--evidence", "order-1 is in the shop")
	s.await(run, workflows.Completed)
	require.Equal(t, 1, server.All())
	require.Len(t, server.Writes(), len(writes), "what happened is not asked for again")
}
