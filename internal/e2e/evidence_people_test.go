package e2e

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/workflows"
)

// paged is the configuration of a pager that everybody is told by.
func (s *site) paged() (more string) {
	s.t.Helper()
	secret := []byte("the secret of the pager, 32 long")
	s.write("pager.secret", "whsec_"+base64.StdEncoding.EncodeToString(secret))
	return "\nnotify:\n  pager: {webhook: {url: \"" + newPager(s.t, secret).URL + "\", allow_http: true, secret: \"${file:pager.secret}\"}}\n"
}

// Two effects of which nobody knows, a word that takes the place of another, a
// confirmation, and the notices about all of it.
func TestEvidenceOfTwoDoubts(t *testing.T) {
	t.Parallel()
	s := signedSite(t, nil, `rules:
  - name: last-order
    match: parameters.number == "3"
    confirm: true
`)
	server := s.shop("once", s.paged())
	s.addToTool("    call_timeout: 20s\n") // so long a word that it did not happen can be taken back
	server.Script(scripted.Answer{Ending: scripted.Reset}, scripted.Answer{Ending: scripted.Reset})
	s.worker()
	run := s.ordered()
	s.await(run, workflows.WaitingApproval)
	s.says(run, "bo.lin", approvals.Decision{Decision: approvals.Approve})
	s.says(run, "cy.ma", approvals.Decision{Decision: approvals.Approve})
	s.eventually("both are in doubt", func() bool { return len(s.look(run).State.Doubts().Waiting) == 2 })
	s.eventually("the pager was told", func() bool { return delivered(s.status(run)) == 3 })
	s.sameByQuery(run)
	said, _ := s.evidence(run, "two-in-doubt", "--history", s.saveHistory(run))
	require.Contains(t, said, "in_doubt")

	s.resolves(run, "dee.ray", approvals.Resolution{ActionID: "order", Claim: "1", Outcome: approvals.NotHappened, Evidence: "no order 1 in the list"})
	s.eventually("the ledger was asked", func() bool {
		a := s.status(run).Actions[0]
		return a.Resolution != nil && a.Resolution.Applied && a.Doubt != nil && a.Doubt.QuietUntil != nil
	})
	s.sameByQuery(run)
	_, b := s.evidence(run, "waiting-to-send-again", "--history", s.saveHistory(run))
	waits := 0
	for _, try := range b.Content.Actions[0].Tries {
		if try.Settled != nil && try.Settled.Wait > 0 {
			waits++
		}
	}
	require.Positive(t, waits)

	s.resolves(run, "dee.ray", approvals.Resolution{ActionID: "order", Outcome: approvals.Happened, Evidence: "it came late: order-1"})
	s.resolves(run, "dee.ray", approvals.Resolution{ActionID: "other", Outcome: approvals.Happened, Evidence: "order-2 is there"})
	s.await(run, workflows.WaitingApproval)
	s.sameByQuery(run)
	s.says(run, "cy.ma", approvals.Decision{Decision: approvals.Approve, ActionID: "after"})
	s.await(run, workflows.Completed)
	said, _ = s.evidence(run, "two-resolved", "--history", s.saveHistory(run), "--policy", s.path("policy.yaml"))
	require.Contains(t, said, "resolved as not_happened by dee.ray")
	require.Contains(t, said, "resolved as happened by dee.ray")
	require.Contains(t, said, "confirmed by cy.ma")
	require.Equal(t, 3, server.All())
}

// Words about two effects, by claim: nothing is signed, and nobody was told. The
// last action took two attempts.
func TestEvidenceOfWordsByClaim(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.writeKeys()
	server := s.shop("once", "")
	server.Script(scripted.Answer{Ending: scripted.Reset}, scripted.Answer{Ending: scripted.Reset}, scripted.Throttle(429, "1"))
	s.worker()
	run := s.order()
	s.eventually("both are in doubt", func() bool { return len(s.look(run).State.Doubts().Waiting) == 2 })
	for _, id := range []string{"order", "other"} {
		s.approver("resolve", run, id, "happened", "--as", "bo.lin", "--evidence", "it is in the shop")
	}
	s.await(run, workflows.Completed)
	said, b := s.evidence(run, "resolved-by-claim", "--history", s.saveHistory(run))
	require.Contains(t, said, "resolved as happened by bo.lin")
	require.Contains(t, said, "claim, not proved")
	again := 0
	for _, a := range b.Content.Actions {
		if a.Tries[0].Attempt == 2 && a.Tries[0].Before != "" {
			again++
		}
	}
	require.Equal(t, 1, again)
}

// delivered counts the notices that were taken.
func delivered(s workflows.Status) (n int) {
	for _, notice := range s.Notices {
		if notice.Status == workflows.StepCompleted {
			n++
		}
	}
	return n
}

// Nobody decides, though everybody is told, reminded and asked again.
func TestEvidenceOfARunThatNobodyCameTo(t *testing.T) {
	t.Parallel()
	s := signedSite(t, nil, "rules: [{name: hasty, match: tool == \"shop\", decide_within: 4s, ask_again: 1, remind_after: [1s, 2s]}]\n")
	s.shop("once", s.paged())
	s.worker()
	run := s.ordered()
	s.eventually("it is asked again", func() bool {
		seen := s.look(run)
		return seen != nil && seen.State.Asked == 1 && seen.State.Gate.Phase == approvals.PhaseOpen
	})
	s.says(run, "bo.lin", approvals.Decision{Decision: approvals.Approve, Comment: "too few of us"})
	s.await(run, workflows.Expired)
	said, b := s.evidence(run, "told-and-expired", "--history", s.saveHistory(run))
	require.Contains(t, said, ": EXPIRED")
	told := map[workflows.Event]int{}
	for _, n := range b.Content.Notices {
		told[n.Event]++
	}
	require.Equal(t, map[workflows.Event]int{workflows.ApprovalRequested: 2, workflows.ApprovalReminded: 4, workflows.ApprovalExpired: 1}, told)
}

// A reset takes back what was said: everybody is asked anew, and every program
// says why.
func TestEvidenceOfARunThatWasReset(t *testing.T) {
	t.Parallel()
	s := signedSite(t, nil, "")
	s.shop("once", s.paged())
	s.worker()
	run := s.ordered()
	s.await(run, workflows.WaitingApproval)
	s.says(run, "bo.lin", approvals.Decision{Decision: approvals.Approve})
	s.awaitVerdicts(run, 1)
	first := s.execution(run)
	s.temporal("workflow", "reset", "--workflow-id", run, "--reason", "a drill", "--event-id", strconv.FormatInt(s.atTheGate(run), 10))
	s.eventually("another execution goes on", func() bool { return s.execution(run) != first })
	s.await(run, workflows.WaitingApproval)
	opened := s.status(run).RequestID
	s.says(run, "cy.ma", approvals.Decision{Decision: approvals.Approve})
	s.eventually("the gate opened anew", func() bool { return s.status(run).RequestID != opened })
	s.eventually("it is shown", func() bool { return s.look(run).State.Gate.Phase == approvals.PhaseOpen })

	s.sameByQuery(run)
	require.Zero(t, s.look(run).State.Asked, "that nobody decided in time is another thing")
	const why = "the run was reset since its approval was asked for"
	require.Contains(t, s.starter("status", run), why)
	require.Contains(t, s.approver("show", run), why)
	history := s.saveHistory(run)
	_, b := s.evidence(run, "reset", "--history", history)
	if folder := os.Getenv(recordEvidence); folder != "" {
		raw, err := os.ReadFile(history)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "waiting-after-a-reset.history"), raw, 0o644))
	}
	require.Contains(t, b.Content.Result.Verdicts, workflows.CodeCount{Code: approvals.AskedAnew, Count: 1})
	requireNoneGranted(t, b)
}

func requireNoneGranted(t *testing.T, b evidence.Bundle) {
	t.Helper()
	require.Len(t, b.Content.Requests, 2)
	for _, r := range b.Content.Requests {
		require.Nil(t, r.Grant)
	}
}

// atTheGate is the event of the workflow task that opened the gate.
func (s *site) atTheGate(run string) (event int64) {
	s.t.Helper()
	for _, e := range s.history(run) {
		if e.GetEventType() == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			event = e.GetEventId()
		}
		if e.GetEventType() == enums.EVENT_TYPE_TIMER_STARTED {
			return event
		}
	}
	require.Fail(s.t, "the gate never opened")
	return 0
}
