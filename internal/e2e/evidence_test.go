package e2e

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/workflows"
)

// recordEvidence names a folder in which the bundles of these tests are kept,
// for the testdata of package evidence.
const recordEvidence = "HOLDPOINT_RECORD_EVIDENCE"

// signers are the people of these tests who have keys, made for them alone.
var signers = []string{"ann.wu", "bo.lin", "cy.ma", "dee.ray"}

func privateKeyOf(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte("a throwaway key of " + name))
	return ed25519.NewKeyFromSeed(seed[:])
}

func signerOf(t *testing.T, name string) ssh.Signer {
	t.Helper()
	key, err := ssh.NewSignerFromKey(privateKeyOf(name))
	require.NoError(t, err)
	return key
}

// signedSite is a site whose policy wants signatures, with an allowed_signers
// file and a private key file of ann.wu.
func signedSite(t *testing.T, notes map[string]string, rules string) *site {
	t.Helper()
	s := newSite(t, notes)
	s.writeKeys()
	s.write("policy.yaml", `label: orders
allowed_signers_file: allowed_signers
groups:
  editors: {members: [bo.lin]}
  security: {members: [cy.ma]}
  operators: {members: [dee.ray]}
default:
  quorums: [1 of editors, 1 of security]
  decide_within: 1h
  grant_life: 1h
  proof: signature
  resolvers: operators
`+rules)
	return s
}

// writeKeys writes an allowed_signers file, and a private key file of ann.wu.
func (s *site) writeKeys() {
	s.t.Helper()
	var lines strings.Builder
	for _, name := range signers {
		fmt.Fprintf(&lines, "%s %s", name, ssh.MarshalAuthorizedKey(signerOf(s.t, name).PublicKey()))
	}
	s.write("allowed_signers", lines.String())
	block, err := ssh.MarshalPrivateKey(privateKeyOf("ann.wu"), "")
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(s.path("ann.key"), pem.EncodeToMemory(block), 0o600))
}

// says sends a decision that is signed for what the run asks now.
func (s *site) says(run, name string, d approvals.Decision) {
	s.t.Helper()
	gate := s.look(run).State.GateNow()
	d.PlanHash, d.Approver = gate.PlanHash, name
	statement, err := gate.StatementOf(d)
	require.NoError(s.t, err)
	d.Signature, err = signature.Sign(statement.Bytes(), signerOf(s.t, name))
	require.NoError(s.t, err)
	s.sends(run, workflows.ApprovalName, d)
}

func (s *site) sends(run, name string, word any) {
	s.t.Helper()
	raw, err := json.Marshal(word)
	require.NoError(s.t, err)
	s.temporal("workflow", "signal", "--workflow-id", run, "--name", name, "--input", string(raw))
}

// resolves sends a signed word about an action in doubt.
func (s *site) resolves(run, name string, r approvals.Resolution) {
	s.t.Helper()
	s.resolvesWith(run, name, signerOf(s.t, name), r)
}

func (s *site) resolvesWith(run, name string, key ssh.Signer, r approvals.Resolution) {
	s.t.Helper()
	doubts := s.look(run).State.Doubts()
	r.PlanHash, r.Operator = doubts.PlanHash, name
	statement, err := doubts.StatementOf(r)
	require.NoError(s.t, err)
	r.Signature, err = signature.Sign(statement.Bytes(), key)
	require.NoError(s.t, err)
	s.sends(run, workflows.ResolutionName, r)
}

// ordered starts the run of the plan that lies among the notes.
func (s *site) ordered() (run string) {
	s.t.Helper()
	task, err := json.Marshal(workflows.Task{
		Tenant: s.name, BusinessID: "orders", Goal: "order it", Requester: "ann.wu", Planner: "given",
		Context: []workflows.Source{{Root: "notes"}}, Tools: []workflows.ToolUse{{Tool: "shop", Target: "shop"}},
	})
	require.NoError(s.t, err)
	s.write("task.json", string(task))
	s.starter("start", "--task", s.path("task.json"), "-t", s.name)
	return s.name + "/orders"
}

// evidence exports a run, checks that it verifies, and returns what verify said
// and the bundle.
func (s *site) evidence(run, name string, verify ...string) (said string, b evidence.Bundle) {
	s.t.Helper()
	file := s.path(name + ".json")
	s.starter("evidence", run, "-o", file, "--data", s.path("data"), "--key", s.path("ann.key"), "--as", "ann.wu")
	args := append([]string{"verify", file, "--allowed-signers", s.path("allowed_signers"), "--sealed-by", "ann.wu"}, verify...)
	said = s.approver(args...)
	raw, err := os.ReadFile(file)
	require.NoError(s.t, err)
	b, err = evidence.Parse(raw)
	require.NoError(s.t, err)
	if folder := os.Getenv(recordEvidence); folder != "" {
		require.NoError(s.t, os.WriteFile(filepath.Join(folder, name+".json"), raw, 0o644))
		signers, err := os.ReadFile(s.path("allowed_signers"))
		require.NoError(s.t, err)
		require.NoError(s.t, os.WriteFile(filepath.Join(folder, "allowed_signers"), signers, 0o644))
	}
	return said, b
}

// The whole way: refusals, two quorums, a confirmation, a doubt and its
// resolution, all signed, and exported at every stop.
func TestEvidenceStandsAlone(t *testing.T) {
	t.Parallel()
	s := signedSite(t, nil, `rules:
  - name: first-order
    match: parameters.number == "1"
    confirm: true
`)
	server := s.shop("once", "")
	server.Script(scripted.Answer{}, scripted.Answer{Ending: scripted.Reset}) // the second, and that is the confirmed one
	s.worker()
	run := s.ordered()
	first := s.await(run, workflows.WaitingApproval)
	s.signal(run, `{"decision":"approve"}`)
	s.signal(run, decisionJSON("approve", first.PlanHash.String(), "bo.lin"))
	s.awaitVerdicts(run, 2)
	waiting, _ := s.evidence(run, "waiting")
	require.Contains(t, waiting, "granted    not on this request")

	s.says(run, "bo.lin", approvals.Decision{Decision: approvals.Approve, Comment: "looks right"})
	s.says(run, "cy.ma", approvals.Decision{Decision: approvals.Approve})
	s.eventually("the order waits for its word", func() bool {
		seen := s.look(run)
		return seen != nil && len(seen.State.GateNow().Confirm) == 1
	})
	s.says(run, "cy.ma", approvals.Decision{Decision: approvals.Approve, ActionID: "order", Comment: "now"})
	s.await(run, workflows.WaitingResolution)
	s.eventually("the other action is done", func() bool { return s.status(run).Counts.Done == 1 })
	s.evidence(run, "in-doubt")
	s.resolves(run, "dee.ray", approvals.Resolution{ActionID: "order", Outcome: approvals.Happened, Evidence: "order-1 is in the shop"})
	done := s.await(run, workflows.Completed)

	history := s.saveHistory(run)
	said, b := s.evidence(run, "signed", "--history", history, "--policy", s.path("policy.yaml"))
	for _, line := range []string{
		": COMPLETED", "sealed by ann.wu with SHA256:", "1 of 1 compared with the histories that you gave",
		"1 of editors and 1 of security by the policy orders@sha256:",
		"order: shop to shop/orders, key " + done.Actions[0].Key, "approved by bo.lin for editors, signed with SHA256:",
		"approved by cy.ma for security, signed with SHA256:", "rules first-order, default", "confirmed by cy.ma",
		"receipt by the word of dee.ray", "resolved as happened by dee.ray", "order-1 is in the shop", "OK         everything",
	} {
		require.Contains(t, said, line)
	}
	require.Equal(t, 3, server.All())
	requireDigestByHand(t, b.Content.Executions[0].History, history)

	s.tampered("signed")
}

// A plan that was sent back, and the one that was approved in its place.
func TestEvidenceOfARevision(t *testing.T) {
	t.Parallel()
	notes := weekOfNotes()
	notes["hiring.md"] = "# Hiring\n\n## 2025-10-01\n\n- planned: interviews\n"
	s := signedSite(t, notes, "")
	s.worker()
	run, first := s.startToGate("revised")
	s.says(run, "bo.lin", approvals.Decision{Decision: approvals.Approve})
	s.says(run, "cy.ma", approvals.Decision{Decision: approvals.Revise, Feedback: "exclude: hiring.md"})
	s.awaitNewPlan(run, first)
	s.signal(run, decisionJSON("approve", first.PlanHash.String(), "cy.ma"))
	s.says(run, "cy.ma", approvals.Decision{Decision: approvals.Approve})
	s.says(run, "bo.lin", approvals.Decision{Decision: approvals.Approve})
	s.oneEffectEach(s.await(run, workflows.Completed))

	said, b := s.evidence(run, "revised", "--history", s.saveHistory(run))
	require.Contains(t, said, "revise by cy.ma")
	require.Contains(t, said, "exclude: hiring.md")
	require.Len(t, b.Content.Plans, 2)
	require.Nil(t, b.Content.Requests[0].Grant, "what was approved of the first plan is void")
}

// requireDigestByHand computes a history's digest as the manual says.
func requireDigestByHand(t *testing.T, want plan.Digest, file string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	canonical, err := plan.Canonicalize(raw)
	require.NoError(t, err)
	require.Equal(t, want, plan.Sum(canonical), "the CLI's own JSON in canonical form")
	if _, err := exec.LookPath("jq"); err != nil {
		return // a shell without it has other ways
	}
	out, err := exec.Command("sh", "-c", `jq -cSj . "$0" | sha256sum`, file).Output()
	require.NoError(t, err)
	require.Equal(t, want.Hex(), strings.Fields(string(out))[0])
}

// tampered changes what a run's bundle says and wants the program to see it.
func (s *site) tampered(name string) {
	s.t.Helper()
	raw, err := os.ReadFile(s.path(name + ".json"))
	require.NoError(s.t, err)
	verify := []string{"verify", s.path("tampered.json"), "--allowed-signers", s.path("allowed_signers")}
	for _, change := range [][2]string{
		{`"bo.lin"`, `"cy.ma"`}, {"looks right", "looks wrong"}, {`"outcome": "done"`, `"outcome": "expired"`}, {"by the word of dee.ray", "order-1"},
	} {
		require.Contains(s.t, string(raw), change[0])
		s.write("tampered.json", strings.ReplaceAll(string(raw), change[0], change[1]))
		require.Contains(s.t, s.fails(1, programs.approver, verify...), "do not fit", "%s", change[0])
	}
	s.write("tampered.json", string(raw))
	require.Contains(s.t, s.fails(1, programs.approver, append(verify, "--sealed-by", "bo.lin")...), "do not fit")
	s.write("nobody", "# nobody\n")
	verify[3] = s.path("nobody")
	require.Contains(s.t, s.fails(1, programs.approver, verify...), "do not fit")
	require.Contains(s.t, s.fails(2, programs.approver, "verify", s.path("tampered.json")), "--allowed-signers")
}

// Nobody was asked.
func TestEvidenceOfARunByPolicy(t *testing.T) {
	t.Parallel()
	s := signedSite(t, nil, "rules: [{name: small-orders, match: tool == \"shop\", approval: none}]\n")
	s.shop("once", "")
	s.worker()
	run := s.ordered()
	s.await(run, workflows.Completed)
	said, _ := s.evidence(run, "by-policy", "--history", s.saveHistory(run))
	require.Contains(t, said, "approved by nobody: the policy's rules small-orders ask nobody")
}

func TestEvidenceOfRunsThatEndOtherwise(t *testing.T) {
	t.Parallel()
	s := signedSite(t, nil, "rules: [{name: hasty, match: tool == \"shop\", decide_within: 2s, ask_again: 1}]\n")
	s.shop("once", "")
	s.worker()
	run := s.ordered()
	s.await(run, workflows.Expired)
	said, b := s.evidence(run, "expired", "--history", s.saveHistory(run))
	require.Contains(t, said, ": EXPIRED")
	require.Len(t, b.Content.Requests, 2)

	claims := newSite(t, weekOfNotes())
	claims.writeKeys()
	claims.worker()
	rejected, _ := claims.startToGate("rejected")
	claims.approver("reject", rejected, "--as", "ann.wu", "--yes", "--comment", "a mistake")
	claims.await(rejected, workflows.Rejected)
	said, _ = claims.evidence(rejected, "rejected")
	require.Contains(t, said, "REJECTED: rejected by ann.wu: a mistake")

	approved, _ := claims.startToGate("approved")
	claims.approver("approve", approved, "--as", "bo.lin", "--yes")
	claims.await(approved, workflows.Completed)
	said = claims.unsealed(approved)
	require.Contains(t, said, "approved by bo.lin for approvers, claim, not proved")
	require.Contains(t, said, "recorded by the exporter, not sealed")
}

// unsealed exports a run without a seal, and returns what verify says.
func (s *site) unsealed(run string) string {
	s.t.Helper()
	s.starter("evidence", run, "-o", s.path("bundle.json"), "--data", s.path("data"))
	return s.approver("verify", s.path("bundle.json"), "--allowed-signers", s.path("allowed_signers"), "--history", s.saveHistory(run))
}

// What cannot be had is said, and not left out in silence.
func TestEvidenceSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.write("allowed_signers", "# nobody signs\n")
	s.worker()
	run, _ := s.startToGate("missing")
	file := s.path("bundle.json")
	refused := s.fails(1, programs.starter, "evidence", run, "-o", file, "--data", s.path("elsewhere"))
	require.Contains(t, refused, "manifest of the context")
	require.Contains(t, refused, "policy test@sha256:")
	require.NoFileExists(t, file)
	require.NoDirExists(t, s.path("elsewhere"))

	s.starter("evidence", run, "-o", file, "--data", s.path("elsewhere"), "--allow-missing")
	verified := s.run(programs.approver, "verify", file, "--allowed-signers", s.path("allowed_signers"))
	require.Equal(t, 1, verified.code)
	require.Contains(t, verified.out, "NOT OK     missing: manifest of the context")
	require.Contains(t, s.fails(1, programs.starter, "evidence", s.name+"/none", "-o", file), "no such run")
}
