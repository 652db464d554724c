package scene_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/scene"
)

// Nobody decides in time, and the policy says to ask again: a new request for
// the same plan, of which nobody has approved anything.
func TestAskAgain(t *testing.T) {
	stage := open(t, strings.Replace(guarded, "decide_within: 1h", "decide_within: 8s\n  ask_again: 2", 1))
	mei, bo, cy := stage.Person("mei.chen"), stage.Person("bo.lin"), stage.Person("cy.ma")
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	first := run.Waits()
	bo.Approves(run).Is(approvals.Accepted)
	run.WaitsFor("1 of editors and 1 of security")

	second := run.WaitsForAnotherRequest(first)
	require.Equal(t, "1 of editors and 2 of security", second.Missing, "the approval of the first request is void")
	require.Equal(t, first.PlanHash, second.PlanHash)
	require.True(t, second.DecideBy.After(*first.DecideBy))
	require.Contains(t, second.Reason, "asked again")
	require.Equal(t, 1, run.TimesPlanned(), "the plan is not made anew")
	stage.Effects(0)

	bo.Approves(run).Is(approvals.Accepted)
	cy.Approves(run).Is(approvals.Accepted)
	mei.Approves(run).Is(approvals.Accepted)
	run.Completes()
	stage.Effects(1)
}

func TestAskAgainEnds(t *testing.T) {
	stage := open(t, strings.Replace(guarded, "decide_within: 1h", "decide_within: 1s\n  ask_again: 2", 1))
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	expired := run.Expires()
	asked := 0
	for _, s := range expired.Steps {
		if s.Name == "request_approval" {
			asked = s.Runs
		}
	}
	require.Equal(t, 3, asked, "once, and twice more")
	stage.Effects(0)
}
