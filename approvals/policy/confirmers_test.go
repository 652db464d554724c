package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
)

const confirmed = `label: two
groups:
  interns: {members: [ida.ng, ivo.li]}
  security: {members: [bo.lin, cy.ma]}
  audit: {members: [una.bo]}
default: {quorums: [1 of interns], decide_within: 1h, grant_life: 1h}
rules:
  - {name: pay, match: tool == "pay", quorums: [2 of security], confirm: true}
  - {name: watched, match: parameters.amount > 1000, quorums: [1 of audit]}
  - {name: pages, match: tool == "wiki", confirm: true}
`

// Who may approve a draft may not let a payment go that is in the same plan.
func TestConfirmersAreThoseOfTheRulesThatAskForIt(t *testing.T) {
	p := read(t, confirmed)
	large := action("large", "pay", "bank/b", `{"amount":1001}`)
	other := page
	other.Parameters = []byte(`{"amount":1}`)
	terms, err := p.Evaluate(planOf(small, large, other, action("draft", "mail", "x", `{"amount":1}`)), "ann.wu")
	require.NoError(t, err)
	require.Equal(t, []string{"small", "large", "page"}, terms.Confirm)
	require.Equal(t, []approvals.Confirmers{
		{Actions: []string{"small", "large"}, Members: []string{"bo.lin", "cy.ma"}},
		{Actions: []string{"page"}, Members: []string{"ida.ng", "ivo.li"}},
	}, terms.Confirmers, "una.bo watches, and is asked for no word of its own")
	require.Equal(t, []string{"bo.lin", "cy.ma"}, terms.ConfirmersFor("ann.wu", "large"))
	require.Equal(t, []string{"cy.ma"}, terms.ConfirmersFor("bo.lin", "large"), "not the requester")
}

// Where everybody who is asked may let every action go, the terms are those that
// they were before.
func TestConfirmersAreLeftOutWhereTheyAreEverybody(t *testing.T) {
	terms, err := read(t, confirmed).Evaluate(planOf(small), "ann.wu")
	require.NoError(t, err)
	require.Equal(t, []string{"small"}, terms.Confirm)
	require.Nil(t, terms.Confirmers)
	require.Equal(t, []string{"bo.lin", "cy.ma"}, terms.ConfirmersFor("ann.wu", "small"))
}
