package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// Each opening of the gate asks and reminds anew: its notices are others, which
// no receiver drops as the ones that it has had.
func TestRemindersBeginAnewWithEachRequest(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.channels = []string{"ops"}
	w.terms = func(t *approvals.Terms) { t.AskAgain, t.RemindAfter = 1, []time.Duration{20 * time.Minute} }
	status := w.run()
	require.Equal(t, workflows.Expired, status.Status)
	require.Equal(t, []string{
		"approval.requested to ops", "approval.reminded to ops",
		"approval.requested to ops", "approval.reminded to ops", "approval.expired to ops",
	}, w.told())
	begin := w.notices[0].At
	keys := map[string]bool{}
	for i, after := range []time.Duration{0, 20 * time.Minute, time.Hour, time.Hour + 20*time.Minute, 2 * time.Hour} {
		require.Equal(t, begin.Add(after), w.notices[i].At)
		keys[w.notices[i].Key] = true
	}
	require.Len(t, keys, 5)
	require.Equal(t, "request-1", w.notices[1].RequestID)
	require.Equal(t, "request-2", w.notices[3].RequestID)
}

// A flood makes the waiting run continue as new after its first reminder. The
// next execution asks nobody again, and reminds at the times that are left,
// counted from when the gate opened.
func TestRemindersGoOnAfterContinuingAsNew(t *testing.T) {
	reminders := func(t *approvals.Terms) { t.RemindAfter = []time.Duration{10 * time.Minute, 30 * time.Minute} }
	w := newWorld(t, actionsNamed("a")...)
	w.channels, w.terms = []string{"ops"}, reminders
	of, carried := w.flooded(15 * time.Minute)
	require.Equal(t, []string{"approval.requested to ops", "approval.reminded to ops"}, w.told())

	opened := carried.DecideBy.Add(-time.Hour)
	next := newWorld(t, actionsNamed("a")...)
	next.env.SetStartTime(opened.Add(16 * time.Minute))
	next.continues(of, carried)
	require.Equal(t, []string{"approval.reminded to ops", "approval.expired to ops"}, next.told())
	require.Equal(t, opened.Add(30*time.Minute), next.notices[0].At)
	require.NotEqual(t, w.notices[1].Key, next.notices[0].Key)
}
