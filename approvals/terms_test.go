package approvals

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Histories from before quorums hold a list of approvers, and waiting runs go
// on by it.
func TestTermsFromBeforeQuorums(t *testing.T) {
	const recorded = `{"approvers":["bo.lin","cy.ma"],"decide_within_seconds":86400,"grant_life_seconds":28800,"label":"weekly-report"}`
	want := sampleTerms()
	want.Version = "weekly-report@" + plan.Sum([]byte(recorded)).String()
	var got Terms
	require.NoError(t, json.Unmarshal([]byte(recorded), &got))
	require.Equal(t, want, got)

	require.NoError(t, json.Unmarshal([]byte(
		`{"approvers":["bo.lin"],"decide_within_seconds":1,"grant_life_seconds":1,"label":"p","resolvers":["ops.li"]}`), &got))
	require.Equal(t, []Resolvers{{Members: []string{"ops.li"}}}, got.Resolvers)

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
		var terms Terms
		require.Error(t, json.Unmarshal([]byte(raw), &terms), raw)
	}
	var nobody Terms
	require.NoError(t, json.Unmarshal([]byte(`{"approvers":[],"decide_within_seconds":0,"grant_life_seconds":0,"label":""}`), &nobody))
	require.Equal(t, Terms{}, nobody)
}

func TestTermsThroughJSON(t *testing.T) {
	for _, terms := range []Terms{{}, sampleTerms(), {Label: "a", Version: "a@1", ByPolicy: []string{"notes"}, DecideWithin: 1, GrantLife: 1, Proof: ByClaim}} {
		raw, err := json.Marshal(terms)
		require.NoError(t, err)
		var back Terms
		require.NoError(t, json.Unmarshal(raw, &back))
		require.Equal(t, terms, back)
	}
	for name, spoil := range map[string]func(t *Terms){
		"nobody is asked, and no rule says so": func(t *Terms) { t.Quorums = nil },
		"asked, and not asked":                 func(t *Terms) { t.ByPolicy = []string{"notes"} },
		"need of none":                         func(t *Terms) { t.Quorums[0].Need = 0 },
		"need of more than there are":          func(t *Terms) { t.Quorums[0].Need = 3 },
		"no proof":                             func(t *Terms) { t.Proof = "" },
		"another proof":                        func(t *Terms) { t.Proof = "trust" },
		"names out of order":                   func(t *Terms) { t.Quorums[0].Members = []string{cy, bo} },
		"a name in other case":                 func(t *Terms) { t.Quorums[0].Members = []string{"Bo.Lin"} },
		"a grant for ever":                     func(t *Terms) { t.GrantLife = MaxPeriod + 1 },
		"no time to decide":                    func(t *Terms) { t.DecideWithin = 0 },
	} {
		terms := sampleTerms()
		spoil(&terms)
		raw, err := json.Marshal(terms)
		require.NoError(t, err)
		require.Error(t, json.Unmarshal(raw, new(Terms)), name)
	}
	require.Error(t, json.Unmarshal([]byte(`{"label":"a","veto":true}`), new(Terms)), "of a later version")
}

func TestAllows(t *testing.T) {
	listed := sampleTerms() // a group may hold the requester for other people's runs
	listed.Quorums[0].Members = []string{requester, bo}
	selfService := listed
	selfService.SelfApproval = true
	unlisted := sampleTerms()
	unlisted.SelfApproval = true
	for name, tc := range map[string]struct {
		terms               Terms
		requester, approver string
		choice              Choice
		want                Code
	}{
		"approver approves":                  {sampleTerms(), requester, bo, Approve, Accepted},
		"approver rejects":                   {sampleTerms(), requester, cy, Reject, Accepted},
		"approver revises":                   {sampleTerms(), requester, bo, Revise, Accepted},
		"other case":                         {sampleTerms(), requester, "BO.LIN", Approve, Accepted},
		"stranger approves":                  {sampleTerms(), requester, stranger, Approve, NotAnApprover},
		"stranger rejects":                   {sampleTerms(), requester, stranger, Reject, NotAnApprover},
		"requester approves":                 {sampleTerms(), requester, requester, Approve, SelfApproval},
		"requester in other case":            {sampleTerms(), requester, "Ann.Wu", Approve, SelfApproval},
		"requester written otherwise":        {sampleTerms(), "Ann.WU", requester, Approve, SelfApproval},
		"requester revises":                  {sampleTerms(), requester, requester, Revise, SelfApproval},
		"requester rejects":                  {sampleTerms(), requester, "Ann.Wu", Reject, Accepted},
		"listed requester approves":          {listed, requester, requester, Approve, SelfApproval},
		"listed requester, other case":       {listed, "ANN.WU", "ann.wu", Approve, SelfApproval},
		"listed requester, blank":            {listed, requester, "ann.wu ", Approve, NotAnApprover},
		"listed, for another's run":          {listed, cy, requester, Approve, Accepted},
		"listed, where she may":              {selfService, requester, requester, Approve, Accepted},
		"in no group, where requesters may":  {unlisted, requester, requester, Approve, NotAnApprover},
		"look-alike":                         {listed, requester, "\u0430nn.wu", Approve, NotAnApprover},
		"nobody":                             {sampleTerms(), requester, "", Approve, NotAnApprover},
		"unknown requester":                  {sampleTerms(), "", bo, Approve, SelfApproval},
		"unreadable requester":               {sampleTerms(), "安", bo, Reject, SelfApproval},
		"no terms":                           {Terms{}, requester, bo, Approve, NotAnApprover},
		"no choice":                          {sampleTerms(), requester, bo, "", Malformed},
		"approver of a plan nobody approves": {Terms{ByPolicy: []string{"notes"}}, requester, bo, Approve, NotAnApprover},
	} {
		t.Run(name, func(t *testing.T) {
			code, reason := tc.terms.Allows(tc.requester, tc.approver, tc.choice)
			require.Equal(t, tc.want, code)
			require.Equal(t, tc.want == Accepted, reason == "")
		})
	}
}

func TestResolversOfAnAction(t *testing.T) {
	terms := sampleTerms()
	terms.Resolvers = []Resolvers{{Actions: []string{"pay"}, Members: []string{"ops.li"}}, {Members: []string{bo}}}
	for _, tc := range []struct {
		operator, action string
		want             Code
	}{
		{bo, "page", Accepted}, {bo, "pay", NotAResolver}, {"Ops.Li", "pay", Accepted}, {"ops.li", "page", NotAResolver}, {requester, "page", SelfApproval},
	} {
		code, _ := terms.MayResolve(requester, tc.operator, tc.action)
		require.Equal(t, tc.want, code, "%s, %s", tc.operator, tc.action)
	}
	require.Equal(t, []string{"ops.li"}, terms.ResolversFor(requester, "pay"))
	require.Empty(t, terms.ResolversFor("ops.li", "pay"), "a requester never resolves her own run")
	terms.Resolvers = terms.Resolvers[:1]
	require.Empty(t, terms.ResolversFor(requester, "page"), "who is not named may not")
}

func TestAsksInWords(t *testing.T) {
	terms := asking(map[string]int{"editors": 1, "security": 2}, "editors=bo.lin,cy.ma", "security=eve.li,fay.ng,gus.om")
	require.Equal(t, "1 of editors and 2 of security", terms.Asks())
	require.Equal(t, terms.Asks(), terms.Missing(nil))
	require.Equal(t, "1 of security", terms.Missing([]string{"eve.li", bo}))
	require.Empty(t, terms.Missing([]string{"eve.li", bo, "fay.ng"}))
	require.NotEmpty(t, Terms{}.Missing(nil), "no terms let nobody through")
	require.Empty(t, Terms{ByPolicy: []string{"notes"}}.Missing(nil))
}
