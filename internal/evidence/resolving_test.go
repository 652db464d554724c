package evidence

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/policy"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// copyOf is a recorded bundle that a test may change, not sealed.
func copyOf(t *testing.T, name string) Bundle {
	t.Helper()
	b, err := Parse(unsealed(t, recorded(t)[name]))
	require.NoError(t, err)
	return b
}

// found is what verifying a changed bundle finds wrong, in one text.
func found(t *testing.T, b Bundle, o Options) string {
	t.Helper()
	changed, err := New(b.Content)
	require.NoError(t, err)
	raw, err := json.Marshal(changed)
	require.NoError(t, err)
	return strings.Join(problems(t, raw, o), "\n")
}

// Somebody invents what a worker told the run of its policy, and a word that it
// takes without a signature. Neither is there without the policy's bytes, and with
// them the policy is none of the verifier's.
func TestAPolicyOfTheDayIsNotBelieved(t *testing.T) {
	b := copyOf(t, "signed")
	known := b.Content.Policies[0].Version
	o := Options{Signers: allowedSigners(t), Policies: []string{known}}
	require.Empty(t, found(t, b, o))

	lax, err := policy.FromCanonical([]byte(strings.ReplaceAll(b.Content.Policies[0].Canonical, `"proof":"signature"`, `"proof":"claim"`)))
	require.NoError(t, err)
	p, err := plan.Load([]byte(b.Content.Plans[0].Text), b.Content.Plans[0].SHA256)
	require.NoError(t, err)
	terms, err := lax.Evaluate(p, b.Content.Task.Asked.Requester)
	require.NoError(t, err)
	today := terms.Resolving(b.Content.Task.Asked.Requester)
	order := &b.Content.Actions[slices.IndexFunc(b.Content.Actions, func(a Action) bool { return a.ActionID == "order" })]
	look := &order.Tries[1]
	require.Nil(t, look.Word)
	look.Settled.Today = &today
	for i := range b.Content.Judgements {
		j := &b.Content.Judgements[i]
		if j.About != AboutEffect {
			continue
		}
		j.Policy = lax.Version()
		unsign(t, &j.Words[0])
	}
	for i := range order.Tries {
		if told := order.Tries[i].Word; told != nil {
			told.Signature, told.Text = "", plan.Digest{}
		}
	}
	require.Contains(t, found(t, b, o), "action order, try 1: the policy "+lax.Version()+" that it was evaluated with is not there")
	require.Contains(t, found(t, b, Options{Signers: allowedSigners(t)}), "is not there", "whichever policy will do")

	b.Content.Policies = append(b.Content.Policies, Policy{Version: lax.Version(), Canonical: string(lax.Canonical())})
	require.Equal(t, "policy "+lax.Version()+": it is none of the policies that you gave", found(t, b, o))

	today.Resolvers = append(slices.Clone(today.Resolvers), today.Resolvers[0])
	require.Contains(t, found(t, b, o), "action order, try 1: the policy "+lax.Version()+" judges words about its plan otherwise than it says")
}

// unsign takes the signature off an accepted word.
func unsign(t *testing.T, w *Word) {
	t.Helper()
	var said approvals.Resolution
	require.NoError(t, json.Unmarshal([]byte(w.Raw), &said))
	said.Signature = ""
	raw, err := json.Marshal(said)
	require.NoError(t, err)
	w.Raw, w.Verdict.Proven = string(raw), approvals.Proven{Proof: approvals.ByClaim}
}

// The key of dee.ray was exchanged while his word was waited for: both policies are
// in the document, and the verifier must know both. A document of a run from before
// the later one was kept does not verify.
func TestPoliciesOfARunThatHeardOfAnother(t *testing.T) {
	b := copyOf(t, "key-exchanged")
	versions := b.Content.PolicyVersions()
	require.Len(t, versions, 2)
	o := Options{Signers: allowedSigners(t), Policies: versions}
	require.Empty(t, found(t, b, o))
	for i, version := range versions {
		o.Policies = []string{versions[1-i]}
		require.Equal(t, "policy "+version+": it is none of the policies that you gave", found(t, b, o))
	}
	b.Content.Policies = b.Content.Policies[:1]
	require.Contains(t, found(t, b, Options{Signers: allowedSigners(t)}), "the policy "+versions[1]+" that it was evaluated with is not there")
}

// keysOf are the recorded keys, of which dee.ray's first has these options, and is
// left out when they are "-".
func keysOf(t *testing.T, options string) signature.AllowedSigners {
	t.Helper()
	var lines []string
	for _, key := range allowedSigners(t).KeysOf("dee.ray") {
		lines = append(lines, key.Public)
	}
	require.Len(t, lines, 2)
	text := "dee.ray " + options + " " + lines[0] + "\n"
	if options == "-" {
		text = ""
	}
	text += "dee.ray " + lines[1] + "\n"
	for _, name := range []string{"ann.wu", "bo.lin", "cy.ma"} {
		text += name + " " + allowedSigners(t).KeysOf(name)[0].Public + "\n"
	}
	signers, err := signature.ParseAllowedSigners([]byte(text))
	require.NoError(t, err)
	return signers
}

// The word by the key that was retired was refused, and changed nothing. With the key
// and its end among the verifier's, that is a remark; without it, or where the word
// counted, it is not.
func TestAWordByARetiredKey(t *testing.T) {
	b := copyOf(t, "key-exchanged")
	verify := func(signers signature.AllowedSigners) Findings {
		v := newVerifier(b, Options{Signers: signers})
		v.checkContent()
		return v.Findings
	}
	said := func(f Findings) string {
		var out strings.Builder
		require.NoError(t, f.Print(&out))
		return out.String()
	}
	kept := verify(keysOf(t, ""))
	require.True(t, kept.Fits(), kept.Problems)
	require.Empty(t, kept.Remarks)
	require.Contains(t, said(kept), "NOT RECORDED: not_happened by dee.ray")
	require.Contains(t, said(kept), "the word of dee.ray was not recorded: bad_signature")
	require.Equal(t, 1, strings.Count(said(kept), "resolved as not_happened by dee.ray"))

	retired := keysOf(t, `valid-before="20261130120000Z"`)
	ended := verify(retired)
	require.True(t, ended.Fits(), ended.Problems)
	require.Len(t, ended.Remarks, 1)
	require.Contains(t, ended.Remarks[0], "not valid at this time")
	require.Contains(t, said(ended), "REMARK     judgement 3, resolution 0: the signature of dee.ray")
	require.Contains(t, said(ended), "SIGNATURE NOT VERIFIED")

	gone := verify(keysOf(t, "-"))
	require.Empty(t, gone.Remarks)
	require.Contains(t, strings.Join(gone.Problems, "\n"), "was retired since belongs into your allowed signers, with valid-before")

	for i := range b.Content.Actions[0].Tries {
		if s := b.Content.Actions[0].Tries[i].Settled; s != nil {
			s.Refused = "" // as if it had counted
		}
	}
	require.Contains(t, strings.Join(verify(retired).Problems, "\n"), "not valid at this time")
}

// What must be asked anew is named after the execution that judges: another one than
// in the next, and than in a replay of one that was reset. What was asked anew in
// fact, the verdicts tell.
func TestAskedAnewIsOfOneExecution(t *testing.T) {
	hash := plan.Sum([]byte("a plan"))
	was := approvals.InDoubt{ActionID: "a1", Claim: "1"}
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	judged := Judgement{About: AboutEffect, Words: []Word{{ReadAt: at}}}
	for name, c := range map[string]struct {
		left, now approvals.InDoubt
		fits      bool
	}{
		"the next execution has a name":   {was, approvals.InDoubt{ActionID: "a1", Claim: "1", Anew: "two"}, true},
		"another name":                    {approvals.InDoubt{ActionID: "a1", Claim: "1", Anew: "one"}, approvals.InDoubt{ActionID: "a1", Claim: "1", Anew: "two"}, true},
		"another claim":                   {was, approvals.InDoubt{ActionID: "a1", Claim: "2", Anew: "two"}, false},
		"an asking that nobody asked for": {was, approvals.InDoubt{ActionID: "a1", Claim: "1", Request: "two"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVerifier(Bundle{}, Options{})
			v.keep(judged, approvals.Doubts{PlanHash: hash, Waiting: WithoutAnew([]approvals.InDoubt{c.left})})
			v.checkFollows("here", judged, approvals.Doubts{PlanHash: hash, Waiting: WithoutAnew([]approvals.InDoubt{c.now})})
			require.Equal(t, c.fits, v.Fits(), v.Problems)
		})
	}
}

// A document of before, which has the names of a replay, verifies as one without.
func TestAskedAnewIsNotLookedAt(t *testing.T) {
	b := copyOf(t, "key-exchanged")
	for i := range b.Content.Judgements {
		for k := range b.Content.Judgements[i].Waiting {
			b.Content.Judgements[i].Waiting[k].Anew = "as a replay names it"
		}
	}
	require.Empty(t, found(t, b, Options{Signers: allowedSigners(t)}))
}

// What only asks for the policy of the day says nothing of the action, and no other
// try does.
func TestStandingsThatALedgerGives(t *testing.T) {
	b := copyOf(t, "key-exchanged")
	tries := b.Content.Actions[0].Tries
	told := slices.IndexFunc(tries, func(t Try) bool { return t.Word != nil && t.Settled.Standing == "absent" })
	require.Positive(t, told)
	for name, c := range map[string]struct {
		change func(t *Try)
		fits   bool
	}{
		"absent":                    {func(*Try) {}, true},
		"nothing, and of no word":   {func(t *Try) { t.Settled.Standing, t.Word, t.Claim = "", nil, 0 }, true},
		"nothing, of a word":        {func(t *Try) { t.Settled.Standing = "" }, false},
		"what no ledger says":       {func(t *Try) { t.Settled.Standing = "elsewhere" }, false},
		"in doubt, without a doubt": {func(t *Try) { t.Settled.Standing = "in_doubt" }, false},
	} {
		changed := tries[told]
		settled := *changed.Settled
		changed.Settled = &settled
		c.change(&changed)
		require.Equal(t, c.fits, changed.whole(), name)
	}
}
