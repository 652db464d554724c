package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"golang.org/x/sync/errgroup"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// A broken bot sends what nobody can read, on and on, and a person's approval
// is one of its many. It is acted upon while the bot goes on: before the rest of
// its three thousand has come the run has ended, and whatever the bot still
// sends is refused by the server.
func TestC042_AValidApprovalInAFlood(t *testing.T) {
	const (
		flood = 3000
		valid = 1500
		all   = 10_050
		pause = 20 * time.Millisecond // the case's fifty a second, or less where the server is slow
	)
	t.Parallel()
	s := newSiteOn(t, startServer(t), weekOfNotes()) // a server of its own, to slow nobody down
	s.worker()
	run, gate := s.startToGate("flood")
	// Up to the approval it comes faster than in the case.
	require.Zero(t, s.noise(run, valid-1), "signals to a run that had ended")
	s.sayApproved(run, gate, "bo.lin")
	i := valid
	for closed := false; !closed && i < flood; i++ {
		time.Sleep(pause)
		closed = s.isClosedTo(run, "noise")
	}
	require.Less(t, i, flood, "the number of the first signal that came to a run that had ended")
	require.Equal(t, all-i, s.noise(run, all-i), "signals to a run that had ended")

	done := s.await(run, workflows.Completed)
	s.oneEffectEach(done)
	require.Equal(t, 1, counted(done, approvals.Accepted))
	require.GreaterOrEqual(t, counted(done, approvals.Malformed), valid-1, "everything is judged and counted")
	require.LessOrEqual(t, len(done.Decisions.Recent), workflows.MaxVerdicts)
	require.Less(t, len(s.starter("status", "-o", "json", run)), 100_000)
	s.requireSmallExecutions(run)
}

// sayApproved is an approval as a signal, sent by a client that is there already.
func (s *site) sayApproved(run string, gate workflows.Status, approver string) {
	s.t.Helper()
	require.False(s.t, s.isClosedTo(run, json.RawMessage(decisionJSON("approve", gate.PlanHash.String(), approver))))
}

// noise sends n signals that nobody can read, as fast as eight senders can, and
// says how many of them came to a run that had ended.
func (s *site) noise(run string, n int) (refused int) {
	s.t.Helper()
	var bots errgroup.Group
	bots.SetLimit(8)
	var ended atomic.Int64
	for range n {
		bots.Go(func() error {
			closed, err := s.said(run, "noise")
			if closed {
				ended.Add(1)
			}
			return err
		})
	}
	require.NoError(s.t, bots.Wait())
	return int(ended.Load())
}

// isClosedTo sends a signal, and reports whether the run has ended.
func (s *site) isClosedTo(run string, said any) bool {
	s.t.Helper()
	closed, err := s.said(run, said)
	require.NoError(s.t, err)
	return closed
}

func (s *site) said(run string, what any) (closed bool, err error) {
	err = s.reader.Client.SignalWorkflow(s.t.Context(), run, "", workflows.ApprovalName, what)
	if _, ended := errors.AsType[*serviceerror.NotFound](err); ended {
		return true, nil
	}
	return false, err
}

// A broken bot sends two thousand decisions that nobody can read. The waiting
// run continues as new, with its plan and its deadline, and is still the run
// that its requester started and that its approver approves. Neither its
// histories nor its status grow with the flood, and its evidence is of one run.
func TestFloodedRunContinuesAsNewAndIsApproved(t *testing.T) {
	const flood = 2010
	t.Parallel()
	s := newSiteOn(t, startServer(t), weekOfNotes())
	s.worker()
	run, gate := s.startToGate("flood")
	first := s.execution(run)
	require.Zero(t, s.noise(run, flood), "signals to a run that had ended")
	s.eventually("the run continues as new, and everything is judged", func() bool {
		return s.execution(run) != first && counted(s.answered(run), approvals.Malformed) == flood
	})

	waiting := s.status(run)
	require.Equal(t, workflows.WaitingApproval, waiting.Status)
	require.Equal(t, gate.DecideBy, waiting.DecideBy)
	require.Equal(t, gate.PlanHash, waiting.PlanHash)
	require.Less(t, len(s.temporal("workflow", "query", "--workflow-id", run, "--name", "status", "-o", "json")), 100_000)
	s.requireSmallExecutions(run)
	s.start("flood") // equal input: attached

	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
	s.requireEvidenceOfTwoExecutions(run)
}

// requireEvidenceOfTwoExecutions wants the evidence of a run that continued as
// new to be that of one run, for which the history of each execution counts.
func (s *site) requireEvidenceOfTwoExecutions(run string) {
	s.t.Helper()
	chain, err := s.reader.Chain(s.t.Context(), run, "")
	require.NoError(s.t, err)
	require.Len(s.t, chain, 2)
	s.write("allowed_signers", "# nobody signs\n")
	s.starter("evidence", run, "-o", s.path("bundle.json"), "--data", s.path("data"))
	verify := []string{"verify", s.path("bundle.json"), "--allowed-signers", s.path("allowed_signers")}
	for i, e := range chain {
		file := fmt.Sprintf("history-%d.json", i)
		s.write(file, s.temporal("workflow", "show", "--workflow-id", run, "--run-id", e.RunID, "-o", "json"))
		verify = append(verify, "--history", s.path(file))
	}
	require.Contains(s.t, s.approver(verify...), "2 of 2 compared")
	require.Contains(s.t, s.fails(1, programs.approver, verify[:len(verify)-2]...), "do not fit")
}

// requireSmallExecutions wants every execution of a run well below what the
// server allows: 51,200 events, 50 MiB, and 10,000 signals.
func (s *site) requireSmallExecutions(run string) {
	s.t.Helper()
	id := s.execution(run)
	for n := 1; id != ""; n++ {
		require.Less(s.t, n, 100)
		described, err := s.reader.Client.DescribeWorkflow(s.t.Context(), run, id)
		require.NoError(s.t, err)
		info := described.RawResponse.GetWorkflowExecutionInfo()
		require.Less(s.t, info.GetHistoryLength(), int64(25_000), "events of execution %s", id)
		require.Less(s.t, info.GetHistorySizeBytes(), int64(20<<20), "bytes of execution %s", id)
		id = s.executionBefore(run, id)
	}
}

// executionBefore is the one that continued as this one; "" when there is none.
func (s *site) executionBefore(run, id string) string {
	s.t.Helper()
	events := s.reader.Client.GetWorkflowHistory(s.t.Context(), run, id, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	require.True(s.t, events.HasNext())
	started, err := events.Next()
	require.NoError(s.t, err)
	return started.GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId()
}

// answered asks the run itself: a history of thousands of events is long to read.
func (s *site) answered(run string) (status workflows.Status) {
	s.t.Helper()
	answer, err := s.reader.Client.QueryWorkflow(s.t.Context(), run, "", workflows.StatusQuery)
	if err == nil {
		err = answer.Get(&status)
	}
	if err != nil {
		return workflows.Status{} // it is between two executions; asked again
	}
	return status
}

// counted is how often a verdict was given.
func counted(status workflows.Status, code approvals.Code) int {
	for _, c := range status.Decisions.Counts {
		if c.Code == code {
			return c.Count
		}
	}
	return 0
}

// execution is Temporal's id of a run's newest execution.
func (s *site) execution(run string) string {
	s.t.Helper()
	described, err := s.reader.Client.DescribeWorkflow(s.t.Context(), run, "")
	require.NoError(s.t, err)
	return described.WorkflowExecution.RunID
}
