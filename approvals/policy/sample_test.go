package policy

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The cast: ann.wu asks; mei and tom edit, bo, cy and eve guard. Bo, cy and mei have keys.
const (
	ann = "ann.wu@example.com"
	mei = "mei.chen@example.com"
	tom = "tom.baker@example.com"
	bo  = "bo.lin@example.com"
	cy  = "cy.ma@example.com"
	eve = "eve.li@example.com"
)

const sampleFile = `# who may change what
label: acme-changes
groups:
  editors:
    members: [tom.baker@example.com, Mei.Chen@example.com]
  security:
    members:
      - bo.lin@example.com
      - cy.ma@example.com
      - eve.li@example.com
    tenants: [acme]
allowed_signers_file: keys/allowed_signers
default:
  quorums: ["1 of editors"]
  decide_within: 24h
  grant_life: 8h
rules:
  - name: payments
    match: tool == "pay" && parameters.amount > 1000
    quorums: ["1 of editors", "2 of security"]
    proof: signature
    confirm: true
    decide_within: 4h
    grant_life: 1h
    ask_again: 2
    remind_after: [1h, 3h]
    resolvers: security
  - name: drafts
    match: target.startsWith("wiki/drafts/")
    approval: none
`

// publicKey is an ed25519 key of 32 equal bytes.
func publicKey(b byte) string {
	blob := "\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + strings.Repeat(string([]byte{b}), 32)
	return "ssh-ed25519 " + base64.StdEncoding.EncodeToString([]byte(blob))
}

// sampleSigners holds two keys of bo, one of cy, one of mei, and a stranger's.
func sampleSigners() string {
	return fmt.Sprintf("# keys\n%s %s\n%s namespaces=\"holdpoint\" %s\nMei.Chen@example.com %s\n%s valid-before=\"20300101Z\" %s\nstranger %s\n",
		bo, publicKey(2), cy, publicKey(3), publicKey(4), bo, publicKey(1), publicKey(9))
}

// reading is a file system of one file.
func reading(path, text string) func(string) ([]byte, error) {
	return func(asked string) ([]byte, error) {
		if asked != path {
			return nil, fmt.Errorf("there is no file %s", asked)
		}
		return []byte(text), nil
	}
}

func read(t require.TestingT, text string) *Policy {
	if h, ok := t.(interface{ Helper() }); ok {
		h.Helper()
	}
	p, err := Parse([]byte(text), "policy.yaml", reading("keys/allowed_signers", sampleSigners()))
	require.NoError(t, err)
	return p
}

// action is one that writes what.
func action(id, tool, target, parameters string) plan.Action {
	return plan.Action{
		ID: id, Tool: tool, ToolVersion: "1", Target: target, Parameters: []byte(parameters),
		DeliveryClass: plan.Keyed, Risk: plan.LowRisk, SemanticVersion: "v1",
	}
}

func planOf(actions ...plan.Action) plan.Plan {
	return plan.Plan{Tenant: "acme", BusinessID: "w48", Planner: "outline/1", Actions: actions}
}

var (
	page    = action("page", "wiki", "wiki/index.md", `{}`)
	draft   = action("draft", "wiki", "wiki/drafts/a.md", `{}`)
	small   = action("small", "pay", "bank/a", `{"amount":999.5}`)
	payment = action("payment", "pay", "bank/b", `{"amount":1000.5}`)
)
