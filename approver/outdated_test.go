package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/signature"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// inDoubt is a run that waits for a word about its action tell, and judges it by
// these terms.
func inDoubt(t *testing.T, ts approvals.Terms) *runs.Run {
	t.Helper()
	state := granted(t, waiting(t, "r1", ts, samplePlan())).State
	state.Actions[1].Status = workflows.StepInDoubt
	state.Actions[1].Doubt = &workflows.Doubt{Token: 7, Target: "bank/tell", SentAt: noon}
	return seen(state)
}

func told() finding {
	return finding{action: "tell", outcome: "happened", as: cy, evidence: "it is in the log"}
}

// A run may judge by an earlier policy than that of the day, and hears of the new
// one by the word of somebody whom it refuses. So what it knows keeps nobody from
// speaking; who speaks is told what will come of it.
func TestANewKeyIsSentToARunThatMayKnowTheOldOne(t *testing.T) {
	before, now := newKey(t), newKey(t)
	of := func(proof approvals.Proof, signers ...signature.Key) *runs.Run {
		return inDoubt(t, terms(proof, signers...))
	}
	known := of(approvals.BySignature, signature.Key{Name: cy, Public: before.line})
	w, err := told().about(known)
	require.NoError(t, err)
	byHand, err := signature.Sign(w.statement, now.signer)
	require.NoError(t, err)
	for name, tc := range map[string]struct {
		run   *runs.Run
		proof proofFlags
		says  string
	}{
		"a key file":                 {known, proofFlags{key: now.file(t, "")}, before.fingerprint() + " for " + cy + " and not this key"},
		"a signature by hand":        {known, proofFlags{signature: write(t, "s.sig", byHand)}, now.fingerprint()},
		"where it has no key at all": {of(approvals.BySignature), proofFlags{key: now.file(t, "")}, "which has no key of " + cy},
	} {
		t.Run(name, func(t *testing.T) {
			c := at(keys(""), tc.run)
			require.NoError(t, c.resolve(t.Context(), "acme/x", told(), tc.proof))
			require.Equal(t, approvals.BadSignature, c.verdict(t).Code, "by what the run knows")
			require.Contains(t, c.out.String(), tc.says)
			require.Contains(t, c.out.String(), "say the same again in a moment")
		})
	}

	for name, tc := range map[string]struct {
		run *runs.Run
		k   keychain
	}{
		"an agent that has another": {known, keys(startAgent(t, now))},
		"no key is known or given":  {of(approvals.BySignature), keys("")},
	} {
		t.Run(name, func(t *testing.T) {
			err := at(tc.k, tc.run).resolve(t.Context(), "acme/x", told(), proofFlags{})
			require.ErrorContains(t, err, "If you have another key since, sign with it by --key FILE")
		})
	}

	stranger := told()
	stranger.as = mei
	c := at(keys(""), known)
	require.NoError(t, c.resolve(t.Context(), "acme/x", stranger, proofFlags{}))
	require.Equal(t, approvals.NotAResolver, c.verdict(t).Code)
	require.Contains(t, c.out.String(), "as the run has heard of it; if the policy has changed since")

	wrong := told()
	wrong.evidence = "it is not in the log"
	another, err := wrong.about(known)
	require.NoError(t, err)
	armored, err := signature.Sign(another.statement, before.signer)
	require.NoError(t, err)
	c = at(keys(""), known)
	require.ErrorContains(t, c.resolve(t.Context(), "acme/x", told(), proofFlags{signature: write(t, "s.sig", armored)}), "does not fit")
	require.Empty(t, c.sent, "what fits no text is sent to nobody")
}
