package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/signature"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/sshkeys"
)

func approval(as string, proof proofFlags) decision {
	return decision{choice: approvals.Approve, as: as, comment: "checked", yes: true, proof: proof}
}

// signedBy runs an approval to its verdict.
func signedBy(t *testing.T, k keychain, ts approvals.Terms, say decision) (approvals.Verdict, string, error) {
	t.Helper()
	c := at(k, waiting(t, "r1", ts, samplePlan()))
	if err := c.decide(t.Context(), "acme/x", say, false); err != nil {
		require.Empty(t, c.sent, "nothing is sent beside an error")
		return approvals.Verdict{}, c.out.String(), err
	}
	return c.verdict(t), c.out.String(), nil
}

func requireSigned(t *testing.T, v approvals.Verdict, with key) {
	t.Helper()
	require.Equal(t, approvals.Accepted, v.Code, v.Reason)
	require.Equal(t, approvals.BySignature, v.Proof)
	require.Equal(t, with.fingerprint(), v.Key)
}

func TestKeyFileSigns(t *testing.T) {
	mine, other := newKey(t), newKey(t)
	ts := terms(approvals.BySignature, of(mei, mine), of(bo, other))
	v, out, err := signedBy(t, keys(""), ts, approval(mei, proofFlags{key: mine.file(t, "")}))
	require.NoError(t, err)
	requireSigned(t, v, mine)
	require.Contains(t, out, mine.fingerprint())
	require.Equal(t, "1 of security", v.Missing)

	_, _, err = signedBy(t, keys(""), ts, approval(mei, proofFlags{key: other.file(t, "")}))
	require.ErrorContains(t, err, other.fingerprint(), "the key that it is")
	require.ErrorContains(t, err, "it has "+mine.fingerprint(), "the key that it should be")
	_, _, err = signedBy(t, keys(""), ts, approval(mei, proofFlags{key: write(t, "id", "no key\n")}))
	require.ErrorContains(t, err, "no private key that can be read")
	_, _, err = signedBy(t, keys(""), ts, approval(mei, proofFlags{key: "/nowhere/id"}))
	require.ErrorContains(t, err, "/nowhere/id")
}

func TestPassphraseIsAskedForOnlyByTheRightKey(t *testing.T) {
	mine, other := newKey(t), newKey(t)
	ts := terms(approvals.BySignature, of(mei, mine))
	asked := 0
	typing := func(typed string) keychain {
		k := keys("")
		k.Passphrase = func(_ context.Context, prompt string) ([]byte, error) {
			asked++
			require.Contains(t, prompt, "passphrase of ")
			return []byte(typed), nil
		}
		return k
	}
	v, _, err := signedBy(t, typing("open sesame"), ts, approval(mei, proofFlags{key: mine.file(t, "open sesame")}))
	require.NoError(t, err)
	requireSigned(t, v, mine)
	_, _, err = signedBy(t, typing("open barley"), ts, approval(mei, proofFlags{key: mine.file(t, "open sesame")}))
	require.ErrorContains(t, err, "not opened by this passphrase")
	require.Equal(t, 2, asked)
	_, _, err = signedBy(t, typing("open sesame"), ts, approval(mei, proofFlags{key: other.file(t, "open sesame")}))
	require.ErrorContains(t, err, other.fingerprint())
	require.Equal(t, 2, asked, "the file shows whose it is without its passphrase")

	say := approval(mei, proofFlags{key: mine.file(t, "open sesame")})
	say.yes = false
	c := at(typing("open sesame"), waiting(t, "r1", ts, samplePlan()))
	c.in = nobody{}
	require.ErrorContains(t, c.decide(t.Context(), "acme/x", say, false), "no answer")
	require.Equal(t, 2, asked, "whoever says no types no passphrase")

	k := keys("")
	k.Passphrase = func(context.Context, string) ([]byte, error) {
		return nil, errors.New("there is no terminal to ask for it")
	}
	_, _, err = signedBy(t, k, ts, approval(mei, proofFlags{key: mine.file(t, "open sesame")}))
	require.ErrorContains(t, err, "ssh-add")
}

// nobody types nothing.
type nobody struct{}

func (nobody) Read([]byte) (int, error) { return 0, errors.New("closed") }

func TestAgentSignsWithTheKeyThatThePolicyHas(t *testing.T) {
	stranger, first, second := newKey(t), newKey(t), newKey(t)
	socket := startAgent(t, stranger, first, second)
	v, out, err := signedBy(t, keys(socket), terms(approvals.BySignature, of(mei, second), of(bo, first)), approval(mei, proofFlags{}))
	require.NoError(t, err)
	requireSigned(t, v, second)
	require.Contains(t, out, second.fingerprint()+" in ssh-agent")
	v, _, err = signedBy(t, keys(socket), terms(approvals.BySignature, of(mei, second), of(bo, first)), approval(mei, proofFlags{key: "agent"}))
	require.NoError(t, err)
	requireSigned(t, v, second)

	both := terms(approvals.BySignature, of(mei, first), of(mei, second))
	v, _, err = signedBy(t, keys(socket), both, approval(mei, proofFlags{key: write(t, "id.pub", second.line+" mei@laptop\n")}))
	require.NoError(t, err)
	requireSigned(t, v, second)
	_, _, err = signedBy(t, keys(socket), both, approval(mei, proofFlags{key: write(t, "id.pub", stranger.line)}))
	require.ErrorContains(t, err, stranger.fingerprint())

	overdue := of(mei, first)
	overdue.ValidBefore = noon.Add(-time.Hour)
	v, _, err = signedBy(t, keys(socket), terms(approvals.BySignature, overdue, of(mei, second)), approval(mei, proofFlags{}))
	require.NoError(t, err)
	requireSigned(t, v, second)
}

// Where the policy has no key of hers, the agent must have but one.
func TestTheAgentsOnlyKeySignsWhereThePolicyHasNone(t *testing.T) {
	mine := newKey(t)
	_, out, err := signedBy(t, keys(startAgent(t, mine)), terms(approvals.ByClaim), approval(mei, proofFlags{key: "agent"}))
	require.NoError(t, err)
	require.Contains(t, out, mine.fingerprint()+" in ssh-agent")
	_, _, err = signedBy(t, keys(startAgent(t, mine, newKey(t))), terms(approvals.ByClaim), approval(mei, proofFlags{key: "agent"}))
	require.ErrorContains(t, err, "--key: ssh-agent offers 2 keys")
	_, _, err = signedBy(t, keys(""), terms(approvals.ByClaim), approval(mei, proofFlags{key: "agent"}))
	require.ErrorContains(t, err, "--key: there is no ssh-agent")
}

func TestNoKeyIsSaidWithWhatToDo(t *testing.T) {
	mine, other := newKey(t), newKey(t)
	ts := terms(approvals.BySignature, of(mei, mine))
	absent := newKey(t)
	for name, tc := range map[string]struct {
		keys  keychain
		terms approvals.Terms
		proof proofFlags
		says  []string
	}{
		"the policy has none":   {keys(startAgent(t, mine)), terms(approvals.BySignature), proofFlags{}, []string{"has no key of theirs", "allowed signers"}},
		"no agent":              {keys(""), ts, proofFlags{}, []string{"SSH_AUTH_SOCK", "--key", mine.fingerprint()}},
		"nobody at the socket":  {keys("/nowhere/agent"), ts, proofFlags{}, []string{"SSH_AUTH_SOCK", "--key"}},
		"an empty agent":        {keys(startAgent(t)), ts, proofFlags{}, []string{"offers 0 keys", "ssh-add", mine.fingerprint()}},
		"an agent without hers": {keys(startAgent(t, other)), ts, proofFlags{}, []string{"offers 1 key,", "ssh-add", mine.fingerprint()}},
		"not the chosen one": {
			keys(startAgent(t, other)), terms(approvals.BySignature, of(mei, absent)), proofFlags{key: write(t, "id.pub", absent.line)},
			[]string{"does not offer", absent.fingerprint(), "ssh-add"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := signedBy(t, tc.keys, tc.terms, approval(mei, tc.proof))
			require.Error(t, err)
			for _, text := range tc.says {
				require.ErrorContains(t, err, text)
			}
		})
	}
	_, _, err := signedBy(t, keys(""), ts, approval(mei, proofFlags{key: "a", signature: "b"}))
	require.ErrorAs(t, err, new(cli.UsageError))
}

// Where a claim would do, a key that is at hand is used, and none is missed.
func TestClaimIsSignedWhenAKeyIsAtHand(t *testing.T) {
	mine, other := newKey(t), newKey(t)
	known := terms(approvals.ByClaim, of(mei, mine))
	v, out, err := signedBy(t, keys(startAgent(t, mine)), known, approval(mei, proofFlags{}))
	require.NoError(t, err)
	requireSigned(t, v, mine)
	require.Contains(t, out, mine.fingerprint()+" in ssh-agent")

	for name, socket := range map[string]string{"no agent": "", "another's": startAgent(t, other), "broken": "/nowhere/agent"} {
		t.Run(name, func(t *testing.T) {
			v, out, err := signedBy(t, keys(socket), known, approval(mei, proofFlags{}))
			require.NoError(t, err)
			require.Equal(t, approvals.ByClaim, v.Proof)
			require.Contains(t, out, "nothing is signed")
		})
	}
	v, out, err = signedBy(t, keys(""), terms(approvals.ByClaim), approval(mei, proofFlags{key: mine.file(t, "")}))
	require.NoError(t, err)
	require.Equal(t, approvals.ByClaim, v.Proof)
	require.Contains(t, out, "proves nothing")
}

// Whom the policy refuses anyway is not asked for a key: the refusal is to be
// on record.
func TestRefusedPersonNeedsNoKey(t *testing.T) {
	v, out, err := signedBy(t, keys(""), terms(approvals.BySignature, of(mei, newKey(t))), approval(ann, proofFlags{}))
	require.NoError(t, err)
	require.Equal(t, approvals.SelfApproval, v.Code)
	require.Contains(t, out, "nothing is signed\n")
	require.NotContains(t, out, "takes the name", "the policy wants a signature")
}

// Whoever may not decide is told so before she is asked and signs.
func TestAStrangerIsToldBeforeSheSigns(t *testing.T) {
	const dan = "dan.x@example.com"
	mine := newKey(t)
	for name, proof := range map[string]proofFlags{"without a key": {}, "with a key": {key: mine.file(t, "")}} {
		t.Run(name, func(t *testing.T) {
			c := at(keys(""), waiting(t, "r1", terms(approvals.BySignature, of(mei, newKey(t))), samplePlan()))
			say := approval(dan, proof)
			say.yes = false
			c.in = strings.NewReader("no\n")
			require.ErrorContains(t, c.decide(t.Context(), "acme/x", say, false), "nothing was sent")
			refused := "this will be refused, and stand on record as refused: " + dan + " is in no group"
			require.Contains(t, c.out.String(), refused)
			require.Less(t, strings.Index(c.out.String(), refused), strings.Index(c.out.String(), "[yes/no]"))
			require.NotContains(t, c.out.String(), "takes the name")
		})
	}
}

// The requester may reject her own run. Where that must be signed and the policy
// keeps no key of hers, she learns how to stop it.
func TestRequesterWithoutAKeyIsToldHowToStopHerRun(t *testing.T) {
	say := approval(ann, proofFlags{})
	say.choice = approvals.Reject
	_, _, err := signedBy(t, keys(""), terms(approvals.BySignature, of(mei, newKey(t))), say)
	require.ErrorContains(t, err, "'starter cancel RUN'")
	require.NotContains(t, err.Error(), "added to its allowed signers", "that would change nothing")
	v, _, err := signedBy(t, keys(""), terms(approvals.ByClaim), say)
	require.NoError(t, err)
	require.Equal(t, approvals.Accepted, v.Code)
}

func TestSignatureByHandIsVerifiedBeforeItIsSent(t *testing.T) {
	mine, other := newKey(t), newKey(t)
	ts := terms(approvals.BySignature, of(mei, mine))
	run := waiting(t, "r1", ts, samplePlan())
	sign := func(request string, with ssh.Signer, say decision) string {
		w, err := say.about(waiting(t, request, ts, samplePlan()))
		require.NoError(t, err)
		armored, err := signature.Sign(w.statement, with)
		require.NoError(t, err)
		return write(t, "s.sig", armored)
	}
	say := approval(mei, proofFlags{})
	say.proof.signature = sign("r1", mine.signer, say)
	v, _, err := signedBy(t, keys(""), ts, say)
	require.NoError(t, err)
	requireSigned(t, v, mine)

	otherwise := say
	otherwise.comment = "not checked"
	for name, tc := range map[string]struct{ file, says string }{
		"another request": {sign("r0", mine.signer, say), "does not fit"},
		"another text":    {sign("r1", mine.signer, otherwise), "does not fit"},
		"another key":     {sign("r1", other.signer, say), other.fingerprint()},
		"no signature":    {write(t, "s.sig", "yes"), "no readable signature"},
		"a whole disk":    {write(t, "s.sig", string(make([]byte, sshkeys.MaxFileBytes+1))), "bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			c := at(keys(""), run)
			say.proof.signature = tc.file
			require.ErrorContains(t, c.decide(t.Context(), "acme/x", say, false), tc.says)
			require.Empty(t, c.sent)
		})
	}

	// Whether a key is valid now, the worker's clock decides.
	overdue := of(mei, mine)
	overdue.ValidBefore = noon.Add(-time.Hour)
	ts = terms(approvals.BySignature, overdue)
	say.proof.signature = sign("r1", mine.signer, say)
	v, out, err := signedBy(t, keys(""), ts, say)
	require.NoError(t, err)
	require.Equal(t, approvals.BadSignature, v.Code)
	require.Contains(t, out, "the worker's clock decides")
}
