package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// The worker's process is killed with signal 9 after the target has answered
// and before anything of that is recorded, for every kind and class. Where the
// target or a look at it deduplicates, another worker completes the run without
// a second effect; where nobody does, a person is asked and nothing is sent.
func TestC017_WorkerKilledBetweenTheAnswerAndTheCheckpoint(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		open func(*site) victimTarget
		want workflows.RunStatus
	}{
		{"http keyed", httpKeyed, workflows.Completed},
		{"http lookup", httpLookup, workflows.Completed},
		{"http conditional", httpConditional, workflows.Completed},
		{"http once", httpOnce, workflows.WaitingResolution},
		{"postgres", postgresTransactional, workflows.Completed},
		{"nats", natsKeyed, workflows.Completed},
		{"object", objectConditional, workflows.Completed},
		{"gitpages", gitConditional, workflows.Completed},
		{"smtp", smtpOnce, workflows.WaitingResolution},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil)
			target := tt.open(s)
			s.writeOne(target)
			victim := s.worker("--stop-at", "execute_action.effect")
			run, gate := s.startWrite(target)
			require.Len(t, gate.Actions, 1)
			key := gate.Actions[0].Key
			require.Zero(t, target.effects(key), "nothing before the approval")
			s.approve(run, "bo.lin")
			s.stopped(victim)
			require.Equal(t, 1, target.effects(key), "the effect is made, and the worker knows it alone")
			victim.kill()
			victim.requireKilled()

			s.worker()
			after := s.await(run, tt.want)
			require.Equal(t, 1, target.effects(key))
			require.Equal(t, key, after.Actions[0].Key)
			require.GreaterOrEqual(t, step(after, workflows.ExecuteAction).Attempts, 2)
			if tt.want == workflows.Completed {
				require.NotEmpty(t, after.Actions[0].Ref)
				return
			}
			require.Equal(t, workflows.StepInDoubt, after.Actions[0].Status)
			require.NotNil(t, after.Actions[0].Doubt)

			s.approver("resolve", run, "write", "happened", "--as", "bo.lin", "--evidence", "it is there")
			done := s.await(run, workflows.Completed)
			require.Equal(t, "by the word of bo.lin", done.Actions[0].Ref)
			require.Equal(t, 1, target.effects(key), "what happened is not sent again")
		})
	}
}

// requireKilled wants the process to have died of signal 9, and not to have
// ended by itself.
func (p *proc) requireKilled() {
	p.t.Helper()
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.True(p.t, ok)
	require.True(p.t, status.Signaled(), "it ended by itself, with exit code %d", status.ExitStatus())
	require.Equal(p.t, syscall.SIGKILL, status.Signal())
}

// victimTarget is a system that one action writes to.
type victimTarget struct {
	tool, target string // of the action, and what its task allows
	configured   string // lines of the worker's configuration
	parameters   map[string]any
	effects      func(key string) int // counted at the target
}

// writeOne configures the site for one action at a target, and hands in a plan
// that has it.
func (s *site) writeOne(target victimTarget) {
	s.t.Helper()
	s.write("holdpoint.yaml", fmt.Sprintf("task_queue: %s\nsources: {notes: notes}\npolicy: policy.yaml\ndata: data\n%s",
		s.name, target.configured))
	s.hands(given{ID: "write", Tool: target.tool, Parameters: target.parameters})
}

// startWrite starts the run and waits for its gate.
func (s *site) startWrite(target victimTarget) (run string, gate workflows.Status) {
	s.t.Helper()
	s.write("task.yaml", fmt.Sprintf("tenant: %s\nbusiness_id: w40\ngoal: write it\nrequester: ann.wu\ncontext: [{root: notes}]\n"+
		"tools: [{tool: %s, target: %s}]\nplanner: given\n", s.name, target.tool, target.target))
	s.starter("start", "--task", "task.yaml", "-t", s.name)
	run = s.name + "/w40"
	return run, s.await(run, workflows.WaitingApproval)
}

// writeTool declares the tool "write" of a kind, with the kind's own settings.
func writeTool(kind, class, settings string) string {
	return strings.NewReplacer("KIND", kind, "CLASS", class, "SETTINGS", strings.ReplaceAll(strings.TrimSpace(settings), "\n", "\n      ")).Replace(`tools:
  write:
    version: "1"
    kind: KIND
    class: CLASS
    risk: low
    call_timeout: 2s
    schema: {type: object, additionalProperties: false, required: [name], properties: {name: {type: string}}}
    target: "there/{{params.name}}"
    KIND:
      SETTINGS
`)
}
