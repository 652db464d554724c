package e2e

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// A worker was suspended when it had been handed an approved action and had not
// begun. When it wakes up the approval has expired, and the run has ended as
// EXPIRED with nothing done: it must not begin now.
func TestZombieWorkerBeginsNothingAfterTheApprovalHasExpired(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.write("policy.yaml", "label: test\napprovers: [bo.lin]\ndecide_within: 1h\ngrant_life: 5s\n")
	zombie := s.worker("--stop-at", "execute_action.before")
	run, _ := s.startToGate("weekly-2025-w40")
	s.approve(run, "bo.lin")
	s.stopped(zombie)
	s.untilExpired(run)
	s.worker()
	ended := s.await(run, workflows.Expired)
	require.Zero(t, ended.Counts.Done)
	s.noEffects()

	zombie.goOn()
	s.eventually("the zombie has ended its attempt", func() bool { return attemptEnded(zombie) })
	s.noEffects()
	require.Equal(t, ended, s.status(run))
}

// A worker was suspended while it waited for the ledger to give it the claim. The
// run was canceled meanwhile, and ended with the word that nothing had been done:
// the worker gets its claim when it wakes up, and must not begin.
func TestZombieOfACanceledRunWritesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	server := s.shop("once", "")
	workers := []*proc{s.worker(), s.worker()}
	run := s.requested()
	s.await(run, workflows.WaitingApproval)
	unlock := s.lockLedger()
	s.approve(run, "bo.lin")
	zombie := s.attempting(run, workers)
	zombie.signal(syscall.SIGSTOP)
	s.starter("cancel", run)
	ended := s.await(run, workflows.Canceled)
	require.Equal(t, ended.Counts.Total, ended.Counts.Skipped)
	require.Zero(t, ended.Counts.InDoubt)

	unlock()
	zombie.goOn()
	s.eventually("the zombie has ended its attempt", func() bool { return attemptEnded(zombie) })
	require.Contains(t, zombie.said(), "attempt_lost")
	require.Zero(t, server.All())
}

// attempting waits until one of the workers is at its first attempt at an action
// and has been for long enough to wait for the ledger.
func (s *site) attempting(run string, workers []*proc) (worker *proc) {
	s.t.Helper()
	s.eventually("an attempt waits for the ledger", func() bool {
		described, err := s.reader.Client.DescribeWorkflow(s.t.Context(), run, "")
		require.NoError(s.t, err)
		for _, p := range described.RawResponse.GetPendingActivities() {
			if p.GetActivityType().GetName() != string(workflows.ExecuteAction) || p.GetAttempt() != 1 ||
				time.Since(p.GetLastStartedTime().AsTime()) < 700*time.Millisecond {
				continue
			}
			for _, w := range workers {
				if strings.HasPrefix(p.GetLastWorkerIdentity(), strconv.Itoa(w.cmd.Process.Pid)+"@") {
					worker = w
				}
			}
		}
		return worker != nil
	})
	return worker
}

// untilExpired waits for the end of the run's approval, by this machine's clock,
// which is the server's too.
func (s *site) untilExpired(run string) {
	s.t.Helper()
	var until time.Time
	s.eventually("the plan is approved", func() bool {
		seen := s.look(run)
		if seen == nil || seen.Status.Approval == nil {
			return false
		}
		until = seen.Status.Approval.ExpiresAt
		return true
	})
	s.eventually("the approval expires", func() bool { return time.Now().After(until) })
}

// attemptEnded reports whether a worker's log says that an action's attempt has
// ended, in whatever way.
func attemptEnded(p *proc) bool {
	for line := range strings.SplitSeq(p.said(), "\n") {
		if strings.Contains(line, `"step_name": "execute_action"`) && strings.Contains(line, "attempt ") {
			return true
		}
	}
	return false
}
