package workflows_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// twoGroups want one editor and two of security.
func twoGroups(t *approvals.Terms) {
	t.Quorums = []approvals.Quorum{
		{Group: "editors", Need: 1, Members: []string{"bo.lin", "cy.ma"}},
		{Group: "security", Need: 2, Members: []string{"eve.li", "fay.ng", "gus.om"}},
	}
}

func TestRunWaitsUntilEveryQuorumIsMet(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.terms = twoGroups
	missing := map[time.Duration]string{}
	for i, who := range []string{"eve.li", "bo.lin", "eve.li", "dan.x", "gus.om"} {
		at := time.Duration(i+1) * time.Minute
		w.at(at, func() { w.send("approve", w.hash(0), who) })
		w.at(at+time.Second, func() { missing[at] = w.status().Missing })
	}
	status := w.run()
	require.Equal(t, workflows.Completed, status.Status)
	require.Equal(t, []string{"accepted", "accepted", "duplicate", "not_an_approver", "accepted"}, codes(status))
	require.Equal(t, map[time.Duration]string{
		1 * time.Minute: "1 of editors and 1 of security", 2 * time.Minute: "1 of security",
		3 * time.Minute: "1 of security", 4 * time.Minute: "1 of security",
	}, missing)
	require.Len(t, status.Approval.Approvals, 3)
	require.Equal(t, status.Approval.ApprovedAt, status.Approval.Approvals[2].At, "the grant begins with the last approval")
}

func TestOneRejectionEndsAHalfApprovedRun(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.terms = twoGroups
	w.at(1*time.Minute, func() { w.send("approve", w.hash(0), "eve.li") })
	w.at(2*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	w.at(3*time.Minute, func() { w.send("reject", w.hash(0), "fay.ng") })
	status := w.run()
	require.Equal(t, workflows.Rejected, status.Status)
	require.Nil(t, status.Approval)
	require.Empty(t, w.executed)
}

func TestApprovalsOfAnEarlierPlanAreVoid(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.plans = append(w.plans, planOf("plan 1", actionsNamed("b")...))
	w.terms = func(t *approvals.Terms) { t.Quorums[0].Need = 2 }
	w.at(1*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	w.at(2*time.Minute, func() {
		w.sendRaw(`{"decision":"revise","plan_hash":"` + w.hash(0) + `","approver":"cy.ma","feedback":"only b"}`)
	})
	w.at(3*time.Minute, func() { w.send("approve", w.hash(1), "cy.ma") })
	status := w.run()
	require.Equal(t, workflows.Expired, status.Status, "bo approved another plan")
	require.Empty(t, w.executed)
}

func TestPolicyThatAsksNobody(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.channels = []string{"ops"}
	w.terms = func(t *approvals.Terms) { t.Quorums, t.ByPolicy = nil, []string{"notes"} }
	var granted approvals.Grant
	w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		granted = in.Grant
		return done(in), nil
	}
	status := w.run()
	require.Equal(t, workflows.Completed, status.Status)
	require.Equal(t, []string{"notes"}, granted.ByPolicy)
	require.Empty(t, granted.Approvals)
	require.Equal(t, time.Hour, granted.ExpiresAt.Sub(granted.ApprovedAt))
	require.Empty(t, w.notices, "nobody is asked, so nobody is told")
}

func TestAskedAgain(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.channels = []string{"ops"}
	w.terms = func(t *approvals.Terms) { t.AskAgain, t.Quorums[0].Need = 2, 2 }
	w.at(30*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	var second workflows.Status
	w.at(61*time.Minute, func() { second = w.status() })
	w.at(62*time.Minute, func() { w.send("approve", w.hash(0), "cy.ma") })
	status := w.run()
	require.Equal(t, "request-2", second.RequestID)
	require.Equal(t, "2 of approvers", second.Missing, "what was approved on the first request is void")
	require.Contains(t, second.Reason, "asked again")
	require.Equal(t, workflows.Expired, status.Status)
	require.Equal(t, 3, w.requests)
	require.Equal(t, []string{
		"approval.requested to ops", "approval.requested to ops", "approval.requested to ops", "approval.expired to ops",
	}, w.told())
	require.NotEqual(t, w.notices[0].Key, w.notices[1].Key, "a new request is told of anew")

	in := newWorld(t, actionsNamed("a")...)
	in.terms = func(t *approvals.Terms) { t.AskAgain = 1 }
	in.at(90*time.Minute, func() { in.send("approve", in.hash(0), "bo.lin") })
	require.Equal(t, workflows.Completed, in.run().Status)
}

func TestActionWithAWordOfItsOwn(t *testing.T) {
	actions := actionsNamed("read", "pay", "note")
	actions[1].After = []int{0}
	confirm := func(t *approvals.Terms) { t.Confirm = []string{"pay"} }

	t.Run("approved", func(t *testing.T) {
		w := newWorld(t, actions...)
		w.terms, w.channels = confirm, []string{"ops"}
		var waiting workflows.Status
		w.at(1*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
		w.at(2*time.Minute, func() { waiting = w.status(); w.confirm("approve", "note", "cy.ma") })
		w.at(3*time.Minute, func() { w.confirm("approve", "pay", "ann.wu") })
		w.at(4*time.Minute, func() { w.confirm("approve", "pay", "cy.ma") })
		var grant approvals.Grant
		w.act = func(in workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
			if in.ActionID == "pay" {
				grant = in.Grant
			} else if len(in.Grant.Confirmations) > 0 {
				return workflows.ExecuteActionResult{}, errors.New("a word about another action")
			}
			return done(in), nil
		}
		status := w.run()
		require.Equal(t, workflows.WaitingApproval, waiting.Status)
		require.Equal(t, "action pay waits for a confirmation of its own", waiting.Reason)
		require.True(t, waiting.Actions[1].Unconfirmed)
		require.Equal(t, 2, waiting.Counts.Done, "the others went on")
		require.Equal(t, workflows.Completed, status.Status)
		require.Equal(t, []string{"accepted", "not_asked", "self_approval", "accepted"}, codes(status))
		require.Equal(t, "pay", grant.Confirmations[0].ActionID)
		require.Equal(t, "cy.ma", grant.Confirmations[0].Approver)
		require.Equal(t, grant.ExpiresAt, grant.Confirmations[0].Expires, "the word holds as long as the approval")
		require.Equal(t, grant.ExpiresAt, status.Decisions.Recent[3].Expires)
		require.Zero(t, status.Decisions.Recent[0].Expires)
		require.Equal(t, "pay", w.executed[2])
		require.Contains(t, w.told(), "confirmation.requested to ops")
	})
	t.Run("rejected", func(t *testing.T) {
		w := newWorld(t, actions...)
		w.terms = confirm
		w.at(1*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
		w.at(2*time.Minute, func() { w.confirm("reject", "pay", "cy.ma") })
		status := w.run()
		require.Equal(t, workflows.Rejected, status.Status)
		require.Contains(t, status.Reason, "action pay rejected by cy.ma")
		require.Equal(t, 2, status.Counts.Done)
		require.Equal(t, 1, status.Counts.Pending)
		require.ElementsMatch(t, []string{"read", "note"}, w.executed)
	})
	t.Run("nobody says a word", func(t *testing.T) {
		w := newWorld(t, actions...)
		w.terms = confirm
		w.at(1*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
		status := w.run()
		require.Equal(t, workflows.Expired, status.Status, "the approval's life ends while it waits")
		require.NotContains(t, w.executed, "pay")
		require.False(t, status.Actions[1].Unconfirmed)
	})
	t.Run("canceled while it waits", func(t *testing.T) {
		w := newWorld(t, actions...)
		w.terms = confirm
		w.at(1*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
		w.at(2*time.Minute, w.env.CancelWorkflow)
		require.Equal(t, workflows.Canceled, w.run().Status)
		require.NotContains(t, w.executed, "pay")
	})
}

func TestPeopleAreRemindedAndTold(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.channels = []string{"mail", "ops"}
	w.terms = func(t *approvals.Terms) { t.RemindAfter = []time.Duration{10 * time.Minute, 30 * time.Minute} }
	var at []time.Time
	w.notify = func(n workflows.Notice) error {
		at = append(at, n.At)
		if n.Channel == "ops" {
			return temporal.NewNonRetryableApplicationError("http_410: gone", workflows.ClassPermanent, nil)
		}
		return nil
	}
	w.at(40*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	status := w.run()
	require.Equal(t, workflows.Completed, status.Status, "a channel that is gone stops nothing")
	require.ElementsMatch(t, []string{
		"approval.requested to mail", "approval.requested to ops", "approval.reminded to mail", "approval.reminded to ops",
		"approval.reminded to mail", "approval.reminded to ops",
	}, w.told())
	require.Equal(t, 10*time.Minute, at[2].Sub(at[0]))
	require.Equal(t, 30*time.Minute, at[4].Sub(at[0]))
	n := w.notices[0]
	require.Equal(t, []string{"bo.lin", "cy.ma"}, n.People)
	require.Equal(t, "1 of approvers", n.Needs)
	require.Equal(t, at[0].Add(time.Hour), *n.Until)

	keys := map[string]bool{}
	for _, n := range w.notices {
		keys[n.Key] = true
	}
	require.Len(t, keys, 6, "each message has a key of its own")
	for _, row := range status.Notices {
		want := map[string]workflows.StepStatus{"mail": workflows.StepCompleted, "ops": workflows.StepFailed}[row.Channel]
		require.Equal(t, want, row.Status)
		require.Equal(t, row.Channel == "mail", row.Answer == "202")
		require.Equal(t, row.Channel == "ops", row.Error != "")
	}
}

func TestResolversAreTold(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.channels = []string{"ops"}
	w.act = func(workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		return workflows.ExecuteActionResult{}, unknown()
	}
	w.at(1*time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	w.at(2*time.Minute, func() { w.resolve("a", "happened", "cy.ma") })
	require.Equal(t, workflows.Completed, w.run().Status)
	require.Equal(t, []string{"approval.requested to ops", "resolution.needed to ops"}, w.told())
	require.Equal(t, []string{"bo.lin", "cy.ma"}, w.notices[1].People)
}

// What people have decided so far is not lost when the waiting run continues
// as new, nor is a notice that was on its way.
func TestHalfApprovedRunContinuesAsNew(t *testing.T) {
	state := *waitingState(t, 0)
	state.Request.Terms.Quorums[0].Need = 2
	state.Request.Notify = channelsOf("ops")
	state.Gate.Taken = []approvals.Taken{{Approval: approvals.Approval{Approver: "bo.lin"}, Decision: approvals.Approve}}
	state.Notices = []workflows.NoticeRow{
		{Key: "1", Event: workflows.ApprovalRequested, Channel: "ops", Status: workflows.StepRunning},
		{Key: "0", Event: workflows.ApprovalRequested, Channel: "mail", Status: workflows.StepCompleted},
	}
	raw, err := json.Marshal(state.Carried())
	require.NoError(t, err)
	var carried workflows.State
	require.NoError(t, json.Unmarshal(raw, &carried))

	w := newWorld(t, actionsNamed("a")...)
	w.env.SetStartTime(carried.DecideBy.Add(-30 * time.Minute))
	var before workflows.Status
	w.at(time.Minute, func() { before = w.status(); w.send("approve", w.hash(0), "cy.ma") })
	w.continues(task(), &carried)
	var status workflows.Status
	require.NoError(t, w.env.GetWorkflowResult(&status))
	require.Equal(t, "1 of approvers", before.Missing)
	require.Equal(t, workflows.Completed, status.Status)
	require.Len(t, status.Approval.Approvals, 2)
	require.Equal(t, []string{"approval.requested to ops"}, w.told())
	require.Equal(t, "1", w.notices[0].Key)
}
