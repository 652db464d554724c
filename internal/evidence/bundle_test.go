package evidence

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// What is signed, byte for byte: whoever has ssh-keygen can verify it by hand.
func TestSealStatement(t *testing.T) {
	sum := plan.Sum([]byte("abc"))
	require.Equal(t, "holdpoint evidence v1\nrun: acme/a\\u{000A}b\ncontent-sha256: "+
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n", string(SealStatement("acme/a\nb", sum)))
}

// Signed words about one action are among the recorded bundles, from before and
// since their own expiry was recorded: both must verify.
func TestWordsAboutOneActionOfBothBuilds(t *testing.T) {
	for name, says := range map[string]bool{"signed": false, "confirmed": true} {
		b, err := Parse(recorded(t)[name])
		require.NoError(t, err)
		grant := b.Content.Requests[0].Grant
		word := grant.Confirmations[0]
		require.Equal(t, approvals.BySignature, word.Proof)
		require.Equal(t, says, !word.Expires.IsZero(), name)
		if says {
			require.Equal(t, grant.ExpiresAt, word.Expires)
			require.NotEqual(t, grant.DecideBy.Unix(), word.Expires.Unix())
		}
	}
}

func TestParseRefusesWhatItWouldNotWrite(t *testing.T) {
	whole := string(recorded(t)["rejected"])
	_, err := Parse([]byte(whole))
	require.NoError(t, err)
	for name, c := range map[string]struct{ from, to, want string }{
		"another format":      {`"format": "holdpoint.evidence/1"`, `"format": "holdpoint.evidence/2"`, "this version reads"},
		"an unknown member":   {`"seal": {`, `"more": 1, "seal": {`, "unknown field"},
		"a member twice":      {`"seal": {`, `"seal": {}, "seal": {`, "second member"},
		"another letter case": {`"run_id"`, `"Run_ID"`, "letter case"},
		"a missing member":    {",\n    \"missing\": []", "", "a member is missing"},
		"more behind it":      {"", "{}", "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := whole + c.to
			if c.from != "" {
				require.Contains(t, whole, c.from)
				changed = strings.Replace(whole, c.from, c.to, 1)
			}
			_, err := Parse([]byte(changed))
			require.ErrorContains(t, err, c.want)
		})
	}
}

// The verifier's keys count, not those in the bundle; a name without a key, and
// a policy that is not the verifier's, are no proof.
func TestTheVerifierBringsWhatCounts(t *testing.T) {
	raw := unsealed(t, recorded(t)["signed"])
	require.Empty(t, problems(t, raw, Options{Signers: allowedSigners(t)}))
	found := problems(t, raw, Options{})
	require.Contains(t, strings.Join(found, "\n"), "your allowed signers have no key of bo.lin")
	require.Contains(t, strings.Join(found, "\n"), "your allowed signers have no key of dee.ray", "of a resolution too")

	found = problems(t, raw, Options{Signers: allowedSigners(t), Policies: []string{"orders@sha256:" + strings.Repeat("0", 64)}})
	require.Len(t, found, 1)
	require.Contains(t, found[0], "none of the policies that you gave")
}
