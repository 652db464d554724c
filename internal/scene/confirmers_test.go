package scene_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/scene"
)

// internsAndSecurity asks interns about small payments, and two of security about
// large ones, of which each needs a word of its own.
const internsAndSecurity = `
label: interns-and-security
groups:
  interns: {members: [dee.ray]}
  security: {members: [bo.lin, cy.ma]}
default: {quorums: [1 of interns], decide_within: 1h, grant_life: 1h}
rules:
  - {name: large, match: parameters.amount > 1000, quorums: [2 of security], confirm: true}
`

// Who approves small things of a plan does not let its payment go.
func TestAnInternDoesNotLetAPaymentGo(t *testing.T) {
	stage := open(t, internsAndSecurity)
	dee, bo, cy := stage.Person("dee.ray"), stage.Person("bo.lin"), stage.Person("cy.ma")
	run := stage.Person("ann.wu").Starts(scene.Pay("small", 10), scene.Pay("large", 82_000))
	run.Waits()
	dee.Approves(run).Is(approvals.Accepted)
	bo.Approves(run).Is(approvals.Accepted)
	cy.Approves(run).Is(approvals.Accepted)

	waiting := run.WaitsToConfirm("large")
	require.Equal(t, "bo.lin", waiting.Approver, "the command that is shown names one who may")
	dee.Confirms(run, "large").Is(approvals.NotAnApprover).Because("bo.lin")
	stage.Eventually("the small one is paid", func() bool { return len(stage.Bank.Effects()) == 1 })
	cy.Confirms(run, "large").Is(approvals.Accepted)
	run.Completes()
	stage.Effects(2)
}
