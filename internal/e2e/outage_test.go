package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/converter"

	"github.com/holdpoint/holdpoint/workflows"
)

// A time limit of the server's runs also while no worker is there. None may
// end a step or an action that merely waits for a worker: a step has none
// beyond that of one attempt, an action has until its approval expires.
func TestOutageOfAllWorkersFailsNoRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, _ := s.startToGate("outage")
	s.approve(run, "bo.lin")
	s.await(run, workflows.Completed)

	seen := 0
	for _, event := range s.history(run) {
		if event.GetEventType() != enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED {
			continue
		}
		seen++
		a := event.GetActivityTaskScheduledEventAttributes()
		limit := a.GetScheduleToCloseTimeout().AsDuration()
		if a.GetActivityType().GetName() == string(workflows.ExecuteAction) {
			require.GreaterOrEqual(t, limit.Minutes(), grantLife.Minutes()-1, "all of the approval's life")
			var in workflows.ExecuteActionInput
			require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(a.GetInput(), &in))
			require.Positive(t, in.MaxAttempts, "attempts are bounded, by the activity")
			require.Zero(t, a.GetRetryPolicy().GetMaximumAttempts(), "which does not count those without a ledger")
			continue
		}
		require.Zero(t, limit, a.GetActivityType().GetName())
		require.Positive(t, a.GetRetryPolicy().GetMaximumAttempts(), "attempts are bounded")
	}
	require.Equal(t, 4+pagesOfAWeek, seen)
}
