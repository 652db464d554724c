package approvals

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// resolved judges one word of bo's, signed for these doubts.
func (d Doubts) resolved(t *testing.T, outcome Outcome, signedFor Doubts) (Verdict, []byte) {
	t.Helper()
	r := Resolution{ActionID: "a", PlanHash: h1, Outcome: outcome, Operator: bo, Evidence: "looked", Claim: "1"}
	statement, err := signedFor.StatementOf(r)
	require.NoError(t, err)
	key, _ := signerNamed(t, bo)
	r.Signature, err = signature.Sign(statement.Bytes(), key)
	require.NoError(t, err)
	raw, err := json.Marshal(r)
	require.NoError(t, err)
	return JudgeResolutions(d, []Arrival{{Raw: raw, Via: ViaSignal, At: time.Now()}})[0], raw
}

func doubtsOf(t *testing.T, waiting InDoubt) Doubts {
	t.Helper()
	terms := signedRequest(t).Terms
	terms.Resolvers = []Resolvers{{Members: []string{bo}}}
	return Doubts{RunID: "tenant-a/x", PlanHash: h1, Requester: requester, Terms: terms, Waiting: []InDoubt{waiting}}
}

// In a run that was reset, what took a word back may be missing. What has
// something sent again is asked anew, under a name that no signature of before has;
// what sends nothing is taken, whichever it was signed for.
func TestNotHappenedIsAskedAnewInARunThatWasReset(t *testing.T) {
	before := doubtsOf(t, InDoubt{ActionID: "a", Claim: "1"})
	accepted, genuine := before.resolved(t, NotHappened, before)
	require.Equal(t, Accepted, accepted.Code)

	reset := doubtsOf(t, InDoubt{ActionID: "a", Claim: "1", Anew: "second"})
	again, _ := reset.resolved(t, NotHappened, before)
	require.Equal(t, AskedAnew, again.Code)
	require.Equal(t, "second", again.RequestID)
	twice := JudgeResolutions(reset, []Arrival{{Raw: genuine, At: time.Now()}, {Raw: genuine, At: time.Now()}})
	require.Equal(t, []Code{AskedAnew, AskedAnew}, []Code{twice[0].Code, twice[1].Code}, "a copy is no answer to what is asked anew")
	for _, cautious := range []Outcome{Happened, Abort} {
		v, _ := reset.resolved(t, cautious, before)
		require.Equal(t, Accepted, v.Code, cautious)
	}

	anew := reset.After(again)
	require.Equal(t, []InDoubt{{ActionID: "a", Claim: "1", Request: "second"}}, anew.Waiting)
	require.Equal(t, reset.Waiting, before.Anew([]Verdict{again}).Waiting, "the verdict tells what the judge saw")
	old, _ := anew.resolved(t, NotHappened, before)
	require.Equal(t, BadSignature, old.Code, "it names no asking")
	answer, _ := anew.resolved(t, NotHappened, anew)
	require.Equal(t, Accepted, answer.Code)
	require.Equal(t, []InDoubt{{ActionID: "a", Claim: "1", Said: NotHappened, Request: "second"}}, anew.After(answer).Waiting)

	had := doubtsOf(t, InDoubt{ActionID: "a", Claim: "1", Request: "second", Anew: "second"})
	for signedFor, code := range map[*Doubts]Code{&had: AskedAnew, &before: BadSignature} {
		v, _ := had.resolved(t, NotHappened, *signedFor)
		require.Equal(t, code, v.Code, "a word that had arrived when it was asked anew is no answer")
		require.Equal(t, anew.Waiting, had.After(again).Waiting)
	}
	for _, cautious := range []Outcome{Happened, Abort} {
		v, _ := had.resolved(t, cautious, before)
		require.Equal(t, Accepted, v.Code, cautious)
		v, _ = anew.resolved(t, cautious, before)
		require.Equal(t, Accepted, v.Code, "%s, as it was signed before", cautious)
	}
}

// The text that is signed is, for whatever was not asked anew, what it always was.
func TestStatementNamesTheAskingOnlyAfterAReset(t *testing.T) {
	s := ResolutionStatement{Run: "r", Plan: h1, Action: "a", Claim: "1", Outcome: NotHappened, Operator: "bo.lin", Evidence: plan.Sum(nil)}
	require.Equal(t, "holdpoint resolution v1\nrun: r\nplan: "+h1.String()+"\naction: a\nclaim: 1\noutcome: not_happened\noperator: bo.lin\n"+
		"evidence-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n", string(s.Bytes()))
	s.Request = "second"
	require.Contains(t, string(s.Bytes()), "run: r\nrequest: second\nplan: ")
}

// Whose key was exchanged while a run waits is judged by what the run has heard of
// the policy since, and only by that.
func TestDoubtsAreJudgedByTheTermsOfTheDay(t *testing.T) {
	before := doubtsOf(t, InDoubt{ActionID: "a", Claim: "1"})
	today := before.Terms
	today.Label, today.Version, today.Resolvers = "new", "new@sha256:01", []Resolvers{{Members: []string{cy}}}
	_, cys := signerNamed(t, cy)
	cys.Name = cy
	today.Signers = []signature.Key{cys, {Name: "somebody else", Public: cys.Public}}
	heard := today.Resolving(requester)
	require.Equal(t, []signature.Key{cys}, heard.Signers, "of whoever may speak, and of nobody else")

	after := before
	after.Terms = before.Terms.With(&heard)
	require.Equal(t, cy, after.ResolverOf("a"))
	v, _ := after.resolved(t, Happened, before)
	require.Equal(t, NotAResolver, v.Code, "bo is none any more")
	require.Equal(t, before.Terms, before.Terms.With(nil))
	require.Equal(t, before.Terms.Quorums, after.Terms.Quorums, "who approves a plan stays with its request")
	heard.Signers = nil
	after.Terms = before.Terms.With(&heard)
	require.Empty(t, after.ResolverOf("a"), "cy could not sign")
}

// A word about one action is a confirmer's; stopping it is everybody's who is asked.
func TestOnlyAConfirmerLetsAnActionGo(t *testing.T) {
	terms := Terms{
		Label: "p", Version: "v", Proof: ByClaim, Confirm: []string{"pay"},
		Quorums:    []Quorum{{Group: "interns", Need: 1, Members: []string{"ida.ng"}}, {Group: "security", Need: 1, Members: []string{"bo.lin"}}},
		Confirmers: []Confirmers{{Actions: []string{"pay"}, Members: []string{"bo.lin"}}},
	}
	says := func(who string, choice Choice, action string) Code {
		code, _ := terms.AllowsWord("ann.wu", who, choice, action)
		return code
	}
	require.Equal(t, Accepted, says("ida.ng", Approve, ""))
	require.Equal(t, NotAnApprover, says("ida.ng", Approve, "pay"))
	require.Equal(t, Accepted, says("ida.ng", Reject, "pay"))
	require.Equal(t, Accepted, says("Bo.Lin", Approve, "pay"))
	require.Equal(t, Accepted, says("ida.ng", Approve, "other"), "of an action that is not named, as ever")
	terms.Confirmers = nil
	require.Equal(t, Accepted, says("ida.ng", Approve, "pay"), "terms of before confirmers were recorded")

	grant := Grant{Approvals: []Approval{{Approver: "ida.ng"}, {Approver: "bo.lin"}}}
	terms.Confirmers = []Confirmers{{Actions: []string{"pay"}, Members: []string{"bo.lin"}}}
	require.ErrorIs(t, terms.StillAllows(grant.Confirmed("pay", Approval{Approver: "ida.ng"}), "ann.wu", "pay"), ErrNotConfirmed)
	require.NoError(t, terms.StillAllows(grant.Confirmed("pay", Approval{Approver: "bo.lin"}), "ann.wu", "pay"))
}
