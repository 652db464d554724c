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

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// shop is an API of orders that knows idempotency keys: it answers a known one
// with the first answer. It counts what it was asked.
type shop struct {
	*httptest.Server

	takes time.Duration // for one order

	mu       sync.Mutex
	requests int
	inFlight int
	most     int               // requests in flight at one time
	orders   map[string]string // bodies by key
	others   int               // requests of a known key with another body
}

func newShop(t *testing.T, takes time.Duration) *shop {
	t.Helper()
	s := &shop{takes: takes, orders: map[string]string{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *shop) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // cut off: no order
	}
	s.mu.Lock()
	s.requests++
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	s.mu.Unlock()
	time.Sleep(s.takes)
	key := strings.Trim(r.Header.Get("Idempotency-Key"), `"`)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	first, known := s.orders[key]
	switch {
	case !known:
		s.orders[key] = string(body)
	case first != string(body):
		s.others++
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"id":"order-%s"}`, key[:8])
}

// counts are the requests and the orders so far.
func (s *shop) counts() (requests, orders int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests, len(s.orders)
}

// keys are those of the orders: the effects, as the target tells them.
func (s *shop) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []string
	for key := range s.orders {
		keys = append(keys, key)
	}
	return keys
}

// mostAtOnce is how many requests were in flight at one time.
func (s *shop) mostAtOnce() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// requireOneEach wants one order for each action of a run's plan that is one,
// and no other.
func (s *shop) requireOneEach(t *testing.T, planned plan.Plan) {
	t.Helper()
	var want []string
	for _, a := range planned.Actions {
		if a.Tool == "open_order" {
			want = append(want, a.IdempotencyKey)
		}
	}
	require.NotEmpty(t, want)
	require.ElementsMatch(t, want, s.keys(), "one order for each action")
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Zero(t, s.others, "a key never comes with another body")
}

// plan is the run's plan, as an approver gets its bytes.
func (s *site) plan(run string) plan.Plan {
	s.t.Helper()
	p, err := plan.Load([]byte(s.approver("show", "--canonical", "--data", s.path("data"), run)), s.status(run).PlanHash)
	require.NoError(s.t, err)
	return p
}

// declaration declares the shop's tool, with that many calls at a time.
func (s *shop) declaration(concurrency int) string {
	return fmt.Sprintf(`  open_order:
    version: "1"
    kind: http
    class: keyed
    key_window: 24h
    risk: medium
    call_timeout: 10s
    concurrency: %d
    schema:
      type: object
      required: [number]
      additionalProperties: false
      properties: {number: {type: string}, remark: {type: string}}
    target: shop/orders
    item: "{{params.number}}"
    http:
      hosts: ["%s"]
      url: "%s/orders"
      body: {number: "{{params.number}}", remark: "{{has(params.remark) ? params.remark : ''}}"}
      receipt: {ref: body.id}
`, concurrency, strings.TrimPrefix(s.URL, "http://"), s.URL)
}
