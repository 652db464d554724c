package e2e

import (
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// The only one who may speak has exchanged his key while an action waits for him.
// His word by the new one is refused once, by what the run knows; with that it hears
// of the new key, and the same word is taken.
func TestANewKeyIsTakenOnceTheRunHasHeardOfIt(t *testing.T) {
	t.Parallel()
	s := signedSite(t, nil, "")
	server := s.shop("once", "")
	server.Script(scripted.Answer{Ending: scripted.Reset})
	worker := s.worker()
	run := s.ordered()
	s.await(run, workflows.WaitingApproval)
	s.says(run, "bo.lin", approvals.Decision{Decision: approvals.Approve})
	s.says(run, "cy.ma", approvals.Decision{Decision: approvals.Approve})
	s.await(run, workflows.WaitingResolution)
	s.eventually("the other action is done", func() bool { return s.status(run).Counts.Done == 1 })

	worker.kill()
	s.keepPolicy("old")
	both := s.exchangeKey()
	s.keepPolicy("new")
	block, err := ssh.MarshalPrivateKey(privateKeyOf(renewed), "")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.path("dee.new"), pem.EncodeToMemory(block), 0o600))
	s.worker()
	resolve := []string{"resolve", run, "order", "happened", "--as", "dee.ray", "--evidence", "order-1 is in the shop", "--key", s.path("dee.new")}
	refused := s.run(programs.approver, resolve...)
	require.Equal(t, 1, refused.code, refused.out)
	require.Contains(t, refused.out, "as it has heard of it")
	require.Contains(t, refused.err, "bad_signature")
	require.Contains(t, refused.err, "say it again in a moment")
	s.eventually("the run has heard of today's policy", func() bool { return s.look(run).State.Resolving != nil })
	require.Contains(t, s.approver(resolve...), "accepted: happened of action order")

	s.await(run, workflows.Completed)
	require.Equal(t, 3, server.All(), "what happened is not sent again")
	s.sameByQuery(run)
	s.keepHistory(run, "heard-of-the-policy-of-the-day")
	s.write("allowed_signers", both) // a verifier keeps a key that was in use
	s.evidence(run, "new-key-heard", "--history", s.saveHistory(run), "--policy", s.path("old/policy.yaml"), "--policy", s.path("new/policy.yaml"))
}

// Somebody whom the policy of the day does not know gives up no action.
func TestAnAbortOfOneWhoLeftEndsNoRun(t *testing.T) {
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

	abort := func(operator string) []string {
		return []string{"resolve", run, "order", "abort", "--as", operator, "--evidence", "nobody will find out"}
	}
	require.Contains(t, s.approver(abort("bo.lin")...), "accepted: abort of action order", "by what the run knows")
	s.eventually("the run names who may by now", func() bool { return s.status(run).Resolver == "di.po" })
	waits := s.status(run)
	require.Equal(t, workflows.WaitingResolution, waits.Status)
	require.Contains(t, waits.Actions[0].Doubt.Detail, "the word of bo.lin was not recorded: not_a_resolver")
	require.Nil(t, waits.Actions[0].Resolution)
	s.sameByQuery(run)

	s.approver(abort("di.po")...)
	ended := s.await(run, workflows.Failed)
	require.Equal(t, "execute_action: order: its outcome stays unknown; aborted by di.po", ended.Reason)
	require.Equal(t, 1, ended.Counts.InDoubt)
	require.Equal(t, 2, server.All())
	s.sameByQuery(run)
	s.keepHistory(run, "aborted-by-the-policy-of-the-day")
	s.evidenceVerifies(run)
}

// recordHistories names the folder in which histories are kept that a later version
// must replay.
const recordHistories = "HOLDPOINT_RECORD_HISTORIES"

// keepHistory keeps a run's history there, when that is wanted.
func (s *site) keepHistory(run, name string) {
	s.t.Helper()
	if folder := os.Getenv(recordHistories); folder != "" {
		raw, err := os.ReadFile(s.saveHistory(run))
		require.NoError(s.t, err)
		require.NoError(s.t, os.WriteFile(filepath.Join(folder, name+".json"), raw, 0o644))
	}
}

// What a word needs to be recorded may be away for as long as it likes: that keeps
// no run from its end, and the doubt is named.
func TestACancelEndsARunWhoseWordCannotBeRecorded(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	server := s.shop("once", "")
	server.Script(scripted.Answer{Ending: scripted.Reset})
	worker := s.worker()
	run := s.order()
	s.await(run, workflows.WaitingResolution)
	s.eventually("the other action is done", func() bool { return s.status(run).Counts.Done == 1 })
	worker.kill()
	require.NoError(t, os.Rename(s.path("data", "blobs"), s.path("data", "blobs.away")))
	s.worker()
	s.approver("resolve", run, "order", "happened", "--as", "bo.lin", "--evidence", "order-1 is in the shop")
	s.eventually("it cannot be recorded", func() bool {
		pending := s.look(run).Pending
		return len(pending) == 1 && pending[0].Failure != ""
	})
	s.starter("cancel", run)
	ended := s.await(run, workflows.Canceled)
	require.Equal(t, 1, ended.Counts.InDoubt)
	require.Contains(t, ended.Actions[0].Doubt.Detail, "the run ended before the word of bo.lin was recorded")
	require.Equal(t, 2, server.All())
	s.sameByQuery(run)
	s.keepHistory(run, "canceled-while-a-word-is-recorded")
}
