package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// An action that is turned away and tried again is in nobody's hands between its
// attempts: the run ends soon after it is canceled, and not when the attempts or the
// approval do.
func TestCancelEndsAnActionThatIsTriedAgain(t *testing.T) {
	t.Parallel()
	s, shop := newSite(t, nil), newShop(t, 0)
	var requests atomic.Int64
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	t.Cleanup(door.Close)
	s.configureTools(1, strings.ReplaceAll(shop.declaration(1), hostOf(shop.Server), hostOf(door))+"    retry: {attempts: 1000, max: 1s, budget: 24h}\n")
	s.hands(orders(2, "as agreed")...)
	s.write("task.yaml", "tenant: "+s.name+`
business_id: busy
goal: open the orders
requester: ann.wu
context: [{root: notes}]
tools: [{tool: open_order, target: shop}]
planner: given
`)
	s.worker()
	s.starter("start", "--task", "task.yaml", "-t", s.name)
	run := s.name + "/busy"
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	s.eventually("the action is tried again", func() bool { return requests.Load() > 1 })
	s.starter("cancel", run)
	status := s.await(run, workflows.Canceled)
	require.Equal(t, 2, status.Counts.Skipped)
	require.Zero(t, status.Counts.InDoubt)
	require.Contains(t, status.Actions[0].Error, "the run is to be canceled")
	require.Less(t, requests.Load(), int64(1000))
	_, made := shop.counts()
	require.Zero(t, made)
}
