package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/workflows"
)

// shop is an API without any idempotency: it does what it is told as often as
// it is told. Its tool is of class once.
func (s *site) shop(class, more string) *scripted.Server {
	s.t.Helper()
	server, err := scripted.Start(scripted.Options{KeyHeader: keyHeader(class)})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { server.Close() })
	s.write("notes/actions.json", `{"format": "holdpoint.actions/1", "actions": [
		{"id": "order", "tool": "shop", "parameters": {"number": "1"}},
		{"id": "other", "tool": "shop", "parameters": {"number": "2"}},
		{"id": "after", "tool": "shop", "parameters": {"number": "3"}, "depends_on": ["order"]}]}`)
	s.configure(strings.NewReplacer("CLASS", class, "HOST", server.Address).Replace(`
tools:
  shop:
    version: "1"
    kind: http
    class: CLASS
    risk: low
    schema: {type: object, additionalProperties: false, required: [number], properties: {number: {type: string}}}
    target: "shop/orders"
    item: "{{params.number}}"
    http:
      hosts: ["HOST"]
      url: "http://HOST/orders"
      body: {number: "{{params.number}}", reference: "{{key}}"}
      receipt: {ref: "body.id"}
` + more))
	return server
}

func keyHeader(class string) string {
	if class == "keyed" {
		return "Idempotency-Key"
	}
	return ""
}

// order starts the run whose plan lies among the notes, and approves it.
func (s *site) order() (run string) {
	s.t.Helper()
	run = s.requested()
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	return run
}

// requested starts that run.
func (s *site) requested() (run string) {
	s.t.Helper()
	task, err := json.Marshal(workflows.Task{
		Tenant: s.name, BusinessID: "orders", Goal: "order it", Requester: "ann.wu", Planner: "given",
		Context: []workflows.Source{{Root: "notes"}}, Tools: []workflows.ToolUse{{Tool: "shop", Target: "shop"}},
	})
	require.NoError(s.t, err)
	s.write("task.json", string(task))
	s.starter("start", "--task", s.path("task.json"), "-t", s.name)
	return s.name + "/orders"
}

// sameByQuery requires that what is folded from the history is what the
// workflow itself says.
func (s *site) sameByQuery(run string) {
	s.t.Helper()
	var asked workflows.Status
	answer, err := s.reader.Client.QueryWorkflow(s.t.Context(), run, "", workflows.StatusQuery)
	require.NoError(s.t, err)
	require.NoError(s.t, answer.Get(&asked))
	folded := s.status(run)
	folded.Steps, asked.Steps = nil, nil // their times are the server's in one and the workflow's in the other
	require.Equal(s.t, asked, folded)
}

func TestPersonResolvesWhatNobodyElseKnows(t *testing.T) {
	s := newSite(t, nil)
	server := s.shop("once", "")
	server.Script(scripted.Answer{Ending: scripted.Reset}) // the effect is made, and the answer lost
	s.worker()
	run := s.order()
	waiting := s.await(run, workflows.WaitingResolution)
	s.eventually("the other action is done", func() bool { return s.status(run).Counts.Done == 1 })
	s.sameByQuery(run)
	require.Equal(t, workflows.StepInDoubt, waiting.Actions[0].Status)
	require.Equal(t, 2, server.All(), "order and other; after waits for order")

	said := s.starter("status", run)
	require.Contains(t, said, "in doubt   action order, sent to shop/orders by tool shop at 20")
	require.Contains(t, said, "key "+waiting.Actions[0].Key+", claim 1, attempt 1: ")
	require.Contains(t, said, "approver resolve "+run+" order happened|not_happened|abort --as bo.lin --evidence")
	require.Contains(t, said, `--name resolution --input '{"action_id":"order","plan_hash":"`+waiting.PlanHash.String()+`","claim":"1","outcome":"happened","operator":"bo.lin"`)
	require.LessOrEqual(t, strings.Count(said, "a person must look at"), 1)
	require.Contains(t, s.approver("list"), run+"  resolution")

	require.Contains(t, s.fails(1, programs.approver, "resolve", run, "order", "happened", "--as", "ann.wu", "--evidence", "x"), "self_approval")
	require.Contains(t, s.fails(2, programs.approver, "resolve", run, "order", "happened", "--as", "bo.lin"), "--evidence")
	require.Contains(t, s.fails(1, programs.approver, "resolve", run, "nothing", "happened", "--as", "bo.lin", "--evidence", "x"), `no action "nothing"`)
	require.Contains(t, s.approver("resolve", run, "order", "happened", "--as", "bo.lin", "--evidence", "order-1 is in the shop"), "accepted: happened of action order")

	done := s.await(run, workflows.Completed)
	require.Equal(t, 3, server.All(), "what happened is not sent again")
	require.Equal(t, "by the word of bo.lin", done.Actions[0].Ref)
	require.Equal(t, "order-1 is in the shop", done.Actions[0].Resolution.Evidence)
}

// The plain temporal CLI resolves as well, and a worker that is killed
// meanwhile changes nothing.
func TestNotHappenedByHandWhileTheWorkerIsDown(t *testing.T) {
	s := newSite(t, nil)
	server := s.shop("once", "")
	server.Script(scripted.Answer{NoEffect: true, Ending: scripted.Reset})
	worker := s.worker()
	run := s.order()
	gate := s.await(run, workflows.WaitingResolution)
	s.eventually("the other action is done", func() bool { return s.status(run).Counts.Done == 1 })
	worker.kill()
	s.temporal("workflow", "signal", "--workflow-id", run, "--name", "resolution", "--input",
		`{"action_id":"order","plan_hash":"`+gate.PlanHash.String()+`","outcome":"not_happened","claim":"1","operator":"cy.ma","evidence":"the shop has no such order"}`)
	s.worker()
	done := s.await(run, workflows.Completed)
	require.Equal(t, 3, server.All())
	require.Equal(t, 1, server.Effects(done.Actions[0].Key))
	writes := server.Writes()
	var bodies []string
	for _, w := range writes {
		if strings.Contains(w.Body, `"number":"1"`) {
			bodies = append(bodies, w.Body)
		}
	}
	require.Len(t, bodies, 2)
	require.Equal(t, bodies[0], bodies[1], "sent again under the same key")
	file := s.saveHistory(run)
	require.Contains(t, s.must(programs.worker, "replay", file), "ok")
}

// A call that takes longer than its tool allows is stopped by its own limit,
// logged by the worker, and recovered: the API made the effect at once, and
// replays its answer.
func TestC038_ACallThatTakesTooLongIsStoppedAndRecovered(t *testing.T) {
	s := newSite(t, nil)
	server := s.shop("keyed", "")
	s.addToTool("    key_window: 1h\n    call_timeout: 1s\n")
	server.Script(scripted.Answer{Wait: 20 * time.Second})
	w := s.worker()
	run := s.order()
	done := s.await(run, workflows.Completed)
	require.Equal(t, 3, server.All())
	attempts := 0
	for _, a := range done.Actions {
		require.Equal(t, 1, server.Effects(a.Key))
		attempts = max(attempts, a.Attempts)
	}
	require.Equal(t, 2, attempts)
	said := w.said()
	for _, part := range []string{"attempt failed", run, `"attempt": 1`, `"step_name": "execute_action"`, `"idempotency_key": "`} {
		require.Contains(t, said, part)
	}
}

// addToTool adds lines to the declaration of the shop's tool.
func (s *site) addToTool(lines string) {
	s.t.Helper()
	raw, err := os.ReadFile(s.path("holdpoint.yaml"))
	require.NoError(s.t, err)
	s.write("holdpoint.yaml", strings.Replace(string(raw), "    risk: low\n", "    risk: low\n"+lines, 1))
}
