package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// kill -9 in each window of each step: nothing is lost, nothing is made
// twice. Attempts say whether the step had to run again.
func TestKillAtEachStepAndWindow(t *testing.T) {
	t.Parallel()
	windows := []struct {
		point string
		again bool // the step has to run again
	}{
		{"collect_context.before", true}, {"collect_context.before_checkpoint", true}, {"collect_context.after", false},
		{"make_plan.before", true}, {"make_plan.before_checkpoint", true}, {"make_plan.after", false},
		{"request_approval.before", true}, {"request_approval.before_checkpoint", true}, {"request_approval.after", false},
		{"execute_action.before", true}, {"execute_action.before_checkpoint", true}, {"execute_action.after", false},
		{"execute_action.begun", true}, {"execute_action.effect", true}, {"execute_action.recorded", true},
		{"summarize.before", true}, {"summarize.before_checkpoint", true}, {"summarize.after", false},
	}
	for _, w := range windows {
		t.Run(w.point, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, weekOfNotes())
			victim := s.worker("--stop-at", w.point)
			run := s.start("weekly-2025-w40")
			before := stepOf(w.point) == workflows.ExecuteAction || stepOf(w.point) == workflows.Summarize
			if before {
				s.await(run, workflows.WaitingApproval)
				s.approve(run, "bo.lin")
			}
			s.stopped(victim)
			victim.kill()

			s.worker()
			if !before {
				s.await(run, workflows.WaitingApproval)
				s.approve(run, "bo.lin")
			}
			status := s.await(run, workflows.Completed)

			attempts := step(status, stepOf(w.point)).Attempts
			if w.again {
				require.GreaterOrEqual(t, attempts, 2)
			} else {
				require.Equal(t, 1, attempts, "a finished step never runs again")
			}
			s.oneEffectEach(status)
		})
	}
}

// stepOf is the step of a drill point.
func stepOf(point string) workflows.StepName {
	name, _, _ := strings.Cut(point, ".")
	return workflows.StepName(name)
}
