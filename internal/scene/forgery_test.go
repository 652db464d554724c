package scene_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/scene"
	"github.com/holdpoint/holdpoint/workflows"
)

// An operator terminates an approved run before anything is paid. Somebody who
// may start workflows starts it again, with the state that it had, signatures
// and all, and lets the server start that once more: each execution but the first
// continues another one, by the server's word. None takes the state over.
func TestForgedStateOfAChainIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		chain  scene.Chain
		asleep bool // the worker, while the first execution runs out of time
	}{
		"cron":  {chain: scene.ByCron},
		"retry": {chain: scene.ByRetry, asleep: true},
	} {
		t.Run(name, func(t *testing.T) {
			stage := open(t, signed)
			run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
			run.Waits()
			stage.Bank.Refuses(1 << 30)
			stage.Person("bo.lin").Signs(run).Is(approvals.Accepted)
			stage.Eventually("the bank was asked", func() bool { return stage.Bank.Requests() > 0 })
			seen, err := run.Look()
			require.NoError(t, err)
			forged := seen.State.Carried()
			require.NotNil(t, forged.Grant)
			forged.Grant.Execution = "" // as in runs from before it was recorded
			forged.Actions[0] = workflows.Action{Status: workflows.StepPending}
			stage.WorkerStops()
			run.IsTerminated()
			stage.Bank.Refuses(0)

			if !tc.asleep {
				stage.WorkerStarts()
			}
			first := run.Execution()
			run.IsForged(forged, tc.chain)
			second := run.ExecutionAfter(run.ExecutionAfter(first))
			if tc.asleep {
				stage.WorkerStarts()
			}
			require.Contains(t, run.Failure(second), "bad task: a run that is started again by a cron schedule or a retry policy takes over no state")
			stage.Effects(0)
			if !tc.asleep {
				run.IsTerminated() // the schedule has no end
			}
		})
	}
}
