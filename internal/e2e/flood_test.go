package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// A broken bot sends two thousand decisions that nobody can read. The waiting
// run continues as new, with its plan and its deadline, and is still the run
// that its requester started and that its approver approves.
func TestFloodedRunContinuesAsNewAndIsApproved(t *testing.T) {
	const flood = 2010
	t.Parallel()
	s := newSiteOn(t, startServer(t), weekOfNotes()) // a server of its own, to slow nobody down
	s.worker()
	run, gate := s.startToGate("flood")
	first := s.execution(run)
	for range flood {
		require.NoError(t, s.reader.Client.SignalWorkflow(t.Context(), run, "", workflows.ApprovalName, "noise"))
	}
	s.eventually("the run continues as new, and everything is judged", func() bool {
		malformed := 0
		for _, c := range s.look(run).Status.Decisions.Counts {
			if c.Code == approvals.Malformed {
				malformed = c.Count
			}
		}
		return s.execution(run) != first && malformed == flood
	})

	waiting := s.status(run)
	require.Equal(t, workflows.WaitingApproval, waiting.Status)
	require.Equal(t, gate.DecideBy, waiting.DecideBy)
	require.Equal(t, gate.PlanHash, waiting.PlanHash)
	s.start("flood") // equal input: attached, by the memo that was carried over

	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
}

// execution is Temporal's id of a run's newest execution.
func (s *site) execution(run string) string {
	s.t.Helper()
	described, err := s.reader.Client.DescribeWorkflow(s.t.Context(), run, "")
	require.NoError(s.t, err)
	return described.WorkflowExecution.RunID
}
