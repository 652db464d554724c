package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/holdpoint/holdpoint/workflows"
)

// configureTools writes a configuration without any repository, with declared
// tools and limits.
func (s *site) configureTools(parallel int, declarations ...string) {
	s.t.Helper()
	s.write("holdpoint.yaml", fmt.Sprintf("task_queue: %s\nsources: {notes: notes}\npolicy: policy.yaml\ndata: data\n"+
		"limits: {parallel_actions: %d}\ntools:\n%s", s.name, parallel, strings.Join(declarations, "")))
}

// reports declares a tool that writes objects into the site's folder.
func (s *site) reports() string {
	s.mkdir("reports")
	return `  write_report:
    version: "1"
    kind: object
    class: conditional
    risk: low
    schema:
      type: object
      required: [name, orders]
      additionalProperties: false
      properties: {name: {type: string}, orders: {type: array, items: {type: string}}}
    target: "reports/{{params.name}}"
    object:
      url: "file://` + s.path("reports") + `"
      name: "{{params.name}}.json"
      mode: create
      json: {orders: "{{params.orders}}"}
`
}

// given is an action of an agent's own plan.
type given struct {
	ID         string         `json:"id"`
	Tool       string         `json:"tool"`
	Parameters map[string]any `json:"parameters"`
	DependsOn  []string       `json:"depends_on,omitempty"`
}

// hands writes the agent's plan among the notes.
func (s *site) hands(actions ...given) {
	s.t.Helper()
	raw, err := json.Marshal(map[string]any{"format": "holdpoint.actions/1", "notes": []string{"by the agent"}, "actions": actions})
	require.NoError(s.t, err)
	s.write("notes/actions.json", string(raw))
}

// orders are so many independent actions.
func orders(n int, remark string) []given {
	actions := make([]given, n)
	for i := range actions {
		actions[i] = given{
			ID: fmt.Sprintf("order-%03d", i), Tool: "open_order",
			Parameters: map[string]any{"number": fmt.Sprintf("2025-%03d", i), "remark": remark},
		}
	}
	return actions
}

// startGiven starts a task whose planner takes the agent's plan, and waits at
// the gate.
func (s *site) startGiven(id string) (run string, gate workflows.Status) {
	s.t.Helper()
	s.write("task.yaml", fmt.Sprintf(`tenant: %s
business_id: %s
goal: open the orders
requester: ann.wu
context: [{root: notes}]
tools: [{tool: open_order, target: shop}, {tool: write_report, target: reports}]
planner: given
`, s.name, id))
	s.starter("start", "--task", "task.yaml", "-t", s.name)
	run = s.name + "/" + id
	return run, s.await(run, workflows.WaitingApproval)
}

// A worker has tools that nobody wrote a line of code for, and an agent hands
// in its own plan: from the start to the effects, over a deploy at the gate and
// a kill after an effect.
func TestDeclaredToolsFromStartToCompleted(t *testing.T) {
	t.Parallel()
	s, shop := newSite(t, nil), newShop(t, 0)
	s.configureTools(1, shop.declaration(4), s.reports())
	s.hands(append(orders(2, "as agreed"), given{
		ID: "report", Tool: "write_report", DependsOn: []string{"order-000", "order-001"},
		Parameters: map[string]any{"name": "W40", "orders": []string{"2025-000", "2025-001"}},
	})...)
	first := s.worker()
	run, gate := s.startGiven("orders-2025-w40")
	require.Len(t, gate.Actions, 3)
	shown := s.approver("show", run)
	for _, part := range []string{"shop/orders", "2025-001", "as agreed", "reports/W40", "by the agent", "handed in as notes/actions.json"} {
		require.Contains(t, shown, part)
	}
	requests, _ := shop.counts()
	require.Zero(t, requests, "nothing is sent before the approval")

	first.stop()
	victim := s.worker("--stop-at", "execute_action.effect")
	s.approve(run, "bo.lin")
	s.stopped(victim)
	victim.kill()
	s.worker()
	done := s.await(run, workflows.Completed)

	shop.requireOneEach(t, s.plan(run))
	requests, _ = shop.counts()
	require.Equal(t, 3, requests, "the one whose answer was lost was asked for again, with its key")
	report, err := os.ReadFile(s.path("reports", "W40.json"))
	require.NoError(t, err)
	require.JSONEq(t, `{"orders":["2025-000","2025-001"]}`, string(report))
	objects, err := filepath.Glob(s.path("reports", "*.json"))
	require.NoError(t, err)
	require.Len(t, objects, 1)
	require.GreaterOrEqual(t, done.Actions[0].Attempts, 2)
	for _, a := range done.Actions {
		require.NotEmpty(t, a.Ref, a.ID)
	}
}

// The same business id and the same plan once more makes nothing twice.
func TestAgentsPlanOnceMoreMakesNothingTwice(t *testing.T) {
	t.Parallel()
	s, shop := newSite(t, nil), newShop(t, 0)
	s.configureTools(4, shop.declaration(4), s.reports())
	s.hands(orders(2, "")...)
	s.worker()
	run, _ := s.startGiven("orders-2025-w40")
	s.approve(run, "bo.lin")
	s.await(run, workflows.Completed)
	o := s.run(programs.starter, "start", "--task", "task.yaml", "-t", s.name)
	require.Zero(t, o.code, o.err)
	requests, made := shop.counts()
	require.Equal(t, []int{2, 2}, []int{requests, made})
}

// A plan that was handed in is not revised.
func TestAgentsPlanIsNotRevised(t *testing.T) {
	t.Parallel()
	s, shop := newSite(t, nil), newShop(t, 0)
	s.configureTools(4, shop.declaration(4), s.reports())
	s.hands(orders(2, "")...)
	s.worker()
	run, gate := s.startGiven("orders-2025-w40")
	s.approver("revise", run, "--as", "bo.lin", "--plan-hash", gate.PlanHash.String(), "--feedback", "only one order")
	failed := s.await(run, workflows.Failed)
	require.Contains(t, failed.Reason, "hand in another file and start again")
	requests, _ := shop.counts()
	require.Zero(t, requests)
}

// What an agent hands in is checked before anybody is asked.
func TestAgentsPlanIsCheckedBeforeTheGate(t *testing.T) {
	t.Parallel()
	s, shop := newSite(t, nil), newShop(t, 0)
	s.configureTools(4, shop.declaration(4), s.reports())
	s.worker()
	for id, tt := range map[string]struct {
		action given
		want   string
	}{
		"another-tool": {given{ID: "a", Tool: "shell", Parameters: map[string]any{}}, "/actions/0/tool"},
		"bad-orders":   {given{ID: "a", Tool: "open_order", Parameters: map[string]any{"number": 7}}, "/number: got number, want string"},
		"too-many":     {given{ID: "a", Tool: "open_order", Parameters: map[string]any{"number": "7", "price": 0}}, "additional properties 'price' not allowed"},
	} {
		s.hands(tt.action)
		s.write("task.yaml", fmt.Sprintf("tenant: %s\nbusiness_id: %s\ngoal: g\nrequester: ann.wu\ncontext: [{root: notes}]\n"+
			"tools: [{tool: open_order, target: shop}]\nplanner: given\n", s.name, id))
		s.starter("start", "--task", "task.yaml", "-t", s.name)
		failed := s.await(s.name+"/"+id, workflows.Failed)
		require.Contains(t, failed.Reason, tt.want)
	}
	requests, _ := shop.counts()
	require.Zero(t, requests)
}

// No single payload is too large, and so no check of one would help: together
// the forty are over what one message to the server may hold.
func TestC041_FortyActionsOf120kB(t *testing.T) {
	t.Parallel()
	const actions, bodyBytes = 40, 120_000
	s, shop := newSite(t, nil), newShop(t, 0)
	s.configureTools(actions, shop.declaration(actions), s.reports())
	s.hands(orders(actions, strings.Repeat("all of it, ", bodyBytes/11))...)
	s.worker()
	run, gate := s.startGiven("orders-2025-w40")
	require.Len(t, gate.Actions, actions)
	s.approve(run, "bo.lin")
	s.await(run, workflows.Completed)

	shop.requireOneEach(t, s.plan(run))
	_, made := shop.counts()
	require.Equal(t, actions, made)
	for _, event := range s.history(run) {
		require.Less(t, proto.Size(event), maxEventBytes, "event %d, %s", event.GetEventId(), event.GetEventType())
		require.LessOrEqual(t, event.GetWorkflowTaskScheduledEventAttributes().GetAttempt(), int32(2), "event %d", event.GetEventId())
	}
}

// Two hundred independent actions run side by side under the tool's limit, and
// a worker that is killed in their middle loses and doubles none.
func TestTwoHundredActionsUnderTheToolsLimit(t *testing.T) {
	t.Parallel()
	const actions, limit = 200, 8
	s, shop := newSite(t, nil), newShop(t, 50*time.Millisecond)
	s.configureTools(actions, shop.declaration(limit), s.reports())
	s.hands(orders(actions, "")...)
	victim := s.worker()
	run, _ := s.startGiven("orders-2025-w40")
	s.approve(run, "bo.lin")
	s.eventually("the first orders are made", func() bool { _, made := shop.counts(); return made >= actions/4 })
	victim.kill()
	_, made := shop.counts()
	require.Less(t, made, actions, "it was killed in the middle")
	s.worker()
	s.await(run, workflows.Completed)

	shop.requireOneEach(t, s.plan(run))
	_, made = shop.counts()
	require.Equal(t, actions, made)
	require.LessOrEqual(t, shop.mostAtOnce(), limit)
	require.Greater(t, shop.mostAtOnce(), 1, "side by side")
}
