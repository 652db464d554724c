package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

func TestApproverSaysTheVerdict(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	hash := gate.PlanHash.String()

	require.Contains(t, s.fails(1, programs.approver, "approve", run, "--as", "ann.wu", "--plan-hash", hash), "self_approval")
	require.Contains(t, s.fails(1, programs.approver, "reject", run, "--as", "dan.x", "--yes"), "not_an_approver")
	require.Contains(t, s.fails(1, programs.approver, "revise", run, "--as", "dan.x", "--yes", "--feedback", "no"), "not_an_approver")
	refused := s.run(programs.approver, "approve", run, "--as", "ann.wu", "--plan-hash", hash, "-o", "json")
	require.Equal(t, 1, refused.code, "a script learns of a refusal too")
	require.Equal(t, approvals.SelfApproval, verdictIn(t, refused.out).Code)
	require.Len(t, s.status(run).Decisions.Recent, 4, "every well-formed decision is on record")
	s.noEffects()

	accepted := s.approver("approve", run, "--as", "bo.lin", "--plan-hash", hash, "--comment", "checked the diff")
	require.Contains(t, accepted, "accepted: approve of "+run+" by bo.lin")
	done := s.await(run, workflows.Completed)
	s.oneEffectEach(done)
	require.Equal(t, "checked the diff", done.Approval.Approvals[0].Comment)
	require.Contains(t, s.fails(1, programs.approver, "reject", run, "--as", "cy.ma", "--plan-hash", hash), "completed")
}

func verdictIn(t *testing.T, printed string) approvals.Verdict {
	t.Helper()
	var v approvals.Verdict
	require.NoError(t, json.Unmarshal([]byte(printed), &v), printed)
	return v
}

func TestApproverRejectEndsTheRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, _ := s.startToGate("weekly-2025-w40")
	require.Contains(t, s.approver("reject", run, "--as", "cy.ma", "--yes", "--comment", "wrong week"), "accepted: reject")

	done := s.await(run, workflows.Rejected)
	require.Contains(t, done.Reason, "cy.ma")
	require.Contains(t, done.Reason, "wrong week")
	s.noEffects()
}

// Only a clear yes, to the plan that was shown, or its hash is an approval.
func TestApproverAsksAboutThePlanItShows(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")

	unanswered := s.run(programs.approver, "approve", run, "--as", "bo.lin")
	require.Equal(t, 1, unanswered.code)
	require.Contains(t, unanswered.out, "invoices carry the tax id", "the plan is shown as a diff")
	require.Contains(t, unanswered.out, gate.PlanHash.String())
	require.Contains(t, unanswered.err, "nothing was sent")
	other := "sha256:" + "ab" + gate.PlanHash.Hex()[2:]
	require.Contains(t, s.fails(1, programs.approver, "approve", run, "--as", "bo.lin", "--plan-hash", other), "look at it again")
	require.Contains(t, s.fails(2, programs.approver, "revise", run, "--as", "bo.lin", "--yes"), "--feedback")
	require.Empty(t, s.status(run).Decisions.Recent)
	s.noEffects()
}

// A malformed update is refused and leaves no trace; a valid one by the plain
// temporal CLI is answered with its verdict.
func TestUpdateByTheTemporalCLI(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	update := func(payload string) output {
		return s.run(programs.temporal, "workflow", "update", "execute", "--workflow-id", run, "--name", "approval",
			"--input", payload, "-o", "json")
	}
	for _, payload := range []string{`"approve"`, `{}`, `{"decision":"yes","plan_hash":"` + gate.PlanHash.String() + `","approver":"bo.lin"}`} {
		refused := update(payload)
		require.NotZero(t, refused.code)
		require.Contains(t, refused.err, "malformed")
	}
	for _, event := range s.history(run) {
		require.NotEqual(t, enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED, event.GetEventType())
	}
	require.Empty(t, s.status(run).Decisions.Recent)

	accepted := update(decisionJSON("approve", gate.PlanHash.String(), "bo.lin"))
	require.Zero(t, accepted.code, accepted.err)
	require.Contains(t, accepted.out, `"accepted"`)
	s.oneEffectEach(s.await(run, workflows.Completed))
}

// The approver's decision is kept when nobody is there to judge it.
func TestApproveAfterTheWorkerWasKilled(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	w := s.worker()
	run, _ := s.startToGate("weekly-2025-w40")
	w.kill()
	require.Contains(t, s.approver("approve", run, "--as", "bo.lin", "--yes"), "no verdict yet")

	s.worker()
	s.oneEffectEach(s.await(run, workflows.Completed))
}

// Plain queries answer what `starter status` says.
func TestQueries(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	query := func(name string) string {
		return s.temporal("workflow", "query", "--workflow-id", run, "--name", name)
	}
	require.Contains(t, query("status"), gate.PlanHash.String())
	require.Contains(t, query("status"), "WAITING_APPROVAL")
	require.Contains(t, query("plan"), "invoices carry the tax id")
	s.signal(run, "42")
	s.awaitVerdicts(run, 1)
	require.Contains(t, query("verdicts"), "malformed")
}
