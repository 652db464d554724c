package workflows_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// crowded is a run of sixty actions of which each waits for a word of its own, and
// of one channel, which is away.
func crowded(t *testing.T) *world {
	t.Helper()
	var ids []string
	for i := range 60 {
		ids = append(ids, fmt.Sprintf("a%02d", i))
	}
	w := newWorld(t, actionsNamed(ids...)...)
	w.channels = []string{"ops"}
	w.terms = func(terms *approvals.Terms) { terms.Confirm = ids }
	w.notify = func(workflows.Notice) error {
		return temporal.NewApplicationErrorWithOptions("http_500: away", workflows.ClassTransient,
			temporal.ApplicationErrorOptions{NextRetryDelay: time.Minute})
	}
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	return w
}

// What had no place before a run continues as new is told then.
func TestNoticesThatWaitForAPlaceAreCarriedOver(t *testing.T) {
	carriedTask, carried := crowded(t).flooded(5 * time.Minute)
	rows := map[workflows.StepStatus]int{}
	for _, n := range carried.Notices {
		rows[n.Status]++
	}
	require.Equal(t, map[workflows.StepStatus]int{workflows.StepRunning: 50, workflows.StepPending: 11}, rows, "of the request, and sixty confirmations")

	next := crowded(t)
	next.notify = nil
	next.at(2*time.Minute, func() { next.env.CancelWorkflow() })
	next.continues(carriedTask, carried)
	times := map[string]int{}
	for _, n := range next.notices {
		times[n.Key]++
	}
	require.Len(t, times, 61)
	require.Len(t, next.notices, 61, "each once")
}

// A run that ends says of what it could tell nobody.
func TestNoticesThatGotNoPlaceAreShown(t *testing.T) {
	w := crowded(t)
	w.at(5*time.Minute, func() { w.env.CancelWorkflow() })
	status := w.run()
	require.Equal(t, workflows.Canceled, status.Status)
	require.Len(t, status.Notices, 10)
	for i, n := range status.Notices {
		require.Equal(t, []string{fmt.Sprintf("a%02d", 50+i)}, n.Waiting)
		require.Equal(t, workflows.StepFailed, n.Status)
		require.Equal(t, "not delivered when the run ended", n.Error)
	}
	told := map[string]bool{}
	for _, n := range w.notices {
		told[n.Key] = true
	}
	require.Len(t, told, 50, "a row stands for each of the others, and no notice")
}
