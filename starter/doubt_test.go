package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// What a person needs who has to find out what became of an action: the whole
// command, with the claim in it.
func TestDoubtsAreShownWithTheirCommands(t *testing.T) {
	noon := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	until := noon.Add(time.Minute)
	action := workflows.Action{
		ID: "tell", Status: workflows.StepInDoubt, Key: "4f2a",
		Doubt: &workflows.Doubt{Token: 3, Tool: "mail", Target: "mail/ann", SentAt: noon, Attempt: 2, QuietUntil: &until, Detail: "no answer"},
	}
	hash := plan.Sum([]byte("plan"))
	shown := func(status workflows.RunStatus, said *workflows.Resolved) string {
		a := action
		a.Resolution = said
		var out strings.Builder
		printDoubts(&out, workflows.Status{RunID: "acme/x", Status: status, PlanHash: hash, Resolver: "mei", Actions: []workflows.Action{a}})
		return out.String()
	}
	byHand := `temporal workflow signal --workflow-id acme/x --name resolution --input '{"action_id":"tell","plan_hash":"` + hash.String() +
		`","claim":"3","outcome":"happened","operator":"mei","evidence":"what you saw"}'`

	waits := shown(workflows.WaitingResolution, nil)
	require.Contains(t, waits, "key 4f2a, claim 3, attempt 2: no answer")
	require.Contains(t, waits, "a call may be under way until 2026-12-01T12:01:00Z")
	require.Contains(t, waits, "approver resolve acme/x tell happened|not_happened|abort --as mei")
	require.Contains(t, waits, byHand)

	again := shown(workflows.WaitingResolution, &workflows.Resolved{Outcome: approvals.NotHappened, Operator: "bo", Evidence: "not there", Claim: "3"})
	require.Contains(t, again, "not_happened, says bo: not there")
	require.Contains(t, again, "it is sent again after 2026-12-01T12:01:00Z unless somebody says that it happened, or aborts")
	require.Contains(t, again, byHand, "for whoever knows better")

	happened := shown(workflows.WaitingResolution, &workflows.Resolved{Outcome: approvals.Happened, Operator: "bo", Evidence: "there", Claim: "3"})
	require.Contains(t, happened, "it happened, says bo; that is being recorded")
	require.NotContains(t, happened, "approver resolve")

	ended := shown(workflows.Failed, &workflows.Resolved{Outcome: approvals.Abort, Operator: "bo", Evidence: "gone", Claim: "3"})
	require.Contains(t, ended, "abort, says bo: gone")
	require.NotContains(t, ended, "resolve", "the run has ended")
}
