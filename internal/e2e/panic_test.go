package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/worker/program"
	"github.com/holdpoint/holdpoint/workflows"
)

// asWorker lets the test's own program be a worker with the tool below: its
// value is the file to which the tool adds a line at each call.
const asWorker = "HOLDPOINT_E2E_WORKER"

// workerProgram is that worker's main.
func workerProgram(calls string) int {
	return program.Main(os.Args[1:], func(context.Context) (tools.Tool, error) { return newOdd(calls) })
}

// odd is a tool with programming errors: by its parameter it panics, or says
// neither that it failed nor that it did anything, or does its work.
type odd struct {
	calls string
	spec  tools.Spec
}

func newOdd(calls string) (*odd, error) {
	schema, err := plan.Canonicalize([]byte(`{"type":"object","required":["does"],"additionalProperties":false,"properties":{"does":{"type":"string"}}}`))
	if err != nil {
		return nil, err
	}
	return &odd{calls: calls, spec: tools.Spec{
		Name: "odd", Version: "1", Class: plan.Once, Risk: plan.LowRisk, Schema: schema, SchemaDigest: plan.Sum(schema),
		CallTimeout: time.Second, MaxAttempts: 10, Retry: faults.DefaultRetry(),
	}}, nil
}

func (o *odd) Spec() tools.Spec { return o.spec }

func (o *odd) Prepare(_ context.Context, p tools.Proposal) (tools.Prepared, error) {
	does, err := o.does(p.Parameters)
	return tools.Prepared{Target: "odd/" + does, Parameters: p.Parameters, Preview: does}, err
}

func (o *odd) does(parameters json.RawMessage) (string, error) {
	var in struct {
		Does string `json:"does"`
	}
	err := json.Unmarshal(parameters, &in)
	return in.Does, err
}

// panicText is what must not leave the worker's machine.
const panicText = "token=hunter2-SECRET"

func (o *odd) Apply(_ context.Context, c tools.Call) (plan.Receipt, error) {
	does, err := o.does(c.Action.Parameters)
	if err != nil {
		return plan.Receipt{}, err
	}
	log, err := os.OpenFile(o.calls, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return plan.Receipt{}, err
	}
	_, err = fmt.Fprintln(log, does)
	if err = errors.Join(err, log.Close()); err != nil {
		return plan.Receipt{}, err
	}
	switch does {
	case "panic":
		panic(panicText)
	case "nothing":
		return plan.Receipt{Detail: `{"status":"failed"}`}, nil
	default:
		return plan.Receipt{
			IdempotencyKey: c.Action.IdempotencyKey, Tool: "odd", Target: c.Action.Target, Ref: does, At: time.Now().UTC(),
		}, nil
	}
}

// Count implements tools.Tool: nobody can tell.
func (o *odd) Count(context.Context, tools.Call) (int, error) { return -1, nil }

// A worker whose tool panics goes on with its other runs, in the same process;
// the action is tried once, and is neither done nor said to be undone. A tool
// that reports nothing is no success either.
func TestC037_WorkerProcessOutlivesAToolThatPanics(t *testing.T) {
	t.Parallel()
	for _, does := range []string{"panic", "nothing"} {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil)
			self, err := os.Executable()
			require.NoError(t, err)
			s.env = append(s.env, asWorker+"="+s.path("calls"))
			s.write("holdpoint.yaml", "task_queue: "+s.name+"\nsources: {notes: notes}\npolicy: policy.yaml\ndata: data\n")
			w := s.workerOf(self)

			run := s.startOdd(does)
			waiting := s.await(run, workflows.WaitingResolution)
			require.Equal(t, workflows.StepInDoubt, waiting.Actions[0].Status, "nobody knows how far it had come")
			require.Equal(t, 1, waiting.Actions[0].Attempts)
			if does == "panic" {
				require.Contains(t, waiting.Actions[0].Error, "panic in execute_action")
				require.Contains(t, w.said(), panicText, "the worker's own log has all of it")
			}

			other := s.await(s.startOdd("fine"), workflows.Completed)
			require.Equal(t, "fine", other.Actions[0].Ref)
			require.False(t, w.over(), "the same process does it")

			s.approver("resolve", run, "odd", "abort", "--as", "bo.lin", "--evidence", "it is broken")
			failed := s.await(run, workflows.Failed)
			require.Contains(t, failed.Reason, string(workflows.ExecuteAction))
			calls, err := os.ReadFile(s.path("calls"))
			require.NoError(t, err)
			require.Equal(t, []string{does, "fine"}, strings.Fields(string(calls)), "each was called once")
			for _, event := range s.history(run) {
				require.NotContains(t, event.String(), "hunter2", "event %d", event.GetEventId())
				require.NotContains(t, event.String(), "panic_test.go", "event %d", event.GetEventId())
			}
			w.stop()
		})
	}
}

// startOdd starts and approves a run with one action of the odd tool.
func (s *site) startOdd(does string) (run string) {
	s.t.Helper()
	s.hands(given{ID: "odd", Tool: "odd", Parameters: map[string]any{"does": does}})
	s.write("task.yaml", fmt.Sprintf("tenant: %s\nbusiness_id: %s\ngoal: try it\nrequester: ann.wu\ncontext: [{root: notes}]\n"+
		"tools: [{tool: odd, target: odd}]\nplanner: given\n", s.name, does))
	s.starter("start", "--task", "task.yaml", "-t", s.name)
	run = s.name + "/" + does
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	return run
}
