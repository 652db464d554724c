package scene_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/scene"
)

// pair asks for two, so that one can be taken away.
const pair = `
label: pair
groups:
  security: {members: [bo.lin, cy.ma, eve.li]}
allowed_signers_file: keys
default:
  quorums: [2 of security]
  proof: signature
  decide_within: 1h
  grant_life: 1h
`

// The policy changes when one of two actions is done. What is done stays done;
// what is left goes back to the gate unless the approval satisfies the policy of
// today.
func TestPolicyChangesBetweenTwoActions(t *testing.T) {
	for name, tc := range map[string]struct {
		policy string
		again  string // who must approve what is left; empty: nobody
		why    string
	}{
		"a person is removed":        {strings.Replace(pair, "bo.lin, cy.ma, eve.li", "bo.lin, eve.li", 1), "2 of security", "cy.ma"},
		"a key is removed":           {strings.Replace(pair, "file: keys", "file: keys without cy.ma", 1), "2 of security", "key"},
		"one more must approve":      {strings.Replace(pair, "2 of", "3 of", 1), "3 of security", "1 of security"},
		"another group must too":     {strings.Replace(strings.Replace(pair, "groups:", "groups:\n  editors: {members: [mei.chen]}", 1), "[2 of security]", "[2 of security, 1 of editors]", 1), "1 of editors and 2 of security", "1 of editors"},
		"a rule is made stricter":    {pair + "rules:\n  - {name: all, match: parameters.amount > 0, quorums: [3 of security]}\n", "3 of security", "1 of security"},
		"it wants a word of its own": {pair + "  confirm: true\n", "2 of security", "confirmed"},
		"one less must approve":      {strings.Replace(pair, "2 of", "1 of", 1), "", ""},
		"a person is added":          {strings.Replace(pair, "eve.li]", "eve.li, dee.ray]", 1), "", ""},
		"another label":              {strings.Replace(pair, "label: pair", "label: couple", 1), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			stage := open(t, pair)
			run := stage.Person("ann.wu").Starts(scene.Pay("a1", 1), scene.Pay("a2", 2).After("a1"))
			first := run.Waits()
			opens := stage.Bank.Closes()
			t.Cleanup(opens)
			stage.Person("bo.lin").Signs(run).Is(approvals.Accepted)
			stage.Person("cy.ma").Signs(run).Is(approvals.Accepted)
			stage.Eventually("the first payment is at the counter", func() bool { return stage.Bank.Waiting() > 0 })
			stage.WorkerIsCutOff() // and makes the first payment all the same
			opens()
			stage.Eventually("the first payment is made", func() bool { return len(stage.Bank.Effects()) == 1 })
			stage.PolicyBecomes(tc.policy)

			if tc.again == "" {
				run.Completes()
				stage.Effects(2)
				require.Len(t, accounts(stage), 2)
				return
			}
			second := run.WaitsForNewPlan(first)
			require.Equal(t, tc.again, second.Missing)
			require.Contains(t, second.Reason, tc.why)
			require.Equal(t, 1, second.Counts.AlreadyDone, "what is done stays done")
			stage.Effects(1)
			for _, name := range []string{"mei.chen", "bo.lin", "eve.li", "cy.ma"} {
				if run.Status().Missing != "" {
					stage.Person(name).Signs(run)
				}
			}
			if tc.why == "confirmed" {
				run.WaitsToConfirm("a2")
				stage.Person("eve.li").Signing().Confirms(run, "a2").Is(approvals.Accepted)
			}
			run.Completes()
			stage.Effects(2)
		})
	}
}

// Before anything is done, a changed policy voids the approval all the same.
func TestPolicyChangesBeforeTheFirstAction(t *testing.T) {
	stage := open(t, pair)
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 1))
	first := run.Waits()
	stage.WorkerStops()
	cy := stage.Person("cy.ma").By(scene.Signal)
	stage.Person("bo.lin").By(scene.Signal).Signs(run)
	cy.Signs(run)
	stage.PolicyBecomes(strings.Replace(pair, "bo.lin, cy.ma, eve.li", "bo.lin, eve.li", 1))

	second := run.WaitsForNewPlan(first)
	run.Answered(approvals.Accepted, approvals.Accepted) // by the terms of the request that was open
	stage.Effects(0)
	cy.Signs(run).Is(approvals.NotAnApprover)
	require.Equal(t, "2 of security", second.Missing)
	stage.Person("bo.lin").Signs(run).Is(approvals.Accepted)
	stage.Person("eve.li").Signs(run).Is(approvals.Accepted)
	run.Completes()
	stage.Effects(1)
}

// A deploy with another policy changes no run that waits: it is judged by the
// terms that it was asked under, and the effect by those of today as well.
func TestPolicyChangesWhileTheRunWaits(t *testing.T) {
	stage := open(t, simple)
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 1))
	first := run.Waits()
	stage.PolicyBecomes(strings.Replace(simple, "bo.lin, cy.ma", "cy.ma, eve.li", 1))
	require.Equal(t, first.DecideBy, run.Status().DecideBy)

	stage.Person("eve.li").Approves(run).Is(approvals.NotAnApprover)
	stage.Person("bo.lin").Approves(run).Is(approvals.Accepted)
	run.WaitsForNewPlan(first)
	stage.Effects(0)
	stage.Person("eve.li").Approves(run).Is(approvals.Accepted)
	run.Completes()
	stage.Effects(1)
}

// Somebody else changes an account between the approval and the effect.
func TestDriftGoesBackToTheGateForWhatIsLeft(t *testing.T) {
	stage := open(t, simple)
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 1), scene.Pay("a2", 2).After("a1"))
	first := run.Waits()
	stage.Bank.Changes("a2")
	stage.Person("bo.lin").Approves(run).Is(approvals.Accepted)
	second := run.WaitsForNewPlan(first)
	require.Contains(t, second.Reason, "a2")
	require.Equal(t, []string{"a1"}, accounts(stage))
	stage.Person("cy.ma").Approves(run).Is(approvals.Accepted)
	run.Completes()
	require.Equal(t, []string{"a1", "a2"}, accounts(stage))
	stage.Effects(2)
}
