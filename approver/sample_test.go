package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/internal/sshkeys"
	"github.com/holdpoint/holdpoint/workflows"
)

// The cast: ann.wu asks, mei is an editor, bo and cy are of security.
const (
	ann = "ann.wu@example.com"
	mei = "mei.chen@example.com"
	bo  = "bo.lin@example.com"
	cy  = "cy.ma@example.com"
)

var (
	noon  = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	until = noon.Add(4 * time.Hour)
)

// key is a person's key: in memory, and where a file has it.
type key struct {
	private ed25519.PrivateKey
	signer  ssh.Signer
	line    string // of the public key
}

func newKey(t *testing.T) key {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	return key{private, signer, sshkeys.Key{Public: signer.PublicKey()}.Line()}
}

func (k key) fingerprint() string { return ssh.FingerprintSHA256(k.signer.PublicKey()) }

// file writes the private key as ssh-keygen does, with a passphrase if one is
// given.
func (k key) file(t *testing.T, passphrase string) string {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(k.private, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(k.private, "", []byte(passphrase))
	}
	require.NoError(t, err)
	return write(t, "id", string(pem.EncodeToMemory(block)))
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// startAgent serves an agent with these keys, and returns its socket.
func startAgent(t *testing.T, keys ...key) string {
	t.Helper()
	ring := agent.NewKeyring()
	for _, k := range keys {
		require.NoError(t, ring.Add(agent.AddedKey{PrivateKey: k.private}))
	}
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_ = agent.ServeAgent(ring, conn) // ends with its client
			}()
		}
	}()
	return listener.Addr().String()
}

// terms want one of the editors and one of security, by this proof.
func terms(proof approvals.Proof, signers ...signature.Key) approvals.Terms {
	return approvals.Terms{
		Label: "acme-changes", Version: "acme-changes@sha256:01", Proof: proof,
		Quorums:      []approvals.Quorum{{Group: "editors", Need: 1, Members: []string{mei}}, {Group: "security", Need: 1, Members: []string{bo, cy}}},
		DecideWithin: 4 * time.Hour, GrantLife: time.Hour,
		Resolvers: []approvals.Resolvers{{Members: []string{bo, cy}}},
		Signers:   signers,
		Reasons:   []approvals.Reason{{Rule: "payments", Actions: 1, Asks: "1 of editors and 1 of security"}},
	}
}

func of(name string, k key) signature.Key { return signature.Key{Name: name, Public: k.line} }

func samplePlan() plan.Plan {
	p := plan.Plan{
		Format: plan.Format, RunID: "acme/x", Tenant: "acme", BusinessID: "x", Goal: "Pay the invoice",
		ContextDigest: plan.Sum([]byte("context")), Planner: "given/1", WorkflowVersion: "1", Notes: []string{},
	}
	for _, id := range []string{"pay", "tell"} {
		a := plan.Action{
			ID: id, Tool: "http", ToolVersion: "1", SchemaDigest: plan.Sum([]byte("schema")), Target: "bank/" + id,
			Parameters: json.RawMessage(`{"amount":82000}`), DependsOn: []string{}, DeliveryClass: plan.Keyed, Risk: plan.HighRisk,
			SemanticVersion: "v1",
		}
		a.IdempotencyKey = plan.Identity{Tenant: "acme", BusinessID: "x", Tool: a.Tool, Target: a.Target, SemanticVersion: "v1"}.Key()
		p.Actions = append(p.Actions, a)
	}
	return p
}

// waiting is a run at the gate, as it is read from its history.
func waiting(t *testing.T, request string, terms approvals.Terms, p plan.Plan) *runs.Run {
	t.Helper()
	raw, err := p.Canonical()
	require.NoError(t, err)
	task := workflows.Task{Tenant: "acme", BusinessID: "x", Requester: ann}
	state := workflows.NewState(task)
	made := &workflows.MakePlanResult{PlanHash: plan.Sum(raw), Plan: raw}
	for _, a := range p.Actions {
		made.Actions = append(made.Actions, workflows.PlannedAction{ID: a.ID, Tool: a.Tool, Key: a.IdempotencyKey})
	}
	state.NewPlan(made)
	state.Request = &workflows.RequestApprovalResult{RequestID: request, Terms: terms}
	state.DecideBy = &until
	state.OpenGate(task, "acme/x")
	state.Status = workflows.WaitingApproval
	return seen(state)
}

// seen is a run in this state.
func seen(state workflows.State) *runs.Run {
	return &runs.Run{ID: "acme/x", TaskQueue: "holdpoint", Pollers: 1, State: state, Status: state.View("acme/x")}
}

// granted is the run after mei's and bo's approvals.
func granted(t *testing.T, r *runs.Run) *runs.Run {
	t.Helper()
	state := r.State
	for _, name := range []string{mei, bo} {
		v := approvals.Verdict{
			Code: approvals.Accepted, Decision: approvals.Approve, Approver: name, PlanHash: state.Plan.PlanHash.String(),
			At: noon, Proven: approvals.Proven{Proof: approvals.ByClaim},
		}
		state.Take(&v)
		require.Equal(t, approvals.Accepted, v.Code, v.Reason)
	}
	state.Status = workflows.Running
	return seen(state)
}

// counter is a desk with a run on it, which notes what is sent.
type counter struct {
	desk
	reads []*runs.Run // the last one again and again
	sent  []message
	out   bytes.Buffer
}

func at(keys keychain, reads ...*runs.Run) *counter {
	c := &counter{reads: reads}
	c.desk = desk{
		keys: keys, in: strings.NewReader("yes\n"), out: &c.out,
		read: func(context.Context, string) (*runs.Run, error) {
			next := c.reads[0]
			if len(c.reads) > 1 {
				c.reads = c.reads[1:]
			}
			return next, nil
		},
		load: new(session).plan,
		send: func(_ context.Context, _ *runs.Run, m message) error {
			c.sent = append(c.sent, m)
			return nil
		},
	}
	return c
}

// verdict judges the one decision that was sent, as a worker would.
func (c *counter) verdict(t *testing.T) approvals.Verdict {
	t.Helper()
	require.Len(t, c.sent, 1)
	arrival := approvals.Arrival{Raw: c.sent[0].payload, Via: approvals.ViaUpdate, At: noon}
	last := c.reads[len(c.reads)-1]
	if c.sent[0].name == workflows.ResolutionName {
		return approvals.JudgeResolutions(last.State.Doubts(), []approvals.Arrival{arrival})[0]
	}
	return approvals.Judge(last.State.GateNow(), []approvals.Arrival{arrival})[0]
}

// keys is a keychain with an agent, and a person who types no passphrase.
func keys(socket string) keychain {
	return keychain{
		Ring: sshkeys.Ring{Agent: socket, Passphrase: func(context.Context, string) ([]byte, error) { panic("asked for a passphrase") }},
		now:  func() time.Time { return noon },
	}
}
