package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// statuses is an API that answers POST /do/STATUS with that status: for ever,
// or twice and then as if nothing had been. It acts upon every first request of
// a key all the same, but for one that it refuses.
type statuses struct {
	*httptest.Server

	surely []int // refused: no effect, ever

	mu       sync.Mutex
	requests map[int]int
	effects  map[int]int
	keys     map[string]bool
}

func newStatuses(t *testing.T, surely []int) *statuses {
	t.Helper()
	s := &statuses{surely: surely, requests: map[int]int{}, effects: map[int]int{}, keys: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /do/{status}", s.do)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *statuses) do(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	status, err := strconv.Atoi(r.PathValue("status"))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[status]++
	refused := slices.Contains(s.surely, status)
	over := s.requests[status] > 2 && !refused
	// 429 says that this request was not taken; any other may have been.
	if key := r.Header.Get("Idempotency-Key"); !s.keys[key] && !refused && (over || status != http.StatusTooManyRequests) {
		s.keys[key] = true
		s.effects[status]++
	}
	if over {
		status = http.StatusCreated
	}
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"id":"done-%s"}`, r.PathValue("status"))
}

func (s *statuses) of(status int) (requests, effects int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[status], s.effects[status]
}

// declaration declares the API's tool, with so many attempts.
func (s *statuses) declaration(attempts int) string {
	return strings.NewReplacer("ADDRESS", s.Listener.Addr().String(), "ATTEMPTS", strconv.Itoa(attempts)).Replace(`  ask:
    version: "1"
    kind: http
    class: keyed
    key_window: 1h
    risk: low
    call_timeout: 10s
    retry: {attempts: ATTEMPTS, base: 10ms, max: 50ms}
    schema: {type: object, additionalProperties: false, required: [status], properties: {status: {type: string}}}
    target: "api/{{params.status}}"
    http:
      hosts: ["ADDRESS"]
      url: "http://ADDRESS/do/{{params.status}}"
      body: {status: "{{params.status}}"}
      receipt: {ref: "body.id"}
`)
}

// ask starts a run with one action for each status, and approves it.
func (s *site) ask(id string, all []int) (run string) {
	s.t.Helper()
	var actions []given
	for _, status := range all {
		actions = append(actions, given{
			ID: fmt.Sprintf("s%d", status), Tool: "ask", Parameters: map[string]any{"status": strconv.Itoa(status)},
		})
	}
	s.hands(actions...)
	task, err := json.Marshal(workflows.Task{
		Tenant: s.name, BusinessID: id, Goal: "ask", Requester: "ann.wu", Planner: "given", OnFailure: workflows.Continue,
		Context: []workflows.Source{{Root: "notes"}}, Tools: []workflows.ToolUse{{Tool: "ask", Target: "api"}},
	})
	require.NoError(s.t, err)
	s.write("task.json", string(task))
	s.starter("start", "--task", s.path("task.json"), "-t", s.name)
	run = s.name + "/" + id
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	return run
}

// Temporal makes the attempts here, by a real worker: what ends an action is
// asked once, and what is tried again is asked until it is done.
func TestC033_OneTableForAllStatusCodesThroughTemporal(t *testing.T) {
	t.Parallel()
	ends := []int{400, 401, 403, 404, 405, 410, 413, 422, 451, 499, 418}
	again := []int{408, 429, 500, 502, 503, 504, 599}
	s, api := newSite(t, nil), newStatuses(t, ends)
	s.configureTools(20, api.declaration(10))
	s.worker()

	failed := s.await(s.ask("ends", ends), workflows.Failed)
	require.Contains(t, failed.Reason, string(workflows.ExecuteAction))
	for i, status := range ends {
		requests, effects := api.of(status)
		require.Equal(t, []int{1, 0}, []int{requests, effects}, "requests and effects of %d", status)
		row := failed.Actions[i]
		require.Equal(t, workflows.StepFailed, row.Status, "%d", status)
		require.Equal(t, 1, row.Attempts, "%d", status)
		require.Contains(t, row.Error, strconv.Itoa(status))
	}

	done := s.await(s.ask("again", again), workflows.Completed)
	for i, status := range again {
		requests, effects := api.of(status)
		require.Equal(t, []int{3, 1}, []int{requests, effects}, "requests and effects of %d", status)
		require.Equal(t, 3, done.Actions[i].Attempts, "%d", status)
		require.Equal(t, fmt.Sprintf("done-%d", status), done.Actions[i].Ref)
	}
}

// A target that never stops throttling is asked as often as the tool has
// attempts, and no more.
func TestC032_AtMostMaxAttemptsRequestsAreMade(t *testing.T) {
	t.Parallel()
	const attempts = 4
	s, api := newSite(t, nil), newStatuses(t, []int{http.StatusTooManyRequests})
	s.configureTools(1, api.declaration(attempts))
	s.worker()
	failed := s.await(s.ask("throttled", []int{http.StatusTooManyRequests}), workflows.Failed)
	requests, effects := api.of(http.StatusTooManyRequests)
	require.Equal(t, []int{attempts, 0}, []int{requests, effects}, "requests and effects")
	require.Equal(t, workflows.StepFailed, failed.Actions[0].Status, "surely nothing was done")
	require.Equal(t, attempts, failed.Actions[0].Attempts)
}
