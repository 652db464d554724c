package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// An action waits for a person while those who may speak are exchanged. The first
// word of one who may no more tells the run who may now.
func TestThoseWhoResolveAreExchangedWhileAnActionWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	server := s.shop("once", "")
	server.Script(scripted.Answer{Ending: scripted.Reset})
	worker := s.worker()
	run := s.order()
	s.await(run, workflows.WaitingResolution)
	s.eventually("the other action is done", func() bool { return s.status(run).Counts.Done == 1 })
	worker.kill()
	s.write("policy.yaml", "label: test-2\napprovers: [di.po]\ngrant_life: 1h\ndecide_within: 1h\n")
	s.worker()

	resolve := func(operator string) []string {
		return []string{"resolve", run, "order", "happened", "--as", operator, "--evidence", "order-1 is in the shop"}
	}
	_, _ = s.try(programs.approver, resolve("bo.lin")...) // whether the gate or the ledger refuses it depends on what was heard before
	s.eventually("the run names who may by now", func() bool { return s.status(run).Resolver == "di.po" })
	require.Equal(t, workflows.StepInDoubt, s.status(run).Actions[0].Status)
	require.Contains(t, s.fails(1, programs.approver, resolve("bo.lin")...), "not_a_resolver")
	require.Contains(t, s.approver(resolve("di.po")...), "accepted: happened of action order")

	// What is left needs an approval of today's people too.
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "di.po")
	done := s.await(run, workflows.Completed)
	require.Equal(t, 3, server.All(), "what happened is not sent again")
	require.Equal(t, 3, done.Counts.Done)
	s.sameByQuery(run)
	s.evidenceVerifies(run)
}

// A reset may have taken back that somebody took back his word. So the first one
// after it that has something sent is asked for anew, and so is the plan.
func TestAWordThatSendsAgainIsAskedAnewAfterAReset(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	server := s.shop("once", "")
	server.Script(scripted.Answer{NoEffect: true, Ending: scripted.Reset})
	s.worker()
	run := s.order()
	s.await(run, workflows.WaitingResolution)
	s.eventually("the other action is done", func() bool { return s.status(run).Counts.Done == 1 })
	first := s.execution(run)
	s.temporal("workflow", "reset", "--workflow-id", run, "--reason", "a drill", "--type", "LastWorkflowTask")
	s.eventually("another execution goes on", func() bool { return s.execution(run) != first })
	s.await(run, workflows.WaitingResolution)

	resolve := []string{"resolve", run, "order", "not_happened", "--as", "bo.lin", "--evidence", "the shop has no such order"}
	require.Contains(t, s.fails(1, programs.approver, resolve...), "asked_anew")
	require.Equal(t, workflows.StepInDoubt, s.status(run).Actions[0].Status)
	require.Len(t, server.Writes(), 2, "nothing is sent on the first word")
	require.Contains(t, s.approver(resolve...), "accepted: not_happened of action order")

	s.await(run, workflows.WaitingApproval)
	require.Len(t, server.Writes(), 2, "nothing is sent before the plan is approved anew")
	s.approve(run, "cy.ma")
	done := s.await(run, workflows.Completed)
	require.Len(t, server.Writes(), 4, "order twice, the first of them without an effect, other and after")
	require.Equal(t, 3, server.All(), "one effect each, counted at the shop")
	require.Equal(t, 1, server.Effects(done.Actions[0].Key))
	s.sameByQuery(run)
	s.evidenceVerifies(run)
}

// A reset repeats what was said. A word that was said twice answers itself no more
// than one that was said once, though what stood between them parts their judgements.
func TestWordsThatAResetRepeatsAnswerNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	server := s.shop("once", "")
	s.addToTool("    call_timeout: 25s\n")                 // until it is over, a word can be taken back
	server.Script(scripted.Answer{Ending: scripted.Reset}) // its effect is there
	s.worker()
	run := s.order()
	gate := s.await(run, workflows.WaitingResolution)
	s.eventually("the other action is done", func() bool { return s.status(run).Counts.Done == 1 })
	first, before := s.execution(run), s.lastTaskOf(run)
	word := `{"action_id":"order","plan_hash":"` + gate.PlanHash.String() + `","outcome":"not_happened","claim":"1","operator":"bo.lin","evidence":"I do not see it"}`
	send := func(name, input string) {
		s.temporal("workflow", "signal", "--workflow-id", run, "--name", name, "--input", input)
	}
	send(workflows.ResolutionName, word)
	send(workflows.ApprovalName, `"noise"`)
	send(workflows.ResolutionName, word)
	s.awaitVerdicts(run, 4)
	require.Contains(t, s.approver("resolve", run, "order", "abort", "--as", "cy.ma", "--evidence", "it may be there"), "accepted")
	s.await(run, workflows.Failed)

	s.temporal("workflow", "reset", "--workflow-id", run, "--reason", "a drill", "--event-id", before, "--reapply-exclude", "Update")
	s.eventually("another execution goes on", func() bool { return s.execution(run) != first })
	again := []approvals.Code{approvals.Accepted, approvals.AskedAnew, approvals.Malformed, approvals.AskedAnew}
	require.Equal(t, again, codes(s.awaitVerdicts(run, 4)))
	s.evidenceVerifies(run)
	require.Contains(t, s.approver("resolve", run, "order", "happened", "--as", "cy.ma", "--evidence", "it is there"), "accepted")
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "cy.ma")
	s.await(run, workflows.Completed)
	require.Equal(t, 3, server.All(), "one effect each, counted at the shop")
	s.sameByQuery(run)
	s.evidenceVerifies(run)
}

// lastTaskOf is the event of a run's history that a reset goes to, when it is to take
// back what comes from now on.
func (s *site) lastTaskOf(run string) (event string) {
	s.t.Helper()
	for _, e := range s.history(run) {
		if e.GetWorkflowTaskCompletedEventAttributes() != nil {
			event = fmt.Sprint(e.GetEventId())
		}
	}
	return event
}

// evidenceVerifies exports a run in which nobody signed, and checks it with its
// history.
func (s *site) evidenceVerifies(run string) {
	s.t.Helper()
	s.starter("evidence", run, "-o", s.path("bundle.json"), "--data", s.path("data"))
	s.approver("verify", s.path("bundle.json"), "--history", s.saveHistory(run))
}
