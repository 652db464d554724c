package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// A power cut of the server while a run waits loses nothing, and a decision
// that was not taken says so.
func TestC086_ServerKilledWhileARunWaits(t *testing.T) {
	t.Parallel()
	s := newSiteOn(t, startServer(t), weekOfNotes())
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	hash := gate.PlanHash.String()
	require.NoError(t, s.server.Kill())

	lost := s.run(programs.temporal, "workflow", "signal", "--workflow-id", run, "--name", "approval",
		"--input", decisionJSON("approve", hash, "bo.lin"))
	require.NotZero(t, lost.code)
	require.NotEmpty(t, lost.err)
	require.Contains(t, s.fails(1, programs.approver, "approve", run, "--as", "bo.lin", "--plan-hash", hash), "no Temporal server at")
	require.NoError(t, s.server.Restart(t.Context()))

	s.eventually("the server answers", func() bool { return s.look(run) != nil })
	waiting := s.await(run, workflows.WaitingApproval)
	require.Equal(t, gate.DecideBy, waiting.DecideBy)
	require.Equal(t, gate.PlanHash, waiting.PlanHash)
	require.Empty(t, waiting.Decisions.Recent, "no approval is treated as given")
	s.noEffects()
	s.signal(run, decisionJSON("approve", hash, "bo.lin"))
	s.oneEffectEach(s.await(run, workflows.Completed))
}

// A worker that was suspended between its claim and the write comes back when
// another one has done the work: it writes nothing and its result is refused.
func TestZombieWorkerWritesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	zombie := s.worker("--stop-at", "execute_action.begun")
	run, _ := s.startToGate("weekly-2025-w40")
	s.approve(run, "bo.lin")
	s.stopped(zombie)
	s.worker()
	done := s.await(run, workflows.Completed)
	s.oneEffectEach(done)
	require.GreaterOrEqual(t, step(done, workflows.ExecuteAction).Attempts, 2)

	zombie.goOn()
	s.eventually("the zombie learns that its claim is lost", func() bool {
		return strings.Contains(zombie.said(), "another attempt took over")
	})
	s.oneEffectEach(s.status(run))
	require.Equal(t, done, s.status(run))
	zombie.stop()
	s.oneEffectEach(done)
}

// A deploy in the middle of an action is not the action's failure.
func TestC038_WorkerIsStoppedInTheMiddleOfAnAction(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.configure("timing: {drain_timeout: 1s}\n")
	s.personCommits("readme.md", "by hand\n")
	first := s.worker()
	run, _ := s.startToGate("weekly-2025-w40")
	// A lock on the branch keeps the action at work for as long as it is there.
	lock := s.path("kb", ".git", "refs", "heads", "main.lock")
	require.NoError(t, os.WriteFile(lock, nil, 0o600))
	s.approve(run, "bo.lin")
	s.awaitAttempt(run)
	first.stop()
	require.Contains(t, first.said(), "attempt was interrupted")
	s.noEffects()

	require.NoError(t, os.Remove(lock))
	s.worker()
	done := s.await(run, workflows.Completed)
	s.oneEffectEach(done)
	require.GreaterOrEqual(t, done.Actions[0].Attempts, 2)
}
