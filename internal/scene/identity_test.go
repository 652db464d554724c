package scene_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/scene"
)

// One person in two spellings is one person; what only looks like her is
// nobody.
func TestLookAlikeIdentities(t *testing.T) {
	stage := open(t, `
label: two-of-two
groups: {approvers: {members: [bo.lin, cy.ma]}}
default: {quorums: [2 of approvers], decide_within: 1h, grant_life: 1h}
`)
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	run.Waits()
	stage.Person("Bo.Lin").Approves(run).Is(approvals.Accepted)
	run.WaitsFor("1 of approvers")
	for name, want := range map[string]approvals.Code{
		"bo.lin":         approvals.Duplicate,
		"BO.LIN":         approvals.Duplicate,
		"bo.lin ":        approvals.NotAnApprover,
		" cy.ma":         approvals.NotAnApprover,
		"\u0441y.ma":     approvals.NotAnApprover, // the Cyrillic es
		"c\u0443.ma":     approvals.NotAnApprover, // the Cyrillic u
		"cy\u200b.ma":    approvals.NotAnApprover, // a space of no width
		"\u202eam.yc":    approvals.NotAnApprover, // written from right to left
		"cy.ma\x00":      approvals.NotAnApprover,
		"cy.ma,bo.lin":   approvals.NotAnApprover, // allowed_signers would read a list
		"*":              approvals.NotAnApprover, // or a pattern
		"ann.wu":         approvals.SelfApproval,
		"ANN.WU":         approvals.SelfApproval,
		"\uff43y.ma":     approvals.NotAnApprover, // full width
		"cy.ma@acme.com": approvals.NotAnApprover,
	} {
		stage.Person(name).Approves(run).Is(want)
	}
	run.WaitsFor("1 of approvers")
	stage.Effects(0)
	stage.Person("cy.ma").Approves(run).Is(approvals.Accepted)
	run.Completes()
	stage.Effects(1)
}

// Each tenant has approvers of its own; they count for its runs alone.
func TestATenantsApproversAreItsOwn(t *testing.T) {
	stage := open(t, `
label: tenants
groups:
  everyone: {members: [eve.li]}
  acme: {members: [bo.lin], tenants: [acme]}
  beta: {members: [cy.ma], tenants: [beta]}
allowed_signers_file: keys
default: {quorums: [1 of everyone], decide_within: 1h, grant_life: 1h}
rules:
  - {name: acme, match: tenant == "acme", quorums: [1 of acme]}
  - {name: beta, match: tenant == "beta", quorums: [1 of beta]}
  - {name: gamma, match: tenant == "gamma", quorums: [1 of acme]}
`)
	ann, bo, cy := stage.Person("ann.wu"), stage.Person("bo.lin"), stage.Person("cy.ma")
	atAcme, atBeta := ann.Of("acme").Starts(scene.Pay("a1", 1)), ann.Of("beta").Starts(scene.Pay("a1", 2))
	atAcme.WaitsFor("1 of acme")
	atBeta.WaitsFor("1 of beta")

	bo.Signs(atBeta).Is(approvals.NotAnApprover)
	bo.By(scene.CLI).Approves(atBeta).Is(approvals.NotAnApprover)
	bo.Rejects(atBeta, "not ours").Is(approvals.NotAnApprover)
	cy.Signs(atAcme).Is(approvals.NotAnApprover)
	stage.Effects(0)

	refused := ann.Of("gamma").Starts(scene.Pay("a1", 3)).Fails()
	require.Contains(t, refused.Reason, "acme, which counts only for runs of acme", "also where a rule names them for another's run")

	bo.Approves(atAcme).Is(approvals.Accepted)
	atAcme.Completes()
	atBeta.Effects(0)
	cy.Approves(atBeta).Is(approvals.Accepted)
	atBeta.Completes()
	stage.Effects(2)
}
