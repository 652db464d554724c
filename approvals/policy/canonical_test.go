package policy

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

const canonicalShort = `{"default":{"ask_again":0,"confirm":false,"decide_within":"24h0m0s","grant_life":"8h0m0s","proof":"claim",` +
	`"quorums":["1 of approvers"],"remind_after":[],"requester_may_approve":false,"shared":false},` +
	`"groups":{"approvers":{"members":["bo.lin","cy.ma"]}},"label":"weekly-report"}`

func TestVersionIsOfTheCanonicalBytes(t *testing.T) {
	p, err := Parse([]byte(shortFile), "policy.yaml", nil)
	require.NoError(t, err)
	require.Equal(t, canonicalShort, string(p.Canonical()))
	require.Equal(t, "weekly-report@"+plan.Sum([]byte(canonicalShort)).String(), p.Version())
	require.Equal(t, "weekly-report", p.Label())
	p.Canonical()[0] = 'x'
	require.Equal(t, canonicalShort, string(p.Canonical()), "the caller has a copy")
}

func TestCanonicalIsAPolicyFileWithNothingLeftOut(t *testing.T) {
	p := read(t, sampleFile)
	want := `{"allowed_signers":"` +
		bo + ` namespaces=\"holdpoint\",valid-before=\"20300101000000Z\" ` + publicKey(1) + `\n` +
		bo + ` namespaces=\"holdpoint\" ` + publicKey(2) + `\n` +
		cy + ` namespaces=\"holdpoint\" ` + publicKey(3) + `\n` +
		mei + ` namespaces=\"holdpoint\" ` + publicKey(4) + `\n",` +
		`"default":{"ask_again":0,"confirm":false,"decide_within":"24h0m0s","grant_life":"8h0m0s","proof":"claim",` +
		`"quorums":["1 of editors"],"remind_after":[],"requester_may_approve":false,"shared":false},` +
		`"groups":{"editors":{"members":["mei.chen@example.com","tom.baker@example.com"]},` +
		`"security":{"members":["bo.lin@example.com","cy.ma@example.com","eve.li@example.com"],"tenants":["acme"]}},` +
		`"label":"acme-changes","rules":[` +
		`{"approval":"none","grant_life":"8h0m0s","match":"target.startsWith(\"wiki/drafts/\")","name":"drafts"},` +
		`{"ask_again":2,"confirm":true,"decide_within":"4h0m0s","grant_life":"1h0m0s","match":"tool == \"pay\" && parameters.amount > 1000",` +
		`"name":"payments","proof":"signature","quorums":["1 of editors","2 of security"],"remind_after":["1h0m0s","3h0m0s"],` +
		`"requester_may_approve":false,"resolvers":"security","shared":false}]}`
	require.Equal(t, want, string(p.Canonical()))

	again, err := Parse(p.Canonical(), "policy.json", nil)
	require.NoError(t, err)
	require.Equal(t, p.Version(), again.Version())
}

func TestFromCanonicalEvaluatesAlike(t *testing.T) {
	for _, text := range []string{sampleFile, shortFile, pairs(), sound()} {
		p := read(t, text)
		again, err := FromCanonical(p.Canonical())
		require.NoError(t, err)
		require.Equal(t, p.Version(), again.Version())
		pl := planOf(page, action("a", "pay", "x", `{"amount":5000,"rules":["other","lax"]}`))
		want, wantErr := p.Evaluate(pl, ann)
		got, gotErr := again.Evaluate(pl, ann)
		require.Equal(t, want, got)
		require.Equal(t, wantErr, gotErr)
	}
}

func TestFromCanonicalRefusesAllOtherBytes(t *testing.T) {
	for name, tc := range map[string]struct{ from, to, says string }{
		"a file":             {canonicalShort, shortFile, "not a policy in its canonical form"},
		"a blank":            {`{"default"`, `{ "default"`, "not a policy in its canonical form"},
		"a line end":         {`"weekly-report"}`, `"weekly-report"}` + "\n", "not a policy in its canonical form"},
		"another order":      {`"bo.lin","cy.ma"`, `"cy.ma","bo.lin"`, "not a policy in its canonical form"},
		"upper case":         {`"bo.lin"`, `"Bo.lin"`, "not a policy in its canonical form"},
		"a default left out": {`"ask_again":0,`, ``, "not a policy in its canonical form"},
		"a period":           {`"24h0m0s"`, `"24h"`, "not a policy in its canonical form"},
		"a later version":    {`"groups"`, `"freeze":true,"groups"`, `policy:1: unknown field "freeze"`},
		"nobody":             {`["bo.lin","cy.ma"]`, `[]`, "policy:1: group approvers: members is empty"},
		"nothing":            {canonicalShort, "", "policy:1: the file is empty"},
		"no group":           {`1 of approvers`, `1 of editors`, `there is no group "editors"`},
	} {
		t.Run(name, func(t *testing.T) {
			raw := strings.Replace(canonicalShort, tc.from, tc.to, 1)
			require.NotEqual(t, canonicalShort, raw)
			_, err := FromCanonical([]byte(raw))
			require.ErrorContains(t, err, tc.says)
		})
	}
}

// What means nothing changes no version.
func TestVersionDoesNotDependOnHowAFileIsWritten(t *testing.T) {
	want := read(t, sampleFile).Version()
	for name, change := range map[string][2]string{
		"a comment":          {"rules:", "# from here on\nrules:"},
		"a name's case":      {"Mei.Chen@", "mei.chen@"},
		"the order of names": {"[tom.baker@example.com, Mei.Chen@example.com]", "[mei.chen@example.com, tom.baker@example.com]"},
		"a period's form":    {"decide_within: 4h", "decide_within: 240m"},
		"the default said":   {"decide_within: 24h", "decide_within: 24h\n  proof: claim\n  shared: false\n  ask_again: 0\n  remind_after: []"},
		"quorums' order":     {`["1 of editors", "2 of security"]`, `["2 of security", "1 of editors"]`},
		"reminders' order":   {"[1h, 3h]", "[3h, 1h]"},
		"a rule's silence":   {"    approval: none", "    approval: none\n    grant_life: 8h"},
		"a match's margins":  {"match: target.startsWith(\"wiki/drafts/\")", "match: |2\n        target.startsWith(\"wiki/drafts/\")  \n"},
	} {
		text := strings.Replace(sampleFile, change[0], change[1], 1)
		require.NotEqual(t, sampleFile, text, name)
		require.Equal(t, want, read(t, text).Version(), name)
	}
	head, rules, _ := strings.Cut(sampleFile, "rules:\n")
	first, second, _ := strings.Cut(rules, "  - name: drafts")
	require.Equal(t, want, read(t, "rules:\n  - name: drafts"+second+first+head).Version(), "the order of rules and fields")

	signers := "\n" + sampleSigners() + "another.stranger " + publicKey(7) + "\n"
	p, err := Parse([]byte(sampleFile), "policy.yaml", reading("keys/allowed_signers", signers))
	require.NoError(t, err)
	require.Equal(t, want, p.Version(), "keys of strangers")
}

// Everything that means something changes the version.
func TestVersionChangesWithWhatAPolicySays(t *testing.T) {
	seen := map[string]string{read(t, sampleFile).Version(): "the sample"}
	add := func(name, version string) {
		require.NotContains(t, seen, version, name)
		seen[version] = name
	}
	for name, change := range map[string][2]string{
		"label":             {"acme-changes", "acme-change"},
		"a member":          {"tom.baker", "tim.baker"},
		"a member more":     {"[tom.baker@example.com,", "[zoe.x, tom.baker@example.com,"},
		"a group":           {"  security:", "  others: {members: [x]}\n  security:"},
		"tenants":           {"[acme]", "[acme, vela]"},
		"no tenants":        {"    tenants: [acme]\n", ""},
		"default quorum":    {`quorums: ["1 of editors"]`, `quorums: ["2 of editors"]`},
		"default period":    {"24h", "23h"},
		"default life":      {"8h", "7h"},
		"default resolvers": {"grant_life: 8h", "grant_life: 8h\n  resolvers: editors"},
		"default proof":     {"grant_life: 8h", "grant_life: 8h\n  proof: signature"},
		"default self":      {"grant_life: 8h", "grant_life: 8h\n  requester_may_approve: true"},
		"default shared":    {"grant_life: 8h", "grant_life: 8h\n  shared: true"},
		"default confirm":   {"grant_life: 8h", "grant_life: 8h\n  confirm: true"},
		"default again":     {"grant_life: 8h", "grant_life: 8h\n  ask_again: 1"},
		"default reminders": {"grant_life: 8h", "grant_life: 8h\n  remind_after: [20h]"},
		"rule's name":       {"name: payments", "name: payment"},
		"rule's match":      {"> 1000", ">= 1000"},
		"rule's quorum":     {"2 of security", "1 of security"},
		"rule's proof":      {"proof: signature", "proof: claim"},
		"rule's confirm":    {"confirm: true", "confirm: false"},
		"rule's period":     {"decide_within: 4h", "decide_within: 5h"},
		"rule's life":       {"1h\n", "2h\n"},
		"rule's again":      {"ask_again: 2", "ask_again: 3"},
		"rule's reminders":  {"[1h, 3h]", "[1h, 2h]"},
		"rule's resolvers":  {"resolvers: security", "resolvers: editors"},
		"rule's shared":     {"confirm: true", "confirm: true\n    shared: true"},
		"rule's self":       {"confirm: true", "confirm: true\n    requester_may_approve: true"},
		"silent rule":       {"    approval: none\n", ""},
		"silent life":       {"approval: none", "approval: none\n    grant_life: 2h"},
		"silent resolvers":  {"approval: none", "approval: none\n    resolvers: editors"},
		"rules":             {"  - name: drafts\n    match: target.startsWith(\"wiki/drafts/\")\n    approval: none\n", ""},
	} {
		text := strings.Replace(sampleFile, change[0], change[1], 1)
		require.NotEqual(t, sampleFile, text, name)
		add(name, read(t, text).Version())
	}
	for name, change := range map[string][2]string{
		"a key":           {publicKey(2), publicKey(8)},
		"a key less":      {bo + " " + publicKey(2) + "\n", ""},
		"whose key it is": {cy + " namespaces", eve + " namespaces"},
		"until when":      {"20300101Z", "20300102Z"},
		"from when":       {"valid-before", "valid-after"},
	} {
		p, err := Parse([]byte(strings.Replace(sampleFile, "2 of security", "1 of security", 1)), "p",
			reading("keys/allowed_signers", strings.Replace(sampleSigners(), change[0], change[1], 1)))
		require.NoError(t, err, name)
		add(name, p.Version())
	}
	for name, p := range map[string]func() (*Policy, error){
		"simple":  func() (*Policy, error) { return Simple("acme-changes", []string{mei, tom}, 24*time.Hour, 8*time.Hour) },
		"simpler": func() (*Policy, error) { return Simple("acme-changes", []string{mei}, 24*time.Hour, 8*time.Hour) },
	} {
		made, err := p()
		require.NoError(t, err)
		add(name, made.Version())
	}
}
