package e2e

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// renewed is under whose name the key is made that dee.ray has in place of his own.
const renewed = "dee.ray, renewed"

// A run that was reset has a word asked anew, and the key of the only one who may
// speak is exchanged meanwhile: the word by his old key is refused and tells the run
// of the new one. Both policies stand in the document, and verify wants to know both.
func TestEvidenceOfAKeyThatWasExchanged(t *testing.T) {
	t.Parallel()
	s := signedSite(t, nil, "")
	server := s.shop("once", "")
	server.Script(scripted.Answer{NoEffect: true, Ending: scripted.Reset})
	worker := s.worker()
	run := s.ordered()
	s.await(run, workflows.WaitingApproval)
	s.says(run, "bo.lin", approvals.Decision{Decision: approvals.Approve})
	s.says(run, "cy.ma", approvals.Decision{Decision: approvals.Approve})
	s.await(run, workflows.WaitingResolution)
	s.eventually("the other action is done", func() bool { return s.status(run).Counts.Done == 1 })
	first := s.execution(run)
	s.temporal("workflow", "reset", "--workflow-id", run, "--reason", "a drill", "--type", "LastWorkflowTask")
	s.eventually("another execution goes on", func() bool { return s.execution(run) != first })
	s.await(run, workflows.WaitingResolution)
	absent := approvals.Resolution{ActionID: "order", Claim: "1", Outcome: approvals.NotHappened, Evidence: "the shop has no such order"}
	s.resolves(run, "dee.ray", absent)
	s.awaitVerdicts(run, 3)

	worker.kill()
	s.keepPolicy("old")
	both := s.exchangeKey()
	s.keepPolicy("new")
	s.worker()
	s.resolves(run, "dee.ray", absent)
	s.eventually("the run has heard of today's policy", func() bool { return s.look(run).State.Resolving != nil })
	s.resolvesWith(run, "dee.ray", signerOf(t, renewed), absent)
	s.await(run, workflows.WaitingApproval)
	s.sameByQuery(run)
	history := s.saveHistory(run)

	s.write("allowed_signers", both) // a verifier keeps a key that was in use
	known := []string{"--history", history, "--policy", s.path("old/policy.yaml")}
	said, b := s.evidence(run, "key-exchanged", append(known, "--policy", s.path("new/policy.yaml"))...)
	require.Contains(t, said, "NOT RECORDED: not_happened by dee.ray")
	require.Contains(t, said, "the word of dee.ray was not recorded: bad_signature")
	require.Contains(t, said, "resolved as not_happened by dee.ray")
	require.NotContains(t, said, "REMARK")
	require.Len(t, b.Content.Policies, 2)
	verify := []string{"verify", s.path("key-exchanged.json"), "--allowed-signers", s.path("allowed_signers")}
	o := s.run(programs.approver, append(verify, known...)...)
	require.Equal(t, 1, o.code)
	require.Contains(t, o.out, "it is none of the policies that you gave")
}

// keepPolicy copies the policy and its keys into a folder, as a verifier would.
func (s *site) keepPolicy(folder string) {
	s.t.Helper()
	for _, name := range []string{"policy.yaml", "allowed_signers"} {
		s.write(folder+"/"+name, s.read(name))
	}
}

func (s *site) read(name string) string {
	s.t.Helper()
	raw, err := os.ReadFile(s.path(name))
	require.NoError(s.t, err)
	return string(raw)
}

// exchangeKey gives dee.ray another key, and returns the lines of an allowed_signers
// file that has both.
func (s *site) exchangeKey() (both string) {
	s.t.Helper()
	line := "dee.ray " + string(ssh.MarshalAuthorizedKey(signerOf(s.t, renewed).PublicKey()))
	lines := s.read("allowed_signers")
	var others strings.Builder
	for l := range strings.Lines(lines) {
		if !strings.HasPrefix(l, "dee.ray ") {
			others.WriteString(l)
		}
	}
	s.write("allowed_signers", others.String()+line)
	return lines + line
}
