package scene_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/scene"
)

func TestOneEditorAndTwoOfSecurity(t *testing.T) {
	stage := open(t, guarded)
	ann, mei, bo, cy := stage.Person("ann.wu"), stage.Person("mei.chen"), stage.Person("bo.lin"), stage.Person("cy.ma")
	run := ann.Starts(scene.Pay("a1", 82_000))
	run.WaitsFor("1 of editors and 2 of security")

	bo.By(scene.Signal).Approves(run).Is(approvals.Accepted)
	run.WaitsFor("1 of editors and 1 of security")
	bo.By(scene.CLI).Approves(run).Is(approvals.Duplicate)
	mei.By(scene.CLIUpdate).Approves(run).Is(approvals.Accepted)
	run.WaitsFor("1 of security")
	stage.Person("dee.ray").Approves(run).Is(approvals.NotAnApprover)
	ann.Approves(run).Is(approvals.SelfApproval)
	stage.Effects(0)

	last := cy.Signs(run).Is(approvals.Accepted)
	require.Empty(t, last.Verdict.Missing)
	done := run.Completes()
	stage.Effects(1)
	require.Len(t, done.Approval.Approvals, 3)
	require.Equal(t, approvals.BySignature, done.Approval.Approvals[2].Proof, "what she signed is on record, also where a claim would do")
}

// Tom is an editor and of security. He counts once, and for whichever group
// needs him in the end.
func TestAPersonInTwoGroupsCountsOnce(t *testing.T) {
	stage := open(t, guarded)
	tom := stage.Person("tom.baker")
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	run.Waits()

	tom.Approves(run).Is(approvals.Accepted)
	run.WaitsFor("2 of security")
	tom.Approves(run).Is(approvals.Duplicate)
	stage.Person("bo.lin").Approves(run).Is(approvals.Accepted)
	run.WaitsFor("1 of security")
	stage.Effects(0)
	// With an editor there, Tom is the second of security.
	stage.Person("mei.chen").Approves(run).Is(approvals.Accepted)
	done := run.Completes()
	stage.Effects(1)
	groups := map[string]string{}
	for _, a := range done.Approval.Approvals {
		groups[a.Approver] = a.Groups
	}
	require.Equal(t, map[string]string{"tom.baker": "security", "bo.lin": "security", "mei.chen": "editors"}, groups)
}

// A third of security adds nothing while the editor is missing.
func TestAFullGroupNeedsNobodyMore(t *testing.T) {
	stage := open(t, guarded)
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	run.Waits()
	stage.Person("bo.lin").Approves(run).Is(approvals.Accepted)
	stage.Person("cy.ma").Approves(run).Is(approvals.Accepted)
	stage.Person("eve.li").Approves(run).Is(approvals.NotNeeded).Because("1 of editors")
	run.WaitsFor("1 of editors")
	stage.Person("mei.chen").Approves(run).Is(approvals.Accepted)
	run.Completes()
	stage.Effects(1)
}

// One eligible person's no ends it, whoever has said yes before.
func TestRejectAfterPartialApproval(t *testing.T) {
	stage := open(t, guarded)
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	run.Waits()
	stage.Person("bo.lin").Approves(run).Is(approvals.Accepted)
	stage.Person("mei.chen").Approves(run).Is(approvals.Accepted)
	stage.Person("dee.ray").Rejects(run, "not mine to say").Is(approvals.NotAnApprover)
	run.WaitsFor("1 of security")

	stage.Person("eve.li").Rejects(run, "wrong account").Is(approvals.Accepted)
	ended := run.IsRejected()
	require.Contains(t, ended.Reason, "eve.li")
	require.Contains(t, ended.Reason, "wrong account")
	stage.Effects(0)
}

// The requester may always take her own run back.
func TestRequesterRejectsHerOwnRun(t *testing.T) {
	stage := open(t, guarded)
	ann := stage.Person("ann.wu")
	run := ann.Starts(scene.Pay("a1", 82_000))
	run.Waits()
	stage.Person("bo.lin").Approves(run).Is(approvals.Accepted)
	ann.By(scene.CLI).Rejects(run, "typing error").Is(approvals.Accepted)
	run.IsRejected()
	stage.Effects(0)
}

// A revision makes another plan, of which nobody has approved anything.
func TestReviseVoidsWhatWasApproved(t *testing.T) {
	stage := open(t, guarded)
	mei, bo, cy := stage.Person("mei.chen"), stage.Person("bo.lin"), stage.Person("cy.ma")
	run := stage.Person("ann.wu").StartsPlans(
		[]scene.Step{scene.Pay("a1", 820_000)},
		[]scene.Step{scene.Pay("a1", 82_000)},
	)
	first := run.Waits()
	bo.Approves(run).Is(approvals.Accepted)
	mei.Approves(run).Is(approvals.Accepted)
	run.WaitsFor("1 of security")

	cy.Revises(run, "one zero less").Is(approvals.Accepted)
	second := run.WaitsForNewPlan(first)
	require.Equal(t, "1 of editors and 2 of security", second.Missing, "all earlier approvals are void")
	require.Equal(t, 1, second.Revision)
	require.NotEqual(t, first.RequestID, second.RequestID)
	// What bo.lin would have approved a moment ago is another plan.
	cy.Says(run, approvals.Decision{Decision: approvals.Approve, PlanHash: first.PlanHash, Approver: "cy.ma"}).
		Is(approvals.StalePlan).Because(second.PlanHash.String())

	cy.Approves(run).Is(approvals.Accepted)
	bo.Approves(run).Is(approvals.Accepted)
	mei.Approves(run).Is(approvals.Accepted)
	run.Completes()
	stage.Effects(1)
	require.Equal(t, 82_000, stage.Bank.Effects()[0].Amount)
}
