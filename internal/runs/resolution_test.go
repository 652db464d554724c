package runs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// While an action waits to be sent again, a run says so from outside too, and
// nothing of it looks as if it had failed.
func TestARunThatWaitsToSendAgainFolds(t *testing.T) {
	events := recorded(t)["waiting-to-send-again"]
	status := folded(t, events).view()
	require.Equal(t, workflows.WaitingResolution, status.Status)
	require.Regexp(t, `^action order is sent again after 20\d\d-\S+Z unless somebody says that it happened, or aborts$`, status.Reason)
	require.Equal(t, workflows.StepInDoubt, status.Actions[0].Status)
	require.True(t, status.Actions[0].Resolvable())
	require.True(t, status.Actions[0].Resolution.Applied)
	require.Equal(t, "bo.lin", status.Resolver)
	for n := range events {
		step := stepRow(t, folded(t, events[:n+1]).view(), workflows.ExecuteAction)
		require.NotEqual(t, workflows.StepFailed, step.Status, "after event %d", n+1)
	}
}

// An answer to a word that was taken back changes nothing.
func TestAWordThatWasTakenBackFolds(t *testing.T) {
	events := recorded(t)["not-happened-taken-back"]
	for n := range events {
		status := folded(t, events[:n+1]).view()
		for _, a := range status.Actions {
			if a.ID == "order" && a.Resolution != nil {
				require.NotEqual(t, workflows.StepPending, a.Status, "after event %d", n+1)
			}
		}
	}
	end := folded(t, events).view()
	require.Equal(t, approvals.Happened, end.Actions[0].Resolution.Outcome)
	require.Equal(t, 3, stepRow(t, end, workflows.ExecuteAction).Runs, "each action was begun once")
}
