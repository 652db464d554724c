package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const policyText = `label: acme-changes
groups:
  editors: {members: [mei.chen@example.com, tom.baker@example.com]}
  security: {members: [bo.lin@example.com, cy.ma@example.com], tenants: [acme]}
allowed_signers_file: signers
default:
  quorums: [1 of editors]
  decide_within: 24h
  grant_life: 8h
rules:
  - name: payments
    match: tool == "pay" && parameters.amount > 1000
    quorums: [1 of editors, 1 of security]
    proof: signature
    confirm: true
    decide_within: 90m
    ask_again: 2
    remind_after: [30m]
    resolvers: security
  - name: drafts
    match: target.startsWith("wiki/drafts/")
    approval: none
`

const tableText = `examples:
  - name: a large payment
    tenant: acme
    requester: ann.wu@example.com
    actions:
      - {tool: pay, target: bank/x, parameters: {amount: 82000}}
    expect:
      quorums: [1 of editors, 1 of security]
      proof: signature
  - name: a draft
    tenant: acme
    requester: ann.wu@example.com
    actions:
      - {tool: pages, target: wiki/drafts/x}
    expect: {asks: nobody}
`

// offline runs the program without any Temporal server in reach.
func offline(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	t.Setenv("TEMPORAL_ADDRESS", "127.0.0.1:1")
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// policyFolder has the policy and its signers: a key for mei, bo and cy each.
func policyFolder(t *testing.T, table string) (folder string, mine key) {
	t.Helper()
	folder, mine = t.TempDir(), newKey(t)
	for name, text := range map[string]string{
		"policy.yaml": policyText, "table.yaml": table,
		"signers": "mei.chen@example.com " + mine.line + "\nbo.lin@example.com " + newKey(t).line + "\ncy.ma@example.com " + newKey(t).line + "\n" +
			"tom.baker@example.com namespaces=\"git\" " + newKey(t).line + "\nann.wu@example.com " + newKey(t).line + "\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder, mine
}

func TestPolicyCheckSaysWhatAPolicyMeans(t *testing.T) {
	folder, mine := policyFolder(t, tableText)
	code, out, errOut := offline(t, "policy", "check", filepath.Join(folder, "policy.yaml"))
	require.Zero(t, code, errOut)
	for _, text := range []string{
		"Policy acme-changes\nversion acme-changes@sha256:",
		"   member       mei.chen@example.com, " + mine.fingerprint() + "\n",
		"   member       tom.baker@example.com, without a key\n",
		"   counts for   runs of acme\n",
		"   counts for   runs of every tenant\n",
		"   matches      tool == \"pay\" && parameters.amount > 1000\n   asks         1 of editors and 1 of security\n",
		"   one person   counts for one group\n",
		"   proof        signature\n",
		"   to decide    1h30m, then it is asked again, up to 2 times\n",
		"   reminded     30m\n",
		"   grant life   8h\n",
		"   resolvers    security\n",
		"   confirm      each action needs a word of its own right before it is sent\n",
		"   asks         nobody, unless another rule does",
		"   to decide    24h, then the run expires\n",
		"\nKeys that sign nothing under this policy\n",
		`:4: its namespaces leave out "holdpoint"` + "\n",
		":5: its names are in no group\n",
	} {
		require.Contains(t, out, text)
	}

	code, out, errOut = offline(t, "policy", "check", filepath.Join(folder, "policy.yaml"), "-o", "json")
	require.Zero(t, code, errOut)
	var read struct {
		Version string              `json:"approval_policy_version"`
		Policy  map[string]any      `json:"policy"`
		Unused  []map[string]string `json:"unused_keys"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &read))
	require.True(t, strings.HasPrefix(read.Version, "acme-changes@sha256:"))
	require.Equal(t, "acme-changes", read.Policy["label"])
	require.Len(t, read.Unused, 2)
	require.Equal(t, "its names are in no group", read.Unused[1]["reason"])
}

func TestPolicyCheckNamesWhatNobodyCanMeetNow(t *testing.T) {
	folder, _ := policyFolder(t, tableText)
	signers := "mei.chen@example.com " + newKey(t).line + "\nbo.lin@example.com valid-before=\"20200101Z\" " + newKey(t).line +
		"\ncy.ma@example.com valid-after=\"29990101Z\" " + newKey(t).line + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "signers"), []byte(signers), 0o600))
	code, out, errOut := offline(t, "policy", "check", filepath.Join(folder, "policy.yaml"))
	require.Zero(t, code, errOut)
	require.Contains(t, out, "\nCannot be met now: too few have a key whose time has come and is not over\n   short of     rule ")
	require.Contains(t, out, ": 1 of security\n")

	code, out, errOut = offline(t, "policy", "check", filepath.Join(folder, "policy.yaml"), "-o", "json")
	require.Zero(t, code, errOut)
	var read struct {
		Unmet []struct{ Rule, Missing string } `json:"unmet_now"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &read))
	require.Len(t, read.Unmet, 1)
	require.Equal(t, "1 of security", read.Unmet[0].Missing)
}

// A key that stands under two names is named to people and to programs.
func TestPolicyCheckNamesSharedKeys(t *testing.T) {
	folder, mine := policyFolder(t, tableText)
	signers := "mei.chen@example.com,bo.lin@example.com " + mine.line + "\ncy.ma@example.com " + newKey(t).line + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "signers"), []byte(signers), 0o600))
	code, out, errOut := offline(t, "policy", "check", filepath.Join(folder, "policy.yaml"))
	require.Zero(t, code, errOut)
	require.Contains(t, out, mine.fingerprint()+": bo.lin@example.com, mei.chen@example.com\n")

	code, out, errOut = offline(t, "policy", "check", filepath.Join(folder, "policy.yaml"), "-o", "json")
	require.Zero(t, code, errOut)
	var read struct {
		Shared []struct {
			Fingerprint string
			People      []string
		} `json:"shared_keys"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &read))
	require.Len(t, read.Shared, 1)
	require.Equal(t, mine.fingerprint(), read.Shared[0].Fingerprint)
	require.Equal(t, []string{"bo.lin@example.com", "mei.chen@example.com"}, read.Shared[0].People)
}

func TestPolicyMistakesHaveAFileAndALine(t *testing.T) {
	folder, _ := policyFolder(t, strings.Replace(tableText, "proof: signature", "proof: stamp", 1))
	code, _, errOut := offline(t, "policy", "test", filepath.Join(folder, "policy.yaml"), filepath.Join(folder, "table.yaml"))
	require.Equal(t, 1, code)
	require.Contains(t, errOut, "table.yaml:9: ")

	broken := write(t, "broken.yaml", strings.Replace(policyText, "24h", "forever", 1))
	code, _, errOut = offline(t, "policy", "check", broken)
	require.Equal(t, 1, code)
	require.Contains(t, errOut, "signers", "the signers' file is not there")
	code, _, errOut = offline(t, "policy", "check", write(t, "broken.yaml", strings.Replace(policyText, "quorums: [1 of editors]", "quorum: [1 of editors]", 1)))
	require.Equal(t, 1, code)
	require.Contains(t, errOut, "broken.yaml:5: allowed_signers_file")

	require.NoError(t, os.WriteFile(filepath.Join(folder, "policy.yaml"), []byte(strings.Replace(policyText, "24h", "forever", 1)), 0o600))
	code, _, errOut = offline(t, "policy", "check", filepath.Join(folder, "policy.yaml"))
	require.Equal(t, 1, code)
	require.Contains(t, errOut, "policy.yaml:8: ")
}

func TestPolicyTestComparesExamples(t *testing.T) {
	folder, _ := policyFolder(t, tableText)
	args := []string{"policy", "test", filepath.Join(folder, "policy.yaml"), filepath.Join(folder, "table.yaml")}
	code, out, errOut := offline(t, args...)
	require.Zero(t, code, errOut)
	require.Contains(t, out, "ok    a large payment\nok    a draft\n2 of 2 examples as expected, by acme-changes@sha256:")

	folder, _ = policyFolder(t, strings.Replace(tableText, "asks: nobody", "quorums: [1 of editors]", 1))
	args[2], args[3] = filepath.Join(folder, "policy.yaml"), filepath.Join(folder, "table.yaml")
	code, out, errOut = offline(t, args...)
	require.Equal(t, 1, code)
	require.Contains(t, out, "FAIL  a draft ("+args[3]+":10)\n      quorums: want 1 of editors, got none\n")
	require.Contains(t, out, "1 of 2 examples as expected")
	require.Contains(t, errOut, "1 of 2 examples not as expected")

	code, out, _ = offline(t, append(args, "-o", "json")...)
	require.Equal(t, 1, code)
	var report testOutput
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Equal(t, 1, report.Failed)
	require.Equal(t, exampleOutput{Name: "a draft", Line: 10, Differs: []string{"quorums: want 1 of editors, got none"}}, report.Examples[1])
	require.True(t, report.Examples[0].OK)
}

func TestPolicyUsage(t *testing.T) {
	for _, args := range [][]string{{"policy", "check"}, {"policy", "test", "x"}, {"policy", "bogus"}, {"policy", "check", "x", "-o", "xml"}} {
		code, _, errOut := offline(t, args...)
		require.Equal(t, 2, code, "%v: %s", args, errOut)
	}
}

func TestStatementUsage(t *testing.T) {
	for _, args := range [][]string{
		{"statement", "acme/x"}, {"statement"},
		{"statement", "acme/x", "--decision", "approve", "--resolve", "pay"},
		{"revise", "acme/x"}, {"approve"}, {"approve", "acme/x", "--feedback", "x"},
	} {
		code, _, errOut := offline(t, args...)
		require.Equal(t, 2, code, "%v: %s", args, errOut)
	}
}
