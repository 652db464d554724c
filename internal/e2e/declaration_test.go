package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/workflows"
)

// An operator edits the configuration while a run waits for its approval, and
// leaves the tool's version as it was. The approval is of what people saw: the
// run asks again, and nothing is sent before.
func TestEditedDeclarationComesBackToTheGate(t *testing.T) {
	t.Parallel()
	s, seen, edited := newSite(t, nil), newShop(t, 0), newShop(t, 0)
	s.configureTools(1, seen.declaration(4), s.reports())
	s.hands(orders(1, "as agreed")...)
	worker := s.worker()
	run, gate := s.startGiven("orders-2025-w40")
	worker.stop()

	s.configureTools(1, edited.declaration(4), s.reports())
	s.worker()
	s.approve(run, "bo.lin")
	s.eventually("the run asks again", func() bool {
		now := s.status(run)
		return now.Status == workflows.WaitingApproval && now.PlanHash != gate.PlanHash
	})
	for _, shop := range []*shop{seen, edited} {
		requests, _ := shop.counts()
		require.Zero(t, requests, "nothing is sent to anybody")
	}
	require.Contains(t, s.starter("status", run), "the declaration of tool open_order is not the one that the plan was made for")

	s.approve(run, "bo.lin")
	s.await(run, workflows.Completed)
	edited.requireOneEach(t, s.plan(run))
	requests, _ := seen.counts()
	require.Zero(t, requests)
}

// A worker dies after the effect of an action that nobody deduplicates, and
// comes back with a declaration that says the target does. What was sent under
// one promise is not sent again under another: a person is asked.
func TestDoubtOutlivesAnEditedDeclaration(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	server := s.shop("once", "")
	s.write("notes/actions.json", `{"format": "holdpoint.actions/1", "actions": [{"id": "order", "tool": "shop", "parameters": {"number": "1"}}]}`)
	victim := s.worker("--stop-at", "execute_action.effect")
	run := s.order()
	s.stopped(victim)
	victim.kill()
	require.Equal(t, 1, server.All(), "the effect was made, and nobody has its receipt")

	s.declareKeyed()
	s.worker()
	waiting := s.await(run, workflows.WaitingResolution)
	require.Equal(t, workflows.StepInDoubt, waiting.Actions[0].Status)
	require.Equal(t, 1, server.All(), "it is not sent again")

	s.approver("resolve", run, "order", "happened", "--as", "bo.lin", "--evidence", "order-1 is in the shop")
	s.await(run, workflows.Completed)
	require.Equal(t, 1, server.All())
}

// The same across runs: one is canceled in doubt, the declaration is edited, and
// the task is started again under the same keys. What the first run's call was
// sent without, the second one's promise cannot make up for.
func TestDoubtOfACanceledRunOutlivesAnEditedDeclaration(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	server := s.shop("once", "")
	s.addToTool("    call_timeout: 2s\n")
	s.write("notes/actions.json", `{"format": "holdpoint.actions/1", "actions": [{"id": "order", "tool": "shop", "parameters": {"number": "1"}}]}`)
	server.Script(scripted.Answer{NoEffect: true, Ending: scripted.Reset})
	worker := s.worker()
	run := s.order()
	first := s.await(run, workflows.WaitingResolution)
	s.starter("cancel", run)
	require.Equal(t, 1, s.await(run, workflows.Canceled).Counts.InDoubt)
	worker.stop()

	s.declareKeyed()
	s.worker()
	s.starter("start", "--task", s.path("task.json"), "-t", s.name, "--again")
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	waiting := s.await(run, workflows.WaitingResolution)
	order := waiting.Actions[0]
	require.Equal(t, first.Actions[0].Key, order.Key)
	require.NotEqual(t, first.PlanHash, waiting.PlanHash)
	require.Len(t, server.Writes(), 1, "nothing more is sent to the target")
	require.Contains(t, order.Doubt.Detail, "its call was made under another declaration of the tool")
	require.Contains(t, s.starter("status", run), "its call was made under another declaration of the tool")

	s.approver("resolve", run, "order", "not_happened", "--as", "bo.lin", "--evidence", "the shop has no such order")
	done := s.await(run, workflows.Completed)
	require.Len(t, server.Writes(), 2)
	require.Equal(t, order.Key, strings.Trim(server.Writes()[1].Header.Get("Idempotency-Key"), `"`), "sent as it is declared now")
	require.Equal(t, 1, server.Effects(done.Actions[0].Key))
}

// declareKeyed edits the declaration of the shop's tool, of class once before.
func (s *site) declareKeyed() {
	s.t.Helper()
	raw, err := os.ReadFile(s.path("holdpoint.yaml"))
	require.NoError(s.t, err)
	s.write("holdpoint.yaml", strings.Replace(string(raw), "class: once", "class: keyed\n    key_window: 24h", 1))
}
