package e2e

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// unhandled is how the SDK warns of signals that a workflow closed over.
const unhandled = "unhandled signal"

func TestC007_TwoEqualApprovalsWhileTheFirstIsCarriedOut(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	w := s.worker("--stop-at", "execute_action.before")
	run, gate := s.startToGate("weekly-2025-w40")
	s.approve(run, "bo.lin")
	s.stopped(w)
	s.approve(run, "bo.lin")
	w.goOn()

	done := s.await(run, workflows.Completed)
	s.oneEffectEach(done)
	requireDuplicate(t, done, gate)
	require.NotContains(t, w.said(), unhandled)
}

func TestC007_TwoEqualApprovalsWhileTheWorkerIsDown(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	w := s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	w.stop()
	s.approve(run, "bo.lin")
	s.approve(run, "bo.lin")
	w = s.worker()

	done := s.await(run, workflows.Completed)
	s.oneEffectEach(done)
	requireDuplicate(t, done, gate)
	require.NotContains(t, w.said(), unhandled)
}

// requireDuplicate says that the second of two equal approvals is on record,
// with who sent it and when.
func requireDuplicate(t *testing.T, done, gate workflows.Status) {
	t.Helper()
	verdicts := done.Decisions.Recent
	require.Equal(t, []approvals.Code{approvals.Accepted, approvals.Duplicate}, codes(verdicts))
	require.Equal(t, "bo.lin", verdicts[1].Approver)
	require.Equal(t, gate.PlanHash.String(), verdicts[1].PlanHash)
	require.False(t, verdicts[1].At.IsZero())
}

func codes(verdicts []approvals.Verdict) []approvals.Code {
	var all []approvals.Code
	for _, v := range verdicts {
		all = append(all, v.Code)
	}
	return all
}

// The first valid decision wins, and a replay finds the same.
func TestC008_ApproveAndRejectWaitForTheWorker(t *testing.T) {
	t.Parallel()
	decisions := [][2]string{{"approve", "bo.lin"}, {"reject", "cy.ma"}}
	for _, first := range []string{"approve", "reject"} {
		t.Run(first+" first", func(t *testing.T) {
			t.Parallel()
			order := slices.Clone(decisions)
			if first == "reject" {
				slices.Reverse(order)
			}
			s := newSite(t, weekOfNotes())
			w := s.worker()
			run, gate := s.startToGate("weekly-2025-w40")
			w.stop()
			for _, d := range order {
				s.signal(run, decisionJSON(d[0], gate.PlanHash.String(), d[1]))
			}
			w = s.worker()

			var done workflows.Status
			if first == "approve" {
				done = s.await(run, workflows.Completed)
				s.oneEffectEach(done)
			} else {
				done = s.await(run, workflows.Rejected)
				s.noEffects()
			}
			require.Equal(t, []approvals.Code{approvals.Accepted, approvals.TooLate}, codes(done.Decisions.Recent))
			other := done.Decisions.Recent[1]
			require.Equal(t, order[1][0], string(other.Decision), "the other decision is on record")
			require.Equal(t, order[1][1], other.Approver)
			require.NotContains(t, w.said(), unhandled)
			require.Contains(t, s.must(programs.worker, "replay", s.saveHistory(run)), "ok ")
		})
	}
}

// The person who said "stop" learns that it was too late.
func TestC009_RejectWhileTheLastTaskIsClosing(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	w := s.worker("--stop-at", "summarize.after")
	run, gate := s.startToGate("weekly-2025-w40")
	s.approve(run, "bo.lin")
	s.stopped(w)
	s.signal(run, decisionJSON("reject", gate.PlanHash.String(), "cy.ma"))
	w.goOn()

	done := s.await(run, workflows.Completed)
	s.oneEffectEach(done)
	require.Equal(t, []approvals.Code{approvals.Accepted, approvals.TooLate}, codes(done.Decisions.Recent))
	late := done.Decisions.Recent[1]
	require.Equal(t, approvals.Reject, late.Decision)
	require.Equal(t, "cy.ma", late.Approver)
	require.False(t, late.At.IsZero())
	require.NotContains(t, w.said(), unhandled)
}

// An outage at night does not turn an expired permission into a valid one.
func TestC010_ApprovalAfterTheDeadline(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.policy(shortDeadline)
	w := s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	w.kill()
	s.awaitEvent(run, enums.EVENT_TYPE_TIMER_FIRED)
	s.approve(run, "bo.lin")
	s.approve(run, "cy.ma")
	w = s.worker()

	done := s.await(run, workflows.Expired)
	s.noEffects()
	require.Equal(t, []approvals.Code{approvals.Expired, approvals.Expired}, codes(done.Decisions.Recent), "a second one gets the same answer")
	require.Equal(t, gate.DecideBy, done.DecideBy)
	require.NotContains(t, w.said(), unhandled)
}

// The order in the server's history decides, not when a worker reads it.
func TestC010_ApprovalBeforeTheDeadlineReadAfterIt(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.policy(shortDeadline)
	w := s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	w.kill()
	s.signal(run, decisionJSON("approve", gate.PlanHash.String(), "bo.lin"))
	s.awaitEvent(run, enums.EVENT_TYPE_TIMER_FIRED)
	s.worker()

	done := s.await(run, workflows.Completed)
	s.oneEffectEach(done)
	require.Equal(t, []approvals.Code{approvals.Accepted}, codes(done.Decisions.Recent))
}
