package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// A run that an operator terminated waits for nobody, and what was in flight
// is looked for by the next attempt.
func TestListsTerminatedRunsAsFailed(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	w := s.worker("--stop-at", "execute_action.effect")
	run, _ := s.startToGate("under-way")
	waiting, _ := s.startToGate("waiting")
	canceled, _ := s.startToGate("canceled")
	s.starter("cancel", canceled)
	s.await(canceled, workflows.Canceled)
	s.approve(run, "bo.lin")
	s.stopped(w)
	for _, id := range []string{run, waiting} {
		s.temporal("workflow", "terminate", "--workflow-id", id, "--reason", "cleaning up")
	}
	list := func(status string) string { return s.starter("list", "--tenant", s.name, "--status", status) }
	s.eventually("the visibility store has caught up", func() bool {
		all := list("FAILED")
		return listed(all, waiting, "FAILED") && listed(all, run, "FAILED")
	})
	require.NotContains(t, list("WAITING_APPROVAL"), waiting)
	require.True(t, listed(list("CANCELED"), canceled, "CANCELED"))
	require.NotContains(t, s.approver("list"), waiting)

	dead := s.status(run)
	require.Equal(t, 1, dead.Counts.InDoubt)
	require.True(t, dead.Actions[0].Recoverable, "Git is asked for the mark")
	w.kill()

	s.worker()
	require.Contains(t, s.fails(1, programs.starter, s.startArgs("under-way", "--goal", "another", "--again")...), "other input")
	s.start("under-way", "--again")
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
}
