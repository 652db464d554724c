package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// Business ids come from elsewhere. Each of these is a run that starts, is found
// again, and has its effect; all six hand in one plan, so that nothing but the
// business id tells their keys apart.
func TestC024_BusinessIDsThatHeadersCannotCarry(t *testing.T) {
	t.Parallel()
	s, shop := newSite(t, nil), newShop(t, 0)
	s.configureTools(2, shop.declaration(2))
	s.hands(orders(1, "")...)
	s.write("task.yaml", fmt.Sprintf("tenant: %s\ngoal: open the order\nrequester: ann.wu\ncontext: [{root: notes}]\n"+
		"tools: [{tool: open_order, target: shop}]\nplanner: given\n", s.name))
	s.worker()
	long := strings.Repeat("k", 300)
	ids := []string{long, long[:299] + "l", "周报-第40周", "a\nb", `a"b\c`, "x"}
	var keys []string
	for _, id := range ids {
		run := workflows.Task{Tenant: s.name, BusinessID: id}.RunID()
		require.Contains(t, s.starter("start", "--task", "task.yaml", "--id", id, "-t", s.name), "started "+run+"\n")
		s.await(run, workflows.WaitingApproval)
		require.Contains(t, s.starter("start", "--task", "task.yaml", "--id", id, "-t", s.name), "attached to "+run+",", "the same run")
		require.Contains(t, s.starter("status", run), run)
		planned := s.plan(run)
		require.Equal(t, id, planned.BusinessID)
		s.approve(run, "bo.lin")
		done := s.await(run, workflows.Completed)
		require.Len(t, done.Actions, 1)
		require.Equal(t, planned.Actions[0].IdempotencyKey, done.Actions[0].Key)
		keys = append(keys, done.Actions[0].Key)
	}
	requests, effects := shop.counts()
	require.Equal(t, []int{len(ids), len(ids)}, []int{requests, effects})
	require.ElementsMatch(t, keys, shop.keys(), "six different keys, as the target got them")
	for _, key := range shop.keys() {
		require.Regexp(t, `^[A-Za-z0-9-]{20,64}$`, key)
	}
}
