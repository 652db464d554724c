package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// A mistyped command must neither be lost nor switch the deadline off.
func TestC001_AStringInsteadOfAnObject(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.policy(shortDeadline)
	s.worker()
	run, _ := s.startToGate("weekly-2025-w40")
	rubbish := []string{`"approve"`, `42`, `["approve"]`}
	for _, payload := range rubbish {
		s.signal(run, payload)
	}

	for _, v := range s.awaitVerdicts(run, len(rubbish)) {
		require.Equal(t, approvals.Malformed, v.Code)
		require.NotEmpty(t, v.Reason)
		require.Empty(t, v.Decision, "what a doubtful text says is not recorded as a decision")
	}
	require.Contains(t, s.starter("status", run), "malformed")
	s.await(run, workflows.Expired)
	s.noEffects()
}

func TestC002_NullNoInputEmptyObject(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"null":         {"--input", "null"},
		"no input":     nil,
		"empty object": {"--input", "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, weekOfNotes())
			s.worker()
			run, _ := s.startToGate("weekly-2025-w40")
			s.signalWith(run, flags...)

			require.Equal(t, approvals.Malformed, s.awaitVerdicts(run, 1)[0].Code)
			require.Equal(t, workflows.WaitingApproval, s.status(run).Status)
			s.noEffects()

			s.approve(run, "bo.lin")
			s.oneEffectEach(s.await(run, workflows.Completed))
		})
	}
}

func TestC004_SameKeyTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	hash := gate.PlanHash.String()
	for _, payload := range []string{
		`{"plan_hash":"` + hash + `","decision":"reject","Decision":"approve","approver":"bo.lin"}`,
		`{"plan_hash":"` + hash + `","decision":"reject","decision":"approve","approver":"bo.lin"}`,
		// Names in other letter case are refused too: a second reader of the
		// history may not take them for the same.
		`{"PLAN_HASH":"` + hash + `","DECISION":"approve","APPROVER":"bo.lin"}`,
	} {
		s.signal(run, payload)
	}

	for _, v := range s.awaitVerdicts(run, 3) {
		require.Equal(t, approvals.Malformed, v.Code)
	}
	require.Equal(t, workflows.WaitingApproval, s.status(run).Status)
	s.noEffects()
}

// People approve from an old chat message.
func TestC005_ApprovalOfAnOlderPlan(t *testing.T) {
	t.Parallel()
	notes := weekOfNotes()
	notes["hiring.md"] = "# Hiring\n\n## 2025-10-01\n\n- planned: interviews\n"
	s := newSite(t, notes)
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	h0 := gate.PlanHash.String()
	revised := s.approver("revise", run, "--as", "cy.ma", "--plan-hash", h0, "--feedback", "exclude: hiring.md")
	require.Contains(t, revised, "accepted: revise")
	again := s.awaitNewPlan(run, gate)
	require.Equal(t, 1, again.Revision)
	require.Contains(t, again.Reason, "cy.ma")
	h1 := again.PlanHash.String()

	s.signal(run, decisionJSON("approve", h0, "bo.lin"))
	stale := s.awaitVerdicts(run, 2)[1]
	require.Equal(t, approvals.StalePlan, stale.Code)
	require.Contains(t, stale.Reason, h1, "the reason names the plan that waits")
	require.Contains(t, s.starter("status", run), stale.Reason)
	require.Equal(t, workflows.WaitingApproval, s.status(run).Status)
	s.noEffects()

	s.signal(run, decisionJSON("approve", h1, "bo.lin"))
	s.oneEffectEach(s.await(run, workflows.Completed))
	require.NotContains(t, s.git("ls-tree", "-r", "--name-only", "main"), "hiring", "the page was in plan 0 alone")
}

func TestC012_HashInAnotherForm(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	hash := gate.PlanHash.String()
	digits := strings.TrimPrefix(hash, "sha256:")
	forms := []string{
		"sha256:" + strings.ToUpper(digits),
		digits,           // the documented form has the prefix
		"sha256:" + hash, // once
		digits[:12],
		"sha256:" + digits[:12],
		hash + "\n",
		"sha256:" + strings.Repeat("0", 64),
	}
	for _, form := range forms {
		s.signal(run, decisionJSON("approve", form, "bo.lin"))
	}

	for i, v := range s.awaitVerdicts(run, len(forms)) {
		require.Equal(t, approvals.Malformed, v.Code, "%q", forms[i])
		require.Contains(t, v.Reason, "plan_hash", "%q", forms[i])
	}
	s.noEffects()
	s.signal(run, decisionJSON("approve", hash, "bo.lin"))
	s.oneEffectEach(s.await(run, workflows.Completed))
}

func TestC013_TheRequesterAndOtherSpellings(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	claims := []struct {
		approver string
		want     approvals.Code
	}{
		{"ann.wu", approvals.SelfApproval},
		{"Ann.Wu", approvals.SelfApproval},
		{"ann.wu ", approvals.NotAnApprover},
		{"аnn.wu", approvals.NotAnApprover}, // U+0430, the Cyrillic a
		{"dan.x", approvals.NotAnApprover},
		{"", approvals.Malformed},
	}
	for _, c := range claims {
		s.signal(run, decisionJSON("approve", gate.PlanHash.String(), c.approver))
	}

	for i, v := range s.awaitVerdicts(run, len(claims)) {
		require.Equal(t, claims[i].want, v.Code, "%+q", claims[i].approver)
		require.NotEmpty(t, v.Reason)
	}
	s.signal(run, decisionJSON("reject", gate.PlanHash.String(), "ann.wu"))
	s.await(run, workflows.Rejected)
	s.noEffects()
}

func TestC015_OneBatchSignalForManyRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	var all []string
	for _, id := range []string{"one", "two", "three"} {
		run, _ := s.startToGate(id)
		all = append(all, run)
	}
	// The batch finds its runs in the visibility store, which lags.
	query := `WorkflowType="AgentRun" AND HoldpointTenant="` + s.name + `"`
	s.eventually("the batch would find three runs", func() bool {
		return strings.Contains(s.temporal("workflow", "count", "--query", query), "Total: 3")
	})
	s.temporal("workflow", "signal", "--query", query, "--name", "approval", "--reason", "test", "--yes",
		"--input", decisionJSON("approve", s.status(all[0]).PlanHash.String(), "bo.lin"))

	s.oneEffectEach(s.await(all[0], workflows.Completed))
	for _, run := range all[1:] {
		require.Equal(t, approvals.StalePlan, s.awaitVerdicts(run, 1)[0].Code)
		require.Equal(t, workflows.WaitingApproval, s.status(run).Status)
	}
}

// A payload in an encoding that nobody knows must not stop the workflow task.
func TestC015_OddEncoding(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, _ := s.startToGate("weekly-2025-w40")
	s.signalWith(run, "--input-meta", "encoding=binary/protobuf", "--input-base64", "--input", "CgVhcHByb3Zl")

	odd := s.awaitVerdicts(run, 1)[0]
	require.Equal(t, approvals.Malformed, odd.Code)
	require.Contains(t, odd.Reason, "binary/protobuf")
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
	for _, event := range s.history(run) {
		require.NotEqual(t, enums.EVENT_TYPE_WORKFLOW_TASK_FAILED, event.GetEventType())
	}
}

// A decision cannot bring its own expiry, in whatever form.
func TestC057_ExpiresAtInTheApproval(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run, gate := s.startToGate("weekly-2025-w40")
	times := []string{"31/01/2026", "", "9999-12-31T00:00:00Z", "2026-01-05T10:00:00Z", "1767607200"}
	for _, at := range times {
		s.signal(run, `{"decision":"approve","plan_hash":"`+gate.PlanHash.String()+`","approver":"bo.lin","expires_at":"`+at+`"}`)
	}

	for _, v := range s.awaitVerdicts(run, len(times)) {
		require.Equal(t, approvals.Malformed, v.Code)
		require.Contains(t, v.Reason, "expires_at")
	}
	s.noEffects()
	s.approve(run, "bo.lin")
	done := s.await(run, workflows.Completed)
	require.Equal(t, done.Approval.ApprovedAt.Add(grantLife), done.Approval.ExpiresAt, "the policy sets the expiry")
}
