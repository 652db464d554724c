package policy

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

func TestTermsOfOnePlan(t *testing.T) {
	p := read(t, sampleFile)
	got, err := p.Evaluate(planOf(page, payment, draft, small), "Ann.Wu@example.com")
	require.NoError(t, err)
	require.Equal(t, approvals.Terms{
		Label:   "acme-changes",
		Version: p.Version(),
		Quorums: []approvals.Quorum{
			{Group: "editors", Need: 1, Members: []string{mei, tom}},
			{Group: "security", Need: 2, Members: []string{bo, cy, eve}},
		},
		DecideWithin: 4 * time.Hour,
		GrantLife:    time.Hour,
		AskAgain:     0, // the default's: the run expires
		RemindAfter:  []time.Duration{time.Hour, 3 * time.Hour},
		Proof:        approvals.BySignature,
		Confirm:      []string{"payment"},
		Resolvers: []approvals.Resolvers{
			// Of the payment those whom its rule names; of the others whoever may approve them.
			{Actions: []string{"payment"}, Members: []string{bo, cy, eve}},
			{Members: []string{mei, tom}},
		},
		Signers: []signature.Key{
			{Name: bo, Public: publicKey(1), ValidBefore: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)},
			{Name: bo, Public: publicKey(2)},
			{Name: cy, Public: publicKey(3)},
			{Name: mei, Public: publicKey(4)},
		},
		Reasons: []approvals.Reason{
			{Rule: "drafts", Actions: 1, Asks: "nobody"},
			{Rule: "payments", Actions: 1, Asks: "1 of editors and 2 of security, signature, a word before it is sent"},
			{Rule: "default", Actions: 2, Asks: "1 of editors"},
		},
	}, got)
}

func TestWhomAPlanNeeds(t *testing.T) {
	p := read(t, sampleFile)
	done := payment
	done.Done = &plan.Receipt{}
	replacing := draft
	replacing.Replaces = "the draft of yesterday"
	large := action("large", "pay", "bank/c", `{"amount":1e30}`)
	for name, tc := range map[string]struct {
		plan  plan.Plan
		asks  string
		proof approvals.Proof
		rules []string
	}{
		"no rule matches: the default": {planOf(page), "1 of editors", approvals.ByClaim, []string{"default"}},
		"the one rule that matches":    {planOf(payment), "1 of editors and 2 of security", approvals.BySignature, []string{"payments"}},
		"below the amount":             {planOf(small), "1 of editors", approvals.ByClaim, []string{"default"}},
		"a number with an exponent":    {planOf(large), "1 of editors and 2 of security", approvals.BySignature, []string{"payments"}},
		"nobody":                       {planOf(draft), "nobody", approvals.ByClaim, []string{"drafts"}},
		"nobody adds nothing":          {planOf(draft, page), "1 of editors", approvals.ByClaim, []string{"drafts", "default"}},
		"what is done adds nothing":    {planOf(done, page), "1 of editors", approvals.ByClaim, []string{"default"}},
		"what replaces is asked for":   {planOf(replacing), "1 of editors", approvals.ByClaim, []string{"drafts"}},
		"some of them":                 {planOf(replacing, draft), "1 of editors", approvals.ByClaim, []string{"drafts", "drafts"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := p.Evaluate(tc.plan, ann)
			require.NoError(t, err)
			require.Equal(t, tc.asks, asksOf(got))
			require.Equal(t, tc.proof, got.Proof)
			var rules []string
			for _, r := range got.Reasons {
				rules = append(rules, r.Rule)
			}
			require.Equal(t, tc.rules, rules)
			require.Equal(t, tc.asks == "nobody", len(got.ByPolicy) > 0)
			if got.Unattended() {
				require.Equal(t, []string{"drafts"}, got.ByPolicy)
				require.Empty(t, got.Confirm)
			}
		})
	}
}

// The rules of this file are combined below. Each is lax where another is
// strict, so that taking any rule whole would fail.
func pairs() string {
	return `label: pairs
groups:
  a: {members: [a1, a2, a3]}
  b: {members: [b1, b2, a3]}
allowed_signers: |
  a1 ` + publicKey(1) + `
  a2 ` + publicKey(2) + `
  a3 ` + publicKey(3) + `
default: {quorums: [2 of a], decide_within: 10h, grant_life: 10h, resolvers: a, remind_after: [9h]}
rules:
  - {name: lax, match: '"lax" in parameters.rules', quorums: [1 of a], decide_within: 20h, grant_life: 20h,
     shared: true, requester_may_approve: true, ask_again: 5, remind_after: [30m, 19h]}
  - {name: other, match: '"other" in parameters.rules', quorums: [1 of b], decide_within: 2h, grant_life: 3h,
     shared: true, requester_may_approve: true, confirm: true, ask_again: 3, resolvers: b, remind_after: [1h]}
  - {name: strict, match: '"strict" in parameters.rules', proof: signature}
  - {name: none, match: '"none" in parameters.rules', approval: none, grant_life: 1h}
  - {name: none-b, match: '"none-b" in parameters.rules', approval: none, resolvers: b}
`
}

func TestStrictestOfTheRulesThatMatch(t *testing.T) {
	p := read(t, pairs())
	for _, tc := range []struct {
		name    string
		actions []string // the rules that match each
		want    map[aspect]string
	}{
		{"none at all", []string{""}, map[aspect]string{
			asks: "2 of a", shared: "false", selfApproval: "false", decideWithin: "10h0m0s", grantLife: "10h0m0s", proof: "claim",
			askAgain: "0", remindAfter: "9h0m0s", resolvers: "a1, a2, a3", confirm: "", rules: "default",
		}},
		{"one alone", []string{"lax"}, map[aspect]string{
			asks: "1 of a", shared: "true", selfApproval: "true", decideWithin: "20h0m0s", grantLife: "20h0m0s", proof: "claim",
			askAgain: "5", remindAfter: "30m0s, 19h0m0s", resolvers: "a1, a2, a3", confirm: "", rules: "lax",
		}},
		{"what it leaves out is the default's", []string{"strict"}, map[aspect]string{
			asks: "2 of a", shared: "false", selfApproval: "false", decideWithin: "10h0m0s", grantLife: "10h0m0s", proof: "signature",
			askAgain: "0", remindAfter: "9h0m0s", resolvers: "a1, a2, a3", confirm: "", rules: "strict",
		}},
		{"two", []string{"lax other"}, map[aspect]string{
			asks: "1 of a and 1 of b", shared: "true", selfApproval: "true", decideWithin: "2h0m0s", grantLife: "3h0m0s", proof: "claim",
			askAgain: "3", remindAfter: "30m0s, 1h0m0s", resolvers: "a3", confirm: "a1", rules: "lax, other",
		}},
		{"three", []string{"other lax strict"}, map[aspect]string{
			asks: "2 of a and 1 of b", shared: "false", selfApproval: "false", decideWithin: "2h0m0s", grantLife: "3h0m0s", proof: "signature",
			askAgain: "0", remindAfter: "30m0s, 1h0m0s", resolvers: "a3", confirm: "a1", rules: "lax, other, strict",
		}},
		{"nobody and somebody", []string{"none lax"}, map[aspect]string{
			asks: "1 of a", shared: "true", selfApproval: "true", decideWithin: "20h0m0s", grantLife: "1h0m0s", proof: "claim",
			askAgain: "5", remindAfter: "30m0s, 19h0m0s", resolvers: "a1, a2, a3", confirm: "", rules: "lax, none",
		}},
		{"nobody twice", []string{"none none-b"}, map[aspect]string{
			asks: "nobody", shared: "false", selfApproval: "false", decideWithin: "10h0m0s", grantLife: "1h0m0s", proof: "claim",
			askAgain: "0", remindAfter: "", resolvers: "a3", confirm: "", rules: "none, none-b",
		}},
		{"two actions", []string{"lax", "other"}, map[aspect]string{
			asks: "1 of a and 1 of b", shared: "true", selfApproval: "true", decideWithin: "2h0m0s", grantLife: "3h0m0s", proof: "claim",
			askAgain: "3", remindAfter: "30m0s, 1h0m0s", resolvers: "a1: a1, a2, a3; a3, b1, b2", confirm: "a2", rules: "lax, other",
		}},
		{"nobody for one action", []string{"none-b", "lax"}, map[aspect]string{
			asks: "1 of a", shared: "true", selfApproval: "true", decideWithin: "20h0m0s", grantLife: "10h0m0s", proof: "claim",
			askAgain: "5", remindAfter: "30m0s, 19h0m0s", resolvers: "a2: a1, a2, a3; a3, b1, b2", confirm: "", rules: "lax, none-b",
		}},
		{"the commonest resolvers are not listed", []string{"other", "lax", "other", "lax", "lax"}, map[aspect]string{
			resolvers: "a1, a3: a3, b1, b2; a1, a2, a3", confirm: "a1, a3",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pl := planOf()
			for i, rules := range tc.actions {
				list := `"` + strings.Join(strings.Fields(rules), `","`) + `"`
				pl.Actions = append(pl.Actions, action("a"+string(rune('1'+i)), "t", "x", `{"rules":[`+list+`]}`))
			}
			got, err := p.Evaluate(pl, ann)
			require.NoError(t, err)
			for a, want := range tc.want {
				require.Equal(t, want, a.of(got), a)
			}
		})
	}
}

func TestWhatReplacesIsNeverSilent(t *testing.T) {
	p := read(t, pairs())
	a := action("a1", "t", "x", `{"rules":["none"]}`)
	a.Replaces = "the page of last week"
	got, err := p.Evaluate(planOf(a), ann)
	require.NoError(t, err)
	require.Equal(t, "2 of a", got.Asks(), "as the default asks")
	require.Equal(t, time.Hour, got.GrantLife, "within the rule's own life")
	require.Empty(t, got.ByPolicy)

	// Another rule that asks less does not take the default's place.
	a.Parameters = []byte(`{"rules":["none","other"]}`)
	got, err = p.Evaluate(planOf(a), ann)
	require.NoError(t, err)
	require.Equal(t, "2 of a and 1 of b", got.Asks())
	require.False(t, got.Shared)
	require.False(t, got.SelfApproval)
}

// Where nobody is asked, the people whom the default would ask resolve; of them
// those whose group counts for the run.
func TestResolversOfASilentRule(t *testing.T) {
	const file = `label: p
groups: {ours: {members: [o1], tenants: [acme]}, all: {members: [x1]}}
default: {quorums: [1 of ours, 1 of all], decide_within: 1h, grant_life: 1h}
rules: [{name: silent, match: 'true', approval: none}]
`
	for tenant, want := range map[string]string{"acme": "o1, x1", "umbra": "x1"} {
		pl := planOf(page)
		pl.Tenant = tenant
		got, err := read(t, file).Evaluate(pl, ann)
		require.NoError(t, err)
		require.Equal(t, want, resolvers.of(got))
	}
	pl := planOf(page)
	pl.Tenant = "umbra"
	_, err := read(t, strings.Replace(file, ", 1 of all", "", 1)).Evaluate(pl, ann)
	require.ErrorContains(t, err, "nobody may resolve action page: the groups of the default do not count for runs of umbra; name resolvers of that tenant in silent")
}

func TestTermsThatCannotBeMet(t *testing.T) {
	keyed := read(t, strings.Replace(sampleFile, `decide_within: 24h`, "decide_within: 24h\n  requester_may_approve: true", 1))
	two := `label: two
groups:
  a: {members: [a1, a2]}
  b: {members: [a1, b1]}
  umbra: {members: [u1], tenants: [umbra, vela]}
allowed_signers: "a1 KEY1\nb1 KEY1\na2 KEY1\n"
default: {quorums: [1 of a], decide_within: 1h, grant_life: 1h}
rules:
  - {name: both, match: tool == "both", quorums: [1 of a, 1 of b]}
  - {name: shared, match: tool == "shared", quorums: [1 of a, 1 of b], shared: true}
  - {name: all, match: tool == "all", quorums: [2 of a, 1 of b]}
  - {name: own, match: tool == "own", quorums: [2 of a], requester_may_approve: true}
  - {name: foreign, match: tool == "foreign", quorums: [1 of umbra]}
  - {name: theirs, match: tool == "theirs", resolvers: umbra}
  - {name: by-b, match: 'tool in ["by-b", "split"]', resolvers: b}
  - {name: by-umbra, match: 'tool == "split" && tenant == "vela"', resolvers: umbra}
  - {name: only-b1, match: tool == "only-b1", resolvers: alone}
`
	p := read(t, strings.ReplaceAll(strings.Replace(two, "  umbra:", "  alone: {members: [b1]}\n  umbra:", 1), "KEY1", publicKey(1)))
	for _, tc := range []struct {
		name      string
		tool      string
		tenant    string
		requester string
		says      string // empty: it can be met
	}{
		{"another person is left", "both", "acme", "a1", ""},
		{"one person for two quorums", "both", "acme", "b1", ""},
		{"one person would have to count twice", "all", "acme", "b1",
			"if everybody did who may (a1, a2), 1 of b would still be missing; b1 requested the run and does not count"},
		{"shared, she may", "shared", "acme", "b1", ""},
		{"the requester is needed", "all", "acme", "a2",
			"too few may approve this plan: the policy two asks 2 of a and 1 of b, and if everybody did who may (a1, b1), 1 of "},
		{"the requester may", "own", "acme", "a2", ""},
		{"a group of another tenant", "foreign", "acme", ann,
			"the policy two asks umbra, which counts only for runs of umbra, vela; this run is of acme"},
		{"a group of this tenant", "foreign", "vela", ann, ""},
		{"resolvers of another tenant", "theirs", "acme", ann, "the resolvers of action x are umbra, which counts only for runs of umbra, vela; this run is of acme"},
		{"resolvers of this tenant", "theirs", "umbra", ann, ""},
		{"no resolver in common", "split", "vela", ann,
			"nobody may resolve action x: no one is in all the groups (b, umbra) that are the resolvers of by-b, by-umbra"},
		{"a resolver in common", "split", "acme", ann, ""},
		{"the requester alone would resolve", "only-b1", "acme", "b1", "nobody may resolve action x: of b1, b1 requested the run"},
		{"nobody is left", "other", "acme", "x y", "the requester cannot be told apart from the approvers: the name"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pl := planOf(action("x", tc.tool, "y", `{}`))
			pl.Tenant = tc.tenant
			got, err := p.Evaluate(pl, tc.requester)
			if tc.says == "" {
				require.NoError(t, err)
				require.NotEmpty(t, got.Quorums)
				return
			}
			require.ErrorContains(t, err, tc.says)
			require.Equal(t, approvals.Terms{}, got)
		})
	}

	// With signatures, people without a key do not count: of security, bo and cy have one.
	_, err := keyed.Evaluate(planOf(payment), bo)
	require.NoError(t, err, "she may approve here, being in a group")
	strict := read(t, sampleFile)
	_, err = strict.Evaluate(planOf(payment), bo)
	require.ErrorContains(t, err, "(cy.ma@example.com, mei.chen@example.com), 1 of security would still be missing")
	require.ErrorContains(t, err, "only people with a key among the allowed signers count")

	lonely, err := Simple("lonely", []string{ann}, time.Hour, time.Hour)
	require.NoError(t, err)
	_, err = lonely.Evaluate(planOf(page), ann)
	require.ErrorContains(t, err, "nobody may approve this plan: the policy lonely asks 1 of approvers; ann.wu@example.com requested the run")

	page := page
	page.Done = &plan.Receipt{}
	_, err = strict.Evaluate(planOf(page), ann)
	require.ErrorContains(t, err, "every action of the plan is done already")
}
