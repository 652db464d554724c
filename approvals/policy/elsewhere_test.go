package policy

import (
	"crypto/ed25519"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// signerOf is a key, and its line without a name.
func signerOf(t *testing.T, seed byte) (ssh.Signer, string) {
	t.Helper()
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(seed), ed25519.SeedSize))))
	require.NoError(t, err)
	return signer, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
}

// One allowed signers file serves for Git and for approvals. A key that stands in
// it for the requester, for Git, and for an approver tells nobody from the other:
// whoever has it may not approve what she asked for, nor count as two.
func TestAKeyThatIsListedForAnotherElsewhere(t *testing.T) {
	shared, sharedKey := signerOf(t, 'a')
	own, ownKey := signerOf(t, 'b')
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		line      string // beside bo.lin's
		requester string
		signs     []string // in these names, with the keys of signers
		signers   []ssh.Signer
		codes     []approvals.Code
	}{
		"listed for nobody else": {
			"zoe.ng " + ownKey, "ann.wu", []string{"bo.lin"}, []ssh.Signer{shared}, []approvals.Code{approvals.Accepted},
		},
		"a requester in no group": {
			`ann.wu namespaces="git" ` + sharedKey, "ann.wu", []string{"bo.lin"}, []ssh.Signer{shared}, []approvals.Code{approvals.SelfApproval},
		},
		"by a pattern": {
			`*.wu namespaces="git,file" ` + sharedKey, "ann.wu", []string{"bo.lin"}, []ssh.Signer{shared}, []approvals.Code{approvals.SelfApproval},
		},
		"a requester in a group": {
			`dan.xu namespaces="git" ` + sharedKey, "dan.xu", []string{"bo.lin"}, []ssh.Signer{shared}, []approvals.Code{approvals.SelfApproval},
		},
		"a second approver": {
			`cy.ma namespaces="git" ` + sharedKey + "\n  cy.ma " + ownKey, "ann.wu", []string{"bo.lin", "cy.ma"}, []ssh.Signer{shared, own},
			[]approvals.Code{approvals.Accepted, approvals.BadSignature},
		},
		"and signs nothing for that one, who can only claim": {
			`cy.ma namespaces="git" ` + sharedKey, "ann.wu", []string{"cy.ma"}, []ssh.Signer{shared}, []approvals.Code{approvals.Accepted},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Parse([]byte("label: x\ngroups: {editors: {members: [bo.lin, cy.ma, eve.li]}, others: {members: [dan.xu]}}\n"+
				"allowed_signers: |\n  bo.lin "+sharedKey+"\n  "+tc.line+"\n"+
				"default: {quorums: [2 of editors], decide_within: 1h, grant_life: 1h}\n"), "p.yaml", nil)
			require.NoError(t, err)
			again, err := FromCanonical(p.Canonical())
			require.NoError(t, err)
			require.Equal(t, p.SharedKeys(), again.SharedKeys())
			for _, p := range []*Policy{p, again} {
				terms, err := p.Evaluate(planOf(action("a1", "pay", "bank/x", `{}`)), tc.requester)
				require.NoError(t, err)
				r := approvals.Request{
					RunID: "acme/x", RequestID: "r1", Phase: approvals.PhaseOpen, PlanHash: plan.Sum([]byte("a plan")),
					Requester: tc.requester, Terms: terms, DecideBy: at.Add(time.Hour),
				}
				var batch []approvals.Arrival
				for i, who := range tc.signs {
					batch = append(batch, approvals.Arrival{Raw: approved(t, r, who, tc.signers[i]), Via: approvals.ViaSignal, At: at})
				}
				for i, v := range approvals.Judge(r, batch) {
					require.Equal(t, tc.codes[i], v.Code, v.Reason)
					require.Equal(t, v.Code == approvals.Accepted && tc.signs[i] == "bo.lin", v.Proof == approvals.BySignature)
				}
			}
		})
	}
}

// approved is an approval of somebody, signed.
func approved(t *testing.T, r approvals.Request, name string, signer ssh.Signer) []byte {
	t.Helper()
	d := approvals.Decision{Decision: approvals.Approve, PlanHash: r.PlanHash, Approver: name}
	statement, err := r.StatementOf(d)
	require.NoError(t, err)
	d.Signature, err = signature.Sign(statement.Bytes(), signer)
	require.NoError(t, err)
	raw, err := json.Marshal(d)
	require.NoError(t, err)
	return raw
}

// Whoever misses why a key is no proof of one person finds the other names.
func TestKeysListedElsewhereAreShared(t *testing.T) {
	p := aliased(t, "bo.lin KEY1", `ann.wu namespaces="git" KEY1`, `bo.lin namespaces="git" KEY1`, `ann.wu namespaces="git" KEY2`)
	require.Equal(t, []SharedKey{{
		Fingerprint: signature.Fingerprint(signature.Key{Public: publicKey(1)}), People: []string{"bo.lin", "ann.wu"},
	}}, p.SharedKeys())
	require.Equal(t, aliased(t, "bo.lin KEY1").Version(), aliased(t, "bo.lin KEY1", `bo.lin namespaces="git" KEY1`).Version(), "it says nothing new")
	require.Equal(t,
		aliased(t, "bo.lin KEY1", `ann.wu namespaces="git" KEY1`).Version(),
		aliased(t, "bo.lin KEY1", `ann.wu namespaces="file",valid-before="20200101Z" KEY1`).Version(), "where and when else does not matter")
	require.NotEqual(t, aliased(t, "bo.lin KEY1", "ann.wu KEY1").Version(), aliased(t, "bo.lin KEY1", `ann.wu namespaces="git" KEY1`).Version())
}

// Other names of a member's key are written so that they are read again the same,
// whatever stands in them.
func TestNamesThatAreWrittenInQuotes(t *testing.T) {
	for _, names := range []string{`"#ops,bo.lin"`, `"bo.lin,#ops"`, `"bo.lin,a b"`, `"bo.lin, x"`, "bo.lin,x#y", "bo.lin,!#ops,*.lin", `"bo.lin,#"`} {
		p := aliased(t, names+" KEY1")
		again, err := FromCanonical(p.Canonical())
		require.NoError(t, err, names)
		require.Equal(t, p.SharedKeys(), again.SharedKeys(), names)
		require.Len(t, p.SharedKeys(), 1, names)
	}
	require.Equal(t, aliased(t, "bo.lin KEY1").Version(), aliased(t, "bo.lin KEY1", ", KEY1").Version(), "nobody's")
}

// Whatever the names of the allowed signers are, a policy that is read can be read
// from its canonical bytes.
func FuzzCanonicalSigners(f *testing.F) {
	for _, line := range []string{
		`"#ops,bo.lin" KEY1`, "bo.lin,*.x KEY1\nann.wu KEY1", `ann.wu namespaces="git" KEY1`, ", KEY1", `"\t#,bo.lin" KEY1`, "bo.lin,\"a KEY1",
		`bo.lin,\ufeffx valid-after="20260101Z" KEY1`, "bo.lin,!* KEY1", `"bo.lin,` + "\r" + `x" KEY1`, `"` + "\r" + `,bo.lin" KEY1`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, lines string) {
		lines = "bo.lin KEY1\n" + lines
		signers := strings.NewReplacer("KEY1", publicKey(1), "KEY2", publicKey(2)).Replace(lines)
		p, err := Parse([]byte("label: x\ngroups: {editors: {members: [bo.lin, cy.ma]}}\nallowed_signers_file: keys\n"+
			"default: {quorums: [1 of editors], decide_within: 1h, grant_life: 1h}\n"), "p.yaml", reading("keys", signers))
		if err != nil {
			require.NotContains(t, err.Error(), "canonical form", "%q", lines)
			return
		}
		again, err := FromCanonical(p.Canonical())
		require.NoError(t, err)
		require.Equal(t, p.SharedKeys(), again.SharedKeys())
	})
}
