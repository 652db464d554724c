package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// An approver's list has what waits, and nothing that has ended meanwhile, in
// whatever way.
func TestEndedRunsAreNotListedAsWaiting(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	waiting, _ := s.startToGate("waiting")
	rejected, gate := s.startToGate("rejected")
	s.signal(rejected, decisionJSON("reject", gate.PlanHash.String(), "cy.ma"))
	s.await(rejected, workflows.Rejected)
	terminated, _ := s.startToGate("terminated")
	s.temporal("workflow", "terminate", "--workflow-id", terminated, "--reason", "test")

	want := map[string]workflows.RunStatus{
		waiting: workflows.WaitingApproval, rejected: workflows.Rejected, terminated: workflows.Failed,
	}
	var got map[string]workflows.RunStatus
	s.eventually("the list has caught up", func() bool {
		got = s.listed(s.starter("list", "--tenant", s.name, "-o", "json"))
		return len(got) == len(want) && got[rejected] == want[rejected] && got[terminated] == want[terminated]
	})
	require.Equal(t, want, got)
	open := s.listed(s.approver("list", "-o", "json"))
	require.Contains(t, open, waiting)
	require.NotContains(t, open, rejected)
	require.NotContains(t, open, terminated)
}

// listed reads a list's JSON: the status of each run.
func (s *site) listed(printed string) map[string]workflows.RunStatus {
	s.t.Helper()
	var all []runs.Listed
	require.NoError(s.t, json.Unmarshal([]byte(printed), &all), printed)
	statuses := map[string]workflows.RunStatus{}
	for _, l := range all {
		statuses[l.ID] = l.Status
	}
	return statuses
}
