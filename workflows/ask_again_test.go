package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// The time to decide is over, and the gate is about to open anew: a decision
// that arrives in between is on neither request. It is told so, and leaves no
// grant behind.
func TestDecisionBetweenTwoRequestsOpensNothing(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.decideWithin = 8 * time.Second
	w.terms = func(terms *approvals.Terms) {
		terms.AskAgain = 1
		if w.requests == 2 {
			w.send("approve", w.hash(0), "bo.lin")
		}
	}
	var between workflows.Status
	w.at(10*time.Second, func() { between = w.status() })
	status := w.run()
	require.Equal(t, []string{"no_plan_yet"}, codes(status))
	require.Nil(t, between.Approval)
	require.Equal(t, workflows.Expired, status.Status)
	require.Empty(t, w.executed)
}
