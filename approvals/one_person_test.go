package approvals

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/signature"
)

// A key under several names, as under a wildcard, makes nobody two people.
func TestOneKeyIsOnePerson(t *testing.T) {
	shared := func() Request {
		r := signedRequest(t)
		_, key := signerNamed(t, bo)
		for _, name := range []string{cy, requester} {
			key.Name = name
			r.Terms.Signers = append(r.Terms.Signers, key)
		}
		return r
	}
	approve := func(name string) Decision { return Decision{Decision: Approve, PlanHash: h1, Approver: name} }

	t.Run("of two approvers", func(t *testing.T) {
		r := shared()
		r.Requester = "dan.xu"
		first := judgeOne(t, r, arrival(signed(t, r, approve(bo), bo)))
		require.Equal(t, Accepted, first.Code, first.Reason)
		r.Taken = []Taken{takenOf(first)}
		second := judgeOne(t, r, arrival(signed(t, r, approve(cy), bo)))
		require.Equal(t, BadSignature, second.Code)
		require.Contains(t, second.Reason, "has signed for "+bo+" already")
	})
	t.Run("of an approver and the requester", func(t *testing.T) {
		r := shared()
		v := judgeOne(t, r, arrival(signed(t, r, approve(bo), bo)))
		require.Equal(t, SelfApproval, v.Code)
		require.Contains(t, v.Reason, "is also one of "+requester)
		r.Terms.Signers = slices.DeleteFunc(r.Terms.Signers, func(k signature.Key) bool { return k.Name == requester })
		require.Equal(t, Accepted, judgeOne(t, r, arrival(signed(t, r, approve(bo), bo))).Code)
	})
	t.Run("in a grant", func(t *testing.T) {
		r := shared()
		r.Requester = "dan.xu"
		r.Terms.Quorums = []Quorum{{Group: "approvers", Need: 2, Members: []string{bo, cy}}}
		g := Grant{RunID: r.RunID, RequestID: r.RequestID, PlanHash: h1, DecideBy: r.Expires()}
		for _, name := range []string{bo, cy} {
			v := judgeOne(t, r, arrival(signed(t, r, approve(name), bo)))
			require.Equal(t, Accepted, v.Code, v.Reason)
			g.Approvals = append(g.Approvals, takenOf(v).Approval)
		}
		err := r.Terms.StillAllows(g, "dan.xu", "a1")
		require.ErrorIs(t, err, ErrPolicyChanged)
		require.ErrorContains(t, err, "has signed for another already")
	})
}

// Bo has a key of his own, and one that stands under Cy's name too. Whoever has
// both can sign in both names, in either order.
func TestTwoNamesThatShareAnyKeyAreOnePerson(t *testing.T) {
	r := signedRequest(t)
	r.Requester = "dan.xu"
	r.Terms.Quorums = []Quorum{{Group: "approvers", Need: 2, Members: []string{bo, cy}}}
	_, shared := signerNamed(t, cy)
	shared.Name = bo
	approve := func(name string) Decision { return Decision{Decision: Approve, PlanHash: h1, Approver: name} }
	grant := func(names ...string) Grant {
		g := Grant{RunID: r.RunID, RequestID: r.RequestID, PlanHash: h1, DecideBy: r.Expires()}
		for _, name := range names {
			v := judgeOne(t, r, arrival(signed(t, r, approve(name), name)))
			require.Equal(t, Accepted, v.Code, v.Reason)
			g.Approvals = append(g.Approvals, takenOf(v).Approval)
		}
		return g
	}
	for _, names := range [][]string{{bo, cy}, {cy, bo}} {
		apart := r
		apart.Taken = []Taken{takenOf(judgeOne(t, apart, arrival(signed(t, apart, approve(names[0]), names[0]))))}
		require.Equal(t, Accepted, judgeOne(t, apart, arrival(signed(t, apart, approve(names[1]), names[1]))).Code)
		require.NoError(t, r.Terms.StillAllows(grant(names...), r.Requester, "a1"))

		one := apart
		one.Terms.Signers = append(slices.Clone(r.Terms.Signers), shared)
		second := judgeOne(t, one, arrival(signed(t, one, approve(names[1]), names[1])))
		require.Equal(t, BadSignature, second.Code)
		require.Contains(t, second.Reason, "Each approver signs with a key that nobody else has.")
		err := one.Terms.StillAllows(grant(names...), r.Requester, "a1")
		require.ErrorIs(t, err, ErrPolicyChanged)
		require.ErrorContains(t, err, "1 of approvers must still approve")
	}
}

// A requester resolves nothing, with no key of hers under whichever name.
func TestRequesterResolvesUnderNoName(t *testing.T) {
	r := signedRequest(t)
	r.Terms.Resolvers = []Resolvers{{Members: []string{bo, cy}}}
	d := Doubts{RunID: r.RunID, PlanHash: h1, Requester: requester, Terms: r.Terms, Waiting: []InDoubt{{ActionID: "a1", Claim: "3"}}}
	word := Resolution{ActionID: "a1", PlanHash: h1, Outcome: NotHappened, Operator: bo, Evidence: "not there", Claim: "3"}
	statement, err := d.StatementOf(word)
	require.NoError(t, err)
	signer, key := signerNamed(t, bo)
	word.Signature, err = signature.Sign(statement.Bytes(), signer)
	require.NoError(t, err)
	raw, err := json.Marshal(word)
	require.NoError(t, err)
	require.Equal(t, Accepted, JudgeResolutions(d, []Arrival{arrival(raw)})[0].Code)
	require.NoError(t, d.Terms.StillResolves(statement, word.Signature, requester, noon))

	key.Name = requester
	d.Terms.Signers = append(slices.Clone(r.Terms.Signers), key)
	v := JudgeResolutions(d, []Arrival{arrival(raw)})[0]
	require.Equal(t, SelfApproval, v.Code)
	require.Contains(t, v.Reason, "is also one of "+requester)
	require.ErrorContains(t, d.Terms.StillResolves(statement, word.Signature, requester, noon), "self_approval")
}
