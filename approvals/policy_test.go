package approvals

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

const sampleFile = `# who may approve
label: weekly-report
approvers:
  - cy.ma
  - "Bo.Lin"
decide_within: 24h
grant_life: 480m
`

func TestParsePolicy(t *testing.T) {
	got, err := ParsePolicy([]byte(sampleFile), "policy.yaml")
	require.NoError(t, err)
	require.Equal(t, samplePolicy(), got)

	limits, err := ParsePolicy([]byte("{label: a, approvers: [b], decide_within: 1s, grant_life: 720h}"), "p")
	require.NoError(t, err)
	require.Equal(t, time.Second, limits.DecideWithin)
	require.Equal(t, 30*24*time.Hour, limits.GrantLife)
}

func TestParsePolicyNamesFileAndLine(t *testing.T) {
	for name, tc := range map[string]struct{ from, to, says string }{
		"unknown field":     {"grant_life:", "grant_lives:", `policy.yaml:7: unknown field "grant_lives"`},
		"later version":     {"label:", "quorum: 2\nlabel:", `policy.yaml:2: unknown field "quorum"`},
		"other case":        {"label:", "Label:", `policy.yaml:2: unknown field "Label"`},
		"field twice":       {"grant_life:", "label: b\ngrant_life:", "policy.yaml:7: label stands in line 2 already"},
		"missing":           {"grant_life: 480m\n", "", "policy.yaml:2: grant_life is missing"},
		"label":             {"weekly-report", "weekly report", "policy.yaml:2: label has ' '"},
		"label empty":       {"weekly-report", `""`, "policy.yaml:2: label has 0 bytes"},
		"label long":        {"weekly-report", strings.Repeat("a", 65), "policy.yaml:2: label has 65 bytes"},
		"label a number":    {"weekly-report", "1.0", "policy.yaml:2: label is not a text"},
		"nobody":            {"\n  - cy.ma\n  - \"Bo.Lin\"", " []", "approvers is empty"},
		"one name":          {"\n  - cy.ma\n  - \"Bo.Lin\"", " cy.ma", "policy.yaml:3: approvers is not a list"},
		"nothing":           {"\n  - cy.ma\n  - \"Bo.Lin\"", "", "policy.yaml:3: approvers is not a list"},
		"name twice":        {"cy.ma", "bo.lin", "policy.yaml:5: approvers: bo.lin stands there twice"},
		"look-alike":        {`"Bo.Lin"`, `"Bо.Lin"`, `policy.yaml:5: approvers: the name "B\u043e.Lin" has a letter beyond ASCII`},
		"everyone":          {"cy.ma", `"*"`, "policy.yaml:4: approvers: the name"},
		"name a number":     {"cy.ma", "42", "policy.yaml:4: approvers is not a text"},
		"no unit":           {"24h", "24", "policy.yaml:6: decide_within needs a unit"},
		"no period":         {"24h", "one day", "policy.yaml:6: decide_within is not a period"},
		"zero":              {"24h", "0s", "policy.yaml:6: decide_within is 0s; it must be above 0"},
		"negative":          {"480m", "-8h", "policy.yaml:7: grant_life is -8h0m0s; it must be above 0"},
		"very far":          {"480m", "721h", "policy.yaml:7: grant_life is 721h0m0s; at most 720h0m0s (30 days)"},
		"beyond int64":      {"480m", "9999999h", "policy.yaml:7: grant_life is not a period"},
		"fraction":          {"480m", "1500ms", "policy.yaml:7: grant_life is 1.5s; whole seconds"},
		"a date":            {"480m", "2026-01-05", "policy.yaml:7: grant_life is not a text"},
		"null":              {"480m", "", "policy.yaml:7: grant_life is not a text"},
		"alias":             {"24h\ngrant_life: 480m", "&a 24h\ngrant_life: *a", "policy.yaml:7: grant_life is not a text"},
		"merge":             {"grant_life:", "<<: {label: b}\ngrant_life:", `policy.yaml:7: unknown field "<<"`},
		"second document":   {"480m\n", "480m\n---\nlabel: b\n", "more follows"},
		"no mapping":        {sampleFile, "- label", "policy.yaml:1: a policy is a mapping"},
		"empty":             {sampleFile, "", "policy.yaml:1: the file is empty"},
		"only a comment":    {sampleFile, "# later\n", "policy.yaml:1: the file is empty"},
		"only a line":       {sampleFile, "---\n", "policy.yaml:2: a policy is a mapping"},
		"syntax":            {"approvers:", "approvers: [", "policy.yaml:"},
		"too large":         {sampleFile, strings.Repeat("#\n", 40000), "policy.yaml:1: the file has 80000 bytes"},
		"too many approver": {"  - cy.ma\n", manyNames(), "approvers has 101 names"},
	} {
		t.Run(name, func(t *testing.T) {
			raw := strings.Replace(sampleFile, tc.from, tc.to, 1)
			require.NotEqual(t, sampleFile, raw)
			got, err := ParsePolicy([]byte(raw), "policy.yaml")
			require.ErrorContains(t, err, tc.says)
			require.Equal(t, Policy{}, got)
		})
	}
}

func manyNames() string {
	var b strings.Builder
	for i := range MaxApprovers {
		b.WriteString("  - a" + strings.Repeat("x", i) + "\n")
	}
	return b.String()
}

func TestPolicyVersionIsOfItsCanonicalBytes(t *testing.T) {
	const canonical = `{"approvers":["bo.lin","cy.ma"],"decide_within_seconds":86400,"grant_life_seconds":28800,"label":"weekly-report"}`
	p := samplePolicy()
	require.Equal(t, canonical, string(p.Canonical()))
	byRule, err := plan.Canonicalize([]byte(canonical))
	require.NoError(t, err)
	require.Equal(t, canonical, string(byRule))
	require.Equal(t, "weekly-report@"+plan.Sum([]byte(canonical)).String(), p.Version())

	for _, other := range []Policy{
		{Label: "weekly-report", Approvers: []string{bo}, DecideWithin: 24 * time.Hour, GrantLife: 8 * time.Hour},
		{Label: "weekly-report", Approvers: []string{bo, cy}, DecideWithin: 24*time.Hour + time.Second, GrantLife: 8 * time.Hour},
		{Label: "weekly-report", Approvers: []string{bo, cy}, DecideWithin: 24 * time.Hour, GrantLife: 9 * time.Hour},
		{Label: "weekly", Approvers: []string{bo, cy}, DecideWithin: 24 * time.Hour, GrantLife: 8 * time.Hour},
	} {
		require.NotEqual(t, p.Version(), other.Version())
	}
}

func TestPolicyThroughJSON(t *testing.T) {
	for _, p := range []Policy{samplePolicy(), {}} {
		raw, err := json.Marshal(struct{ P Policy }{p})
		require.NoError(t, err)
		var back struct{ P Policy }
		require.NoError(t, json.Unmarshal(raw, &back))
		require.Equal(t, p, back.P)
	}
	for _, raw := range []string{
		`{"approvers":["bo.lin"],"decide_within_seconds":1,"grant_life_seconds":1,"label":"a","quorum":2}`, // of a later version
		`{"approvers":["Bo.Lin"],"decide_within_seconds":1,"grant_life_seconds":1,"label":"a"}`,
		`{"approvers":["cy.ma","bo.lin"],"decide_within_seconds":1,"grant_life_seconds":1,"label":"a"}`,
		`{"approvers":["bo.lin","bo.lin"],"decide_within_seconds":1,"grant_life_seconds":1,"label":"a"}`,
		`{"approvers":[],"decide_within_seconds":1,"grant_life_seconds":1,"label":"a"}`,
		`{"approvers":["bo.lin"],"decide_within_seconds":0,"grant_life_seconds":1,"label":"a"}`,
		`{"approvers":["bo.lin"],"decide_within_seconds":1,"grant_life_seconds":2592001,"label":"a"}`,
		`{"approvers":["bo.lin"],"decide_within_seconds":1,"grant_life_seconds":18446744074,"label":"a"}`, // wraps int64 nanoseconds
	} {
		var p Policy
		require.Error(t, json.Unmarshal([]byte(raw), &p), raw)
		require.Equal(t, Policy{}, p)
	}
}

func TestAllows(t *testing.T) {
	listed := samplePolicy() // a policy may list the requester for other people's runs
	listed.Approvers = []string{requester, bo}
	for name, tc := range map[string]struct {
		policy              Policy
		requester, approver string
		choice              Choice
		want                Code
	}{
		"approver approves":            {samplePolicy(), requester, bo, Approve, Accepted},
		"approver rejects":             {samplePolicy(), requester, cy, Reject, Accepted},
		"approver revises":             {samplePolicy(), requester, bo, Revise, Accepted},
		"other case":                   {samplePolicy(), requester, "BO.LIN", Approve, Accepted},
		"stranger approves":            {samplePolicy(), requester, stranger, Approve, NotAnApprover},
		"stranger rejects":             {samplePolicy(), requester, stranger, Reject, NotAnApprover},
		"requester approves":           {samplePolicy(), requester, requester, Approve, SelfApproval},
		"requester in other case":      {samplePolicy(), requester, "Ann.Wu", Approve, SelfApproval},
		"requester written otherwise":  {samplePolicy(), "Ann.WU", requester, Approve, SelfApproval},
		"requester revises":            {samplePolicy(), requester, requester, Revise, SelfApproval},
		"requester rejects":            {samplePolicy(), requester, "Ann.Wu", Reject, Accepted},
		"listed requester approves":    {listed, requester, requester, Approve, SelfApproval},
		"listed requester, other case": {listed, "ANN.WU", "ann.wu", Approve, SelfApproval},
		"listed requester, blank":      {listed, requester, "ann.wu ", Approve, NotAnApprover},
		"listed, for another's run":    {listed, cy, requester, Approve, Accepted},
		"look-alike":                   {listed, requester, "\u0430nn.wu", Approve, NotAnApprover},
		"nobody":                       {samplePolicy(), requester, "", Approve, NotAnApprover},
		"unknown requester":            {samplePolicy(), "", bo, Approve, SelfApproval},
		"unreadable requester":         {samplePolicy(), "安", bo, Reject, SelfApproval},
		"no policy":                    {Policy{}, requester, bo, Approve, NotAnApprover},
		"no choice":                    {samplePolicy(), requester, bo, "", Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			code, reason := tc.policy.Allows(tc.requester, tc.approver, tc.choice)
			require.Equal(t, tc.want, code)
			require.Equal(t, tc.want == Accepted, reason == "")
		})
	}
}
