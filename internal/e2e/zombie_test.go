package e2e

import (
	"strings"
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
