package workflows_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// Sixty actions are in doubt, more than rows of notices are kept: of each people
// are told once, also while others are resolved.
func TestPeopleAreToldOnceOfEachOfManyDoubts(t *testing.T) {
	var ids []string
	for i := range 60 {
		ids = append(ids, fmt.Sprintf("a%02d", i))
	}
	w := newWorld(t, actionsNamed(ids...)...)
	w.channels = []string{"ops"}
	w.act = func(workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		return workflows.ExecuteActionResult{}, unknown()
	}
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	for i, id := range ids {
		w.at(time.Hour/2+time.Duration(i)*time.Second, func() { w.resolve(id, "happened", "cy.ma") })
	}
	require.Equal(t, workflows.Completed, w.run().Status)
	times := map[string]int{}
	for _, n := range w.notices {
		if n.Event == workflows.ResolutionNeeded {
			times[n.Waiting[0]]++
		}
	}
	require.Len(t, times, 60)
	for id, n := range times {
		require.Equal(t, 1, n, id)
	}
}

// A channel that fails holds no more than fifty notices on their way, however many
// there are to tell.
func TestNoticesOnTheirWayAreBounded(t *testing.T) {
	var ids []string
	for i := range 70 {
		ids = append(ids, fmt.Sprintf("a%03d", i))
	}
	w := newWorld(t, actionsNamed(ids...)...)
	w.channels = []string{"ops"}
	w.act = func(workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		return workflows.ExecuteActionResult{}, unknown()
	}
	w.notify = func(workflows.Notice) error {
		return temporal.NewApplicationErrorWithOptions("http_500: away", workflows.ClassTransient,
			temporal.ApplicationErrorOptions{NextRetryDelay: time.Minute})
	}
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	var tried []string
	w.at(5*time.Minute, func() { tried = w.toldOf() })
	w.at(2*time.Hour, func() { w.env.CancelWorkflow() })
	require.Equal(t, workflows.Canceled, w.run().Status)
	require.Len(t, tried, 49, "beside the one of the request, while all of them are tried again")
	require.Len(t, w.toldOf(), 70, "when a place is free, of the next")
}

// toldOf are the actions in doubt of which a notice was tried, each once.
func (w *world) toldOf() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := map[string]bool{}
	var ids []string
	for _, n := range w.notices {
		if n.Event == workflows.ResolutionNeeded && !seen[n.Waiting[0]] {
			seen[n.Waiting[0]] = true
			ids = append(ids, n.Waiting[0])
		}
	}
	return ids
}

// The approval's life ends while an action waits for a word of its own: people
// hear of it, as they do when nobody decided at all.
func TestEndOfAnApprovalIsTold(t *testing.T) {
	w := newWorld(t, actionsNamed("pay")...)
	w.channels = []string{"ops"}
	w.terms = func(t *approvals.Terms) { t.Confirm = []string{"pay"} }
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	status := w.run()
	require.Equal(t, workflows.Expired, status.Status)
	require.Equal(t, []string{"approval.requested to ops", "confirmation.requested to ops", "approval.expired to ops"}, w.told())
	require.Equal(t, status.Approval.ExpiresAt, *w.notices[2].Until)
	require.Equal(t, []string{"bo.lin", "cy.ma"}, w.notices[2].People)
}

// Whoever has approved is not reminded.
func TestOnlyThoseWhoCanStillHelpAreReminded(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.channels = []string{"ops"}
	w.terms = func(t *approvals.Terms) {
		t.Quorums[0].Need, t.RemindAfter = 2, []time.Duration{10 * time.Minute}
	}
	w.at(5*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	w.at(20*time.Minute, func() { w.send("approve", w.hash(0), "cy.ma") })
	require.Equal(t, workflows.Completed, w.run().Status)
	require.Equal(t, "approval.requested to ops,approval.reminded to ops", strings.Join(w.told(), ","))
	require.Equal(t, []string{"bo.lin", "cy.ma"}, w.notices[0].People)
	require.Equal(t, []string{"cy.ma"}, w.notices[1].People)
	require.Equal(t, "1 of approvers", w.notices[1].Needs)
}
