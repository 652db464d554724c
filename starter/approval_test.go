package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// atTheGate is a run of ann.wu that waits for one of editors and one of
// security, of whom bo.lin has approved with a key.
func atTheGate(t *testing.T) workflows.State {
	t.Helper()
	task := workflows.Task{Tenant: "acme", BusinessID: "x", Requester: "ann.wu"}
	state := workflows.NewState(task)
	state.NewPlan(&workflows.MakePlanResult{PlanHash: plan.Sum([]byte("plan")), Actions: []workflows.PlannedAction{{ID: "pay"}}})
	state.Request = &workflows.RequestApprovalResult{RequestID: "r1", Terms: approvals.Terms{
		Label: "acme-changes", Version: "acme-changes@sha256:01", Proof: approvals.BySignature,
		Quorums: []approvals.Quorum{
			{Group: "editors", Need: 1, Members: []string{"mei.chen"}}, {Group: "security", Need: 1, Members: []string{"bo.lin", "cy.ma"}},
		},
		DecideWithin: 4 * time.Hour, GrantLife: time.Hour, AskAgain: 2, Confirm: []string{"pay"},
	}}
	decideBy := noon.Add(4 * time.Hour)
	state.DecideBy, state.Status = &decideBy, workflows.WaitingApproval
	state.OpenGate(task, "acme/x")
	approve(t, &state, "bo.lin")
	return state
}

func approve(t *testing.T, state *workflows.State, name string) {
	t.Helper()
	v := approvals.Verdict{
		Code: approvals.Accepted, Decision: approvals.Approve, Approver: name, PlanHash: state.Plan.PlanHash.String(), At: noon,
		Proven: approvals.Proven{Proof: approvals.BySignature, Key: "SHA256:" + name},
	}
	state.Take(&v)
	state.Decisions.Add(v)
	require.Equal(t, approvals.Accepted, v.Code, v.Reason)
}

func seen(state workflows.State) *runs.Run {
	return &runs.Run{ID: "acme/x", TaskQueue: "holdpoint", Pollers: 1, State: state, Status: state.View("acme/x")}
}

func screen(run *runs.Run) (status, watched string) {
	var out, lines bytes.Buffer
	printStatus(&out, run)
	(&watcher{out: &lines, shown: map[string]bool{}}).show(run)
	return out.String(), lines.String()
}

func TestStatusSaysWhoHasApprovedAndWhoMust(t *testing.T) {
	state := atTheGate(t)
	state.Asked = 1
	status, watched := screen(seen(state))
	for _, text := range []string{
		"asks       1 of editors and 1 of security, by signature\n",
		"approved   by bo.lin, 2026-12-01T12:00:00Z, signed with SHA256:bo.lin\n",
		"missing    1 of editors\n",
		"decide_by  2026-12-01T16:00:00Z, by mei.chen\n",
		"asked      again, 1 of 2 times: nobody had decided in time\n",
		"decision   approve by bo.lin -> accepted; still missing then: 1 of editors\n",
		"approver show acme/x, then\n  approver approve acme/x --as mei.chen",
	} {
		require.Contains(t, status, text)
	}
	require.Contains(t, watched, "decision: approve by bo.lin -> accepted; still missing then: 1 of editors\n")
	require.Contains(t, watched, "asked again, 1 of 2 times")
}

func TestStatusSaysWhichActionWaitsForItsOwnWord(t *testing.T) {
	state := atTheGate(t)
	approve(t, &state, "mei.chen")
	state.Actions[0].Unconfirmed = true
	state.Notices = []workflows.NoticeRow{
		{Event: workflows.ApprovalRequested, Channel: "chat", Status: workflows.StepCompleted},
		{Event: workflows.ConfirmationRequested, Channel: "mail", Waiting: []string{"pay"}, Status: workflows.StepFailed, Error: "connection refused"},
	}
	status, watched := screen(seen(state))
	for _, text := range []string{
		"granted    by bo.lin, mei.chen at 2026-12-01T12:00:00Z, valid until 2026-12-01T13:00:00Z\n",
		"approved   by mei.chen, 2026-12-01T12:00:00Z, for editors, signed with SHA256:mei.chen\n",
		"pay               UNCONFIRMED",
		"unconfirmed action pay: it is sent after one approver's word about it alone\n           approver approve acme/x --action pay --as ",
		"notice     approval.requested to chat -> COMPLETED\n",
		"notice     confirmation.requested of pay to mail -> FAILED: connection refused\n",
	} {
		require.Contains(t, status, text)
	}
	require.NotContains(t, status, "decide_by", "the time to decide on the plan is over; the approval's own life counts")
	require.Contains(t, watched, "action: pay waits for a word of its own\n")
	require.Contains(t, watched, "approved until 2026-12-01T13:00:00Z")
	require.Contains(t, watched, "notice: confirmation.requested to mail")
	require.NotContains(t, watched, "approval.requested", "what went well is no news")
}

func TestStatusOfARunThatThePolicyLetsGo(t *testing.T) {
	state := atTheGate(t)
	state.Request.Terms.Quorums, state.Request.Terms.ByPolicy, state.Request.Terms.Confirm = nil, []string{"drafts"}, nil
	state.OpenGate(workflows.Task{Requester: "ann.wu"}, "acme/x")
	require.NoError(t, state.GrantByPolicy(noon))
	state.Status = workflows.Running
	status, _ := screen(seen(state))
	require.Contains(t, status, "granted    by policy: drafts at 2026-12-01T12:00:00Z")
	require.NotContains(t, status, "approved ")
	require.NotContains(t, status, "\nmissing")
}
