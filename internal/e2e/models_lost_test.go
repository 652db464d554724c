package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/modelserver"
	"github.com/holdpoint/holdpoint/workflows"
)

// Answers that get lost may each have been paid for: they are bought as often as
// tries says, however many attempts the step has.
func TestLostAnswersOfAModelAreBounded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings string
		answer   modelserver.Answer
		fails    string
		calls    int
	}{
		"cut":       {"    tries: 2\n", modelserver.Answer{Text: "{}", Connection: modelserver.ResetWithin}, "answers_lost", 2},
		"gateway":   {"    tries: 2\n", modelserver.Answer{Status: 504}, "answers_lost", 2},
		"too large": {"    max_answer_bytes: 4096\n", modelserver.Answer{Text: "{}", Padding: 1 << 16}, "answer_too_large", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, weekOfNotes())
			server := s.models(tt.settings, tt.answer)
			s.worker()
			status := s.failedFor(s.startModel("w40"), tt.fails)
			require.Len(t, server.Calls(), tt.calls)
			require.Equal(t, tt.calls, step(status, workflows.MakePlan).Attempts)
			require.Len(t, s.spent(), tt.calls)
			for _, state := range s.spent() {
				require.Equal(t, "reserved", state, "each may have been paid for")
			}
		})
	}
}

// A server that does not count is not shown as one that costs nothing.
func TestUsageThatAServerDoesNotReportIsNotShownAsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	silent := goodProposal()
	silent.Usage = &modelserver.Usage{}
	s.models(`budgets: {currency: USD, prices: {scripted: {input: "2.50", output: "10.00"}}}`+"\n", silent)
	s.worker()
	run := s.startModel("w40")
	gate := s.await(run, workflows.WaitingApproval)
	require.Equal(t, 1, gate.Model.Unreported)
	require.Empty(t, gate.Model.Cost)
	require.Contains(t, s.starter("status", run), "1 calls, 0 stored replies, tokens and cost not reported by the server\n")
	require.Equal(t, []string{"reserved"}, s.spent())
}
