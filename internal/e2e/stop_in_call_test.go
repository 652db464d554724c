package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// slowShop makes each order at once, deduplicated by key, and answers the first
// request of all only after a while. It sees whether the client waits so long.
type slowShop struct {
	*httptest.Server

	answersAfter time.Duration

	mu       sync.Mutex
	requests int
	orders   map[string]int // made, by key
	replays  map[string]int // requests that found their order made, by key
	hungUp   bool           // the first client was gone before the answer
}

func newSlowShop(t *testing.T, answersAfter time.Duration) *slowShop {
	t.Helper()
	s := &slowShop{answersAfter: answersAfter, orders: map[string]int{}, replays: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *slowShop) serve(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // net/http watches for a hang-up once the body is read
	key := strings.Trim(r.Header.Get("Idempotency-Key"), `"`)
	s.mu.Lock()
	first := s.requests == 0
	s.requests++
	if s.orders[key] > 0 {
		s.replays[key]++
	} else {
		s.orders[key]++
	}
	s.mu.Unlock()
	if first {
		select {
		case <-r.Context().Done():
			s.mu.Lock()
			defer s.mu.Unlock()
			s.hungUp = true
			return
		case <-time.After(s.answersAfter):
		}
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"id":"order-%s"}`, key[:8])
}

// seen reports how often it was asked, and whether the first client hung up.
func (s *slowShop) seen() (requests int, hungUp bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests, s.hungUp
}

func (s *slowShop) of(key string) (orders, replays int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.orders[key], s.replays[key]
}

// SIGTERM while a call runs, that would take longer than the worker lives: the
// call stops with its attempt, and that is no failure of the action. Another
// worker goes on, and finds the order that the first one made.
func TestC038_AWorkerIsToldToStopInTheMiddleOfACall(t *testing.T) {
	t.Parallel()
	s, shop := newSite(t, nil), newSlowShop(t, time.Hour)
	s.write("holdpoint.yaml", fmt.Sprintf("task_queue: %s\nsources: {notes: notes}\npolicy: policy.yaml\ndata: data\n"+
		"limits: {parallel_actions: 1}\ntiming: {drain_timeout: 1s}\n%s", s.name, strings.NewReplacer("HOST", shop.Listener.Addr().String()).Replace(`
tools:
  shop:
    version: "1"
    kind: http
    class: keyed
    key_window: 2h
    call_timeout: 10m
    risk: low
    schema: {type: object, additionalProperties: false, required: [number], properties: {number: {type: string}}}
    target: "shop/orders"
    item: "{{params.number}}"
    http:
      hosts: ["HOST"]
      url: "http://HOST/orders"
      body: {number: "{{params.number}}"}
      receipt: {ref: "body.id"}
`)))
	s.write("notes/actions.json", `{"format": "holdpoint.actions/1", "actions": [
		{"id": "slow", "tool": "shop", "parameters": {"number": "1"}},
		{"id": "after", "tool": "shop", "parameters": {"number": "2"}, "depends_on": ["slow"]}]}`)
	first := s.worker()
	run := s.order()
	s.eventually("the call is under way", func() bool { requests, _ := shop.seen(); return requests == 1 })
	first.stop()
	s.eventually("the target sees that the call has stopped", func() bool { _, hungUp := shop.seen(); return hungUp })
	require.Contains(t, first.said(), "attempt was interrupted")
	require.NotEqual(t, workflows.StepFailed, s.status(run).Actions[0].Status)

	s.worker()
	done := s.await(run, workflows.Completed)
	require.Zero(t, done.Counts.Failed)
	slow, after := done.Actions[0], done.Actions[1]
	require.Equal(t, []int{2, 1}, []int{slow.Attempts, after.Attempts}, "attempts")
	for _, want := range []struct {
		row     workflows.Action
		replays int
	}{{slow, 1}, {after, 0}} {
		orders, replays := shop.of(want.row.Key)
		require.Equal(t, []int{1, want.replays}, []int{orders, replays}, "orders and replays of %s", want.row.ID)
	}
}
