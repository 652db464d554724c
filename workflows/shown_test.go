package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/workflows"
)

// The search attribute is what lists go by: a run that has ended must not be
// listed as one that waits.
func TestEveryEndIsShownInTheSearchAttribute(t *testing.T) {
	for end, reach := range map[workflows.RunStatus]func(w *world){
		workflows.Completed: func(w *world) { w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") }) },
		workflows.Rejected:  func(w *world) { w.at(time.Minute, func() { w.send("reject", w.hash(0), "bo.lin") }) },
		workflows.Expired:   func(*world) {}, // nobody decides
		workflows.Canceled:  func(w *world) { w.at(time.Minute, w.env.CancelWorkflow) },
		workflows.Failed:    func(w *world) { w.collect = temporal.NewNonRetryableApplicationError("no", "permanent", nil) },
	} {
		t.Run(string(end), func(t *testing.T) {
			w := newWorld(t, actionsNamed("a")...)
			var shown []string
			w.env.OnUpsertTypedSearchAttributes(mock.Anything).Run(func(args mock.Arguments) {
				status := temporal.NewSearchAttributeKeyKeyword(workflows.StatusAttribute)
				if value, ok := args.Get(0).(temporal.SearchAttributes).GetKeyword(status); ok {
					shown = append(shown, value)
				}
			}).Return(nil)
			reach(w)
			require.Equal(t, end, w.run().Status)
			require.Equal(t, string(end), shown[len(shown)-1])
			require.Equal(t, string(workflows.Running), shown[0])
		})
	}
}

// An approval that runs out while actions are left ends the run too.
func TestExpiryDuringExecutionIsShown(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.act = func(workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		return workflows.ExecuteActionResult{Attempt: 1, Outcome: workflows.OutcomeExpired, Detail: "the approval has expired"}, nil
	}
	var last string
	w.env.OnUpsertTypedSearchAttributes(mock.Anything).Run(func(args mock.Arguments) {
		status := temporal.NewSearchAttributeKeyKeyword(workflows.StatusAttribute)
		if value, ok := args.Get(0).(temporal.SearchAttributes).GetKeyword(status); ok {
			last = value
		}
	}).Return(nil)
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	require.Equal(t, workflows.Expired, w.run().Status)
	require.Equal(t, string(workflows.Expired), last)
}
