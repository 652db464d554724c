package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// Approve A, execute B: never.
func TestC014_PlanChangedAfterTheApproval(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"bank.md": "# Bank\n\n## 2025-09-30\n\n- planned: one transfer of amount 82000\n"})
	w := s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	w.stop()
	s.approve(run, "bo.lin")
	digits := gate.PlanHash.Hex()
	stored := s.path("data", "blobs", s.name, digits[:2], digits)
	raw, err := os.ReadFile(stored)
	require.NoError(t, err)
	require.Contains(t, string(raw), "82000")
	require.NoError(t, os.WriteFile(stored, []byte(strings.ReplaceAll(string(raw), "82000", "820000")), 0o600))
	s.worker()

	status := s.await(run, workflows.Failed)
	require.Contains(t, status.Reason, "plan changed after approval")
	require.Equal(t, 1, step(status, workflows.ExecuteAction).Attempts, "not retried")
	require.Equal(t, 1, scheduled(s.history(run), workflows.MakePlan), "the planner is not asked again")
	s.noEffects()
}

// A colleague's words are not overwritten without approval.
func TestDriftLeadsToANewPlanAndANewApproval(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.personCommits("index.md", "# Our pages\n")
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	const byHand = "# Our pages\n\nDana's list of links\n"
	s.personCommits("index.md", byHand)
	s.approve(run, "bo.lin")

	again := s.awaitNewPlan(run, gate)
	require.Equal(t, 1, again.Revision)
	require.Contains(t, again.Reason, "index")
	require.Nil(t, again.Approval, "the old approval is void")
	require.Equal(t, byHand, s.page("index.md"))
	require.Contains(t, s.approver("show", run), "-Dana's list of links", "the new plan shows what it would replace")
	require.Equal(t, 2, again.Counts.AlreadyDone, "what is done stays done")

	s.signal(run, decisionJSON("approve", gate.PlanHash.String(), "bo.lin"))
	s.awaitVerdicts(run, 2)
	require.Equal(t, byHand, s.page("index.md"), "the old approval does not count for the new plan")
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
	require.NotContains(t, s.page("index.md"), "Dana")
	require.Contains(t, s.git("log", "main", "-p", "--", "index.md"), "Dana's list of links", "and is in the history")
}

// Anyone can compute the hash from what is shown.
func TestCanonicalPlanHasThePlanHash(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	sum := s.must("sh", "-c", "approver show "+run+" --canonical | sha256sum")
	require.Equal(t, gate.PlanHash.String(), "sha256:"+strings.Fields(sum)[0])
}

// A plan that is too large for the history goes by reference, and everything
// works as with a small one.
func TestALargePlanGoesByReference(t *testing.T) {
	t.Parallel()
	const marker = "quicksilver"
	var note strings.Builder
	note.WriteString("# Billing\n\n## 2025-09-30\n\n")
	for i := range 2000 {
		fmt.Fprintf(&note, "- done: invoice %d was sent to the customer, who paid it on the same day\n", i)
	}
	note.WriteString("- done: " + marker + "\n")
	s := newSite(t, map[string]string{"billing.md": note.String()})
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")

	require.Greater(t, gate.Plan.Size, int64(workflows.InlinePlanBytes))
	require.Contains(t, s.fails(1, programs.approver, "show", run, "--data", "elsewhere"), "--data", "the error says what is missing")
	require.Contains(t, s.approver("show", run, "--data", "data"), marker)
	require.Contains(t, s.approver("show", run), marker, "the configuration says where it is")
	sum := s.must("sh", "-c", "approver show "+run+" --canonical --data data | sha256sum")
	require.Equal(t, gate.PlanHash.String(), "sha256:"+strings.Fields(sum)[0])

	s.approver("approve", run, "--as", "bo.lin", "--yes", "--data", "data")
	s.oneEffectEach(s.await(run, workflows.Completed))
	require.Contains(t, s.page("weekly/2025-W40.md"), marker)
	requireSmallEvents(t, s, run)
	for _, event := range s.history(run) {
		require.False(t, holds(s, event, marker), "event %d, %s", event.GetEventId(), event.GetEventType())
	}
}
