package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/modelserver"
	"github.com/holdpoint/holdpoint/workflows"
)

// badProposal is a reply with five fields that do not exist, each of which could be
// named as what is wrong.
func badProposal() modelserver.Answer {
	bad := goodProposal()
	bad.Text = strings.Replace(bad.Text, `"id":"report"`, `"id":"report","risk":"low","approver":"me","ttl":1,"policy":{},"key":"x"`, 1)
	return bad
}

// Each worker dies right after a reply was stored: the next one asks the same
// questions, and finds every reply.
func TestRepliesToBothQuestionsAreNotBoughtAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	server := s.models("", badProposal(), goodProposal())
	run := s.startModel("w40")
	for range 2 {
		victim := s.worker("--stop-at", "make_plan.reply_stored")
		s.stopped(victim)
		victim.kill()
	}
	s.worker()
	gate := s.await(run, workflows.WaitingApproval)

	require.Len(t, server.Calls(), 2)
	require.Contains(t, string(server.Calls()[1].Body), "additional properties 'approver', 'key', 'policy', 'risk', 'ttl' not allowed")
	require.Equal(t, 0, gate.Model.Calls)
	require.Equal(t, 2, gate.Model.Stored)
	require.Equal(t, []string{"settled", "settled"}, s.spent(), "what the dead workers could not say")
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
	require.Len(t, server.Calls(), 2)
}

// A tenant's runs ask at once, and have no room for all that they reserve, but for
// all that they use: none fails.
func TestParallelRunsWaitForEachOthersBudget(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	slow := goodProposal()
	slow.Delay = 3 * time.Second
	// A call uses 1,280 tokens, and is reserved for about 3,000: two fit beside each
	// other, and four one after the other.
	server := s.models("    output_tokens: 1500\nbudgets: {tenant: {tokens: 8000}}\n", slow)
	first, second := s.worker(), s.worker()
	var runs []string
	for n := range 4 {
		runs = append(runs, s.startModel(fmt.Sprint("w", n)))
	}
	for _, run := range runs {
		s.await(run, workflows.WaitingApproval)
	}
	require.Len(t, server.Calls(), len(runs))
	require.NotContains(t, s.spent(), "reserved")
	require.Contains(t, first.said()+second.said(), "budget_reserved", "some had to wait")
	calls := server.Calls()
	for i := range calls[2:] {
		require.GreaterOrEqual(t, calls[i+2].At.Sub(calls[i].At), slow.Delay, "no third call beside two")
	}
}

// However long what people write, and however often, it ends no run.
func TestLongFeedbackEndsNoRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	server := s.models("    input_tokens: 4000\n", goodProposal())
	s.worker()
	run := s.startModel("w40")
	gate := s.await(run, workflows.WaitingApproval)
	for n := range 4 {
		wish := fmt.Sprintf("Wish %d: %s", n, strings.Repeat("please be more brief in this part ", 100))
		s.approver("revise", run, "--as", "bo.lin", "--feedback", wish, "--yes")
		gate = s.awaitNewPlan(run, gate)
		require.Contains(t, userMessage(t, server.Calls()[n+1]), wish, "the latest words, whole")
	}
	require.Len(t, server.Calls(), 5)
	require.Contains(t, userMessage(t, server.Calls()[4]), "Of their words the oldest are not shown, because there is no room for them: ")
	require.Contains(t, strings.Join(s.plan(run).Notes, "\n"), "of 4 feedbacks the model was given the latest ")
	s.approve(run, "bo.lin")
	s.await(run, workflows.Completed)
}
