package workflows_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// The status query stays under 100 kB, with the most actions that a plan can
// have, all failed, and a flood of hostile decisions: '<' takes six bytes in
// JSON.
func TestStatusStaysUnder100kB(t *testing.T) {
	s := workflows.NewState(task())
	angry := strings.Repeat("<", 4096)
	planned := workflows.MakePlanResult{PlanHash: plan.Sum([]byte("x"))}
	for i := range plan.MaxActions {
		planned.Actions = append(planned.Actions, workflows.PlannedAction{
			ID: fmt.Sprintf("%064d", i), Key: strings.Repeat("a", 40),
		})
	}
	s.NewPlan(&planned)
	for i := range s.Actions {
		s.ActionBegun(i)
		s.ActionFailed(i, fmt.Errorf("%s", angry))
	}
	for range 10_000 {
		s.Decisions.Add(approvals.Verdict{
			Code: approvals.NotAnApprover, Decision: approvals.Approve, PlanHash: planned.PlanHash.String(),
			Approver: angry[:254], Comment: angry, Feedback: angry, Reason: angry[:400], At: time.Now(), Via: approvals.ViaSignal,
		})
	}
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprintf("%03d%s", i, strings.Repeat("a", 251))
	}
	s.Request = &workflows.RequestApprovalResult{RequestID: "r", Terms: approvals.Terms{
		Label: "test", Version: "test@sha256:01", Proof: approvals.ByClaim, DecideWithin: time.Hour, GrantLife: time.Hour,
		Quorums: []approvals.Quorum{{Group: "approvers", Need: 1, Members: many}},
	}}
	s.Grant = &approvals.Grant{Approvals: []approvals.Approval{{Approver: many[0], Comment: angry}}}
	view := s.View("tenant-a/" + strings.Repeat("b", 200))
	raw, err := json.Marshal(view)
	require.NoError(t, err)
	require.Less(t, len(raw), 100_000)
	require.Equal(t, plan.MaxActions, view.Counts.InDoubt)
	require.Equal(t, plan.MaxActions, len(view.Actions)+view.ActionsOmitted)
	require.Equal(t, []workflows.CodeCount{{Code: approvals.NotAnApprover, Count: 10_000}}, view.Decisions.Counts)

	state, err := json.Marshal(s.Decisions)
	require.NoError(t, err)
	require.Len(t, s.Decisions.Recent, workflows.MaxVerdicts)
	require.Less(t, len(state), 400_000, "what a run carries over is bounded too")
}

// Rows that a person must look at are shown before the others.
func TestStatusShowsWhatNeedsEyes(t *testing.T) {
	s := workflows.NewState(task())
	planned := workflows.MakePlanResult{}
	for i := range 500 {
		planned.Actions = append(planned.Actions, workflows.PlannedAction{ID: fmt.Sprint(i), DoneRef: "done"})
	}
	s.NewPlan(&planned)
	s.ActionFailed(499, fmt.Errorf("no"))
	view := s.View("tenant-a/x")
	require.Len(t, view.Actions, 100)
	require.Equal(t, 400, view.ActionsOmitted)
	require.Equal(t, "499", view.Actions[99].ID)
	require.Equal(t, "98", view.Actions[98].ID)
}
