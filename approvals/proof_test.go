package approvals

import (
	"crypto/ed25519"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// signerNamed returns a key that follows from the name alone.
func signerNamed(t require.TestingT, name string) (ssh.Signer, signature.Key) {
	seed := plan.Sum([]byte(name))
	signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(seed[:]))
	require.NoError(t, err)
	public := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
	return signer, signature.Key{Name: name, Public: public}
}

// signedRequest wants bo's or cy's signature.
func signedRequest(t require.TestingT) Request {
	r := openRequest()
	r.Terms.Proof = BySignature
	for _, name := range []string{bo, cy} {
		_, key := signerNamed(t, name)
		r.Terms.Signers = append(r.Terms.Signers, key)
	}
	return r
}

// signed writes a decision with its signature by the key of signer.
func signed(t require.TestingT, r Request, d Decision, signer string) []byte {
	statement, err := r.StatementOf(d)
	require.NoError(t, err)
	key, _ := signerNamed(t, signer)
	d.Signature, err = signature.Sign(statement.Bytes(), key)
	require.NoError(t, err)
	raw, err := json.Marshal(d)
	require.NoError(t, err)
	return raw
}

func TestStatementIsTextThatAPersonReads(t *testing.T) {
	s, err := openRequest().StatementOf(Decision{Decision: Approve, PlanHash: h1, Approver: "Bo.Lin", Comment: "checked the diff"})
	require.NoError(t, err)
	// The last line is: printf 'checked the diff' | sha256sum
	require.Equal(t, `holdpoint decision v1
run: tenant-a/weekly-2025-w40
request: 01JD
plan: `+h1.String()+`
decision: approve
approver: bo.lin
expires: 2026-01-06T12:00:00Z
text-sha256: 9db3add1142420fbde425997fd2359496bf7939f1dc0d431441e38bc9247e0ea
`, string(s.Bytes()))

	s.Action = "pay\nplan: other"
	require.Contains(t, string(s.Bytes()), "action: pay\\u{000A}plan: other\n", "no text makes a line of its own")
	word := ResolutionStatement{Run: "acme/x", Plan: h1, Action: "a", Claim: "3", Outcome: Happened, Operator: bo, Evidence: plan.Sum(nil)}
	require.Equal(t, `holdpoint resolution v1
run: acme/x
plan: `+h1.String()+`
action: a
claim: 3
outcome: happened
operator: bo.lin
evidence-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
`, string(word.Bytes()))
}

// A signature is worth something in one place only.
func TestSignatureIsOfOneRunOneRequestAndOneText(t *testing.T) {
	approve := Decision{Decision: Approve, PlanHash: h1, Approver: bo, Comment: "looks good"}
	here := signedRequest(t)
	for name, tc := range map[string]struct {
		sign func(r *Request, d *Decision) // what was signed instead
		by   string
		want Code
		says string
	}{
		"this very decision":      {func(*Request, *Decision) {}, bo, Accepted, ""},
		"replayed of another run": {func(r *Request, _ *Decision) { r.RunID = "tenant-a/other" }, bo, BadSignature, "another text"},
		"of an earlier request":   {func(r *Request, _ *Decision) { r.RequestID = "01JC" }, bo, BadSignature, "another text"},
		"of another plan":         {func(_ *Request, d *Decision) { d.PlanHash = h0 }, bo, BadSignature, "another text"},
		"of another comment":      {func(_ *Request, d *Decision) { d.Comment = "do not" }, bo, BadSignature, "another text"},
		"of another decision":     {func(_ *Request, d *Decision) { d.Decision = Reject }, bo, BadSignature, "another text"},
		"of another time":         {func(r *Request, _ *Decision) { r.DecideBy = noon.Add(time.Hour) }, bo, BadSignature, "another text"},
		"of one action":           {func(_ *Request, d *Decision) { d.ActionID = "a" }, bo, BadSignature, "another text"},
		"in another's name":       {func(_ *Request, d *Decision) { d.Approver = cy }, bo, BadSignature, "another text"},
		"by another approver":     {func(*Request, *Decision) {}, cy, BadSignature, "Sign with a key that the policy has for you"},
		"by a stranger":           {func(*Request, *Decision) {}, stranger, BadSignature, "Sign with a key that the policy has for you"},
	} {
		t.Run(name, func(t *testing.T) {
			there, said := here, approve
			tc.sign(&there, &said)
			var d Decision
			require.NoError(t, json.Unmarshal(signed(t, there, said, tc.by), &d))
			sent := approve
			sent.Signature = d.Signature
			raw, err := json.Marshal(sent)
			require.NoError(t, err)
			v := judgeOne(t, here, arrival(raw))
			require.Equal(t, tc.want, v.Code, v.Reason)
			require.Contains(t, v.Reason, tc.says)
			if tc.want == Accepted {
				_, key := signerNamed(t, bo)
				require.Equal(t, Proven{Proof: BySignature, Key: signature.Fingerprint(key), Signature: d.Signature}, v.Proven)
			} else {
				require.Equal(t, Proven{}, v.Proven)
			}
		})
	}
}

func TestProof(t *testing.T) {
	approve := Decision{Decision: Approve, PlanHash: h1, Approver: bo}
	plainly, err := json.Marshal(approve)
	require.NoError(t, err)
	byClaim := signedRequest(t)
	byClaim.Terms.Proof = ByClaim
	noKeys := signedRequest(t)
	noKeys.Terms.Signers = noKeys.Terms.Signers[1:]
	noKeysByClaim := noKeys
	noKeysByClaim.Terms.Proof = ByClaim
	old := signedRequest(t)
	for i := range old.Terms.Signers {
		old.Terms.Signers[i].ValidBefore = noon.Add(-time.Hour)
	}
	rubbish := approve
	rubbish.Signature = "-----BEGIN SSH SIGNATURE-----"
	garbled, err := json.Marshal(rubbish)
	require.NoError(t, err)
	otherwise := openRequest()
	otherwise.RunID = "tenant-a/other"
	wrong := signed(t, otherwise, approve, bo)

	for name, tc := range map[string]struct {
		request Request
		raw     []byte
		want    Code
		proof   Proof
	}{
		"no signature where one is wanted":         {signedRequest(t), plainly, SignatureRequired, ""},
		"rubbish for a signature":                  {signedRequest(t), garbled, BadSignature, ""},
		"a key that has run out":                   {old, signed(t, old, approve, bo), BadSignature, ""},
		"a person without a key":                   {noKeys, signed(t, noKeys, approve, bo), BadSignature, ""},
		"a claim where it suffices":                {byClaim, plainly, Accepted, ByClaim},
		"a signature where a claim suffices":       {byClaim, signed(t, byClaim, approve, bo), Accepted, BySignature},
		"a wrong signature where a claim suffices": {byClaim, wrong, BadSignature, ""},
		"one that nobody can check, by claim":      {noKeysByClaim, signed(t, noKeysByClaim, approve, bo), Accepted, ByClaim},
	} {
		t.Run(name, func(t *testing.T) {
			v := judgeOne(t, tc.request, arrival(tc.raw))
			require.Equal(t, tc.want, v.Code, v.Reason)
			require.Equal(t, tc.proof, v.Proof)
		})
	}
}

// At the point of effect the signatures are verified anew, with the keys of
// today.
func TestGrantWithSignatures(t *testing.T) {
	r := signedRequest(t)
	r.Terms.Confirm = []string{"pay"}
	v := judgeOne(t, r, arrival(signed(t, r, Decision{Decision: Approve, PlanHash: h1, Approver: bo, Comment: "ok"}, bo)))
	require.Equal(t, Accepted, v.Code, v.Reason)
	granted := r.After(v)
	g, err := NewGrant(granted, noon)
	require.NoError(t, err)
	g = g.For("pay")
	require.Empty(t, g.Approvals[0].Comment)
	require.NoError(t, r.Terms.StillAllows(g, requester, "read"))
	require.ErrorIs(t, r.Terms.StillAllows(g, requester, "pay"), ErrNotConfirmed)

	granted.Confirm = []string{"pay"}
	word := judgeOne(t, granted, arrival(signed(t, granted, Decision{Decision: Approve, PlanHash: h1, ActionID: "pay", Approver: cy}, cy)))
	require.Equal(t, Accepted, word.Code, word.Reason)
	taken := granted.After(word).Taken
	confirmed := g.Confirmed("pay", taken[len(taken)-1].Approval)
	require.NoError(t, r.Terms.StillAllows(confirmed.For("pay"), requester, "pay"))
	require.ErrorIs(t, r.Terms.StillAllows(confirmed.For("read"), requester, "pay"), ErrNotConfirmed)

	for name, spoil := range map[string]func(g *Grant){
		"another run":     func(g *Grant) { g.RunID = "tenant-a/other" },
		"another request": func(g *Grant) { g.RequestID = "01JC" },
		"another plan":    func(g *Grant) { g.PlanHash = h0 },
		"another person":  func(g *Grant) { g.Approvals[0].Approver = cy },
		"another text":    func(g *Grant) { g.Approvals[0].Text = plan.Sum([]byte("no")) },
		"no signature":    func(g *Grant) { g.Approvals[0].Signature = "" },
		"another time":    func(g *Grant) { g.DecideBy = g.DecideBy.Add(time.Hour) },
	} {
		bad := g.For("read")
		spoil(&bad)
		require.ErrorIs(t, r.Terms.StillAllows(bad, requester, "read"), ErrPolicyChanged, name)
	}
	withoutKey := r.Terms
	withoutKey.Signers = withoutKey.Signers[1:]
	require.ErrorIs(t, withoutKey.StillAllows(g, requester, "read"), ErrPolicyChanged, "her key was taken out of the policy")

	moved := confirmed.For("pay")
	moved.Confirmations[0].Approver = bo
	require.ErrorIs(t, r.Terms.StillAllows(moved, requester, "pay"), ErrNotConfirmed)
}

func TestConfirmations(t *testing.T) {
	granted := fold(openRequest(), Judge(openRequest(), []Arrival{arrival(decision(t, Approve, h1, bo))}))
	granted.Confirm = []string{"pay"}
	word := func(c Choice, action, who string) Arrival {
		raw, err := json.Marshal(Decision{Decision: c, PlanHash: h1, ActionID: action, Approver: who})
		require.NoError(t, err)
		return arrival(raw)
	}
	for name, tc := range map[string]struct {
		request Request
		arrival Arrival
		want    Code
	}{
		"by the same approver":        {granted, word(Approve, "pay", bo), Accepted},
		"by another":                  {granted, word(Approve, "pay", cy), Accepted},
		"rejected":                    {granted, word(Reject, "pay", cy), Accepted},
		"rejected by the requester":   {granted, word(Reject, "pay", requester), Accepted},
		"approved by the requester":   {granted, word(Approve, "pay", requester), SelfApproval},
		"by a stranger":               {granted, word(Approve, "pay", stranger), NotAnApprover},
		"of an action that waits not": {granted, word(Approve, "read", bo), NotAsked},
		"while the plan itself waits": {openRequest(), word(Approve, "pay", bo), NotAsked},
		"after the end":               {fold(granted, []Verdict{{Code: Accepted, Decision: Reject, ActionID: "pay"}}), word(Approve, "pay", bo), TooLate},
		"revised":                     {granted, arrival([]byte(`{"decision":"revise","feedback":"x","action_id":"pay","plan_hash":"` + h1.String() + `","approver":"bo.lin"}`)), Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			v := judgeOne(t, tc.request, tc.arrival)
			require.Equal(t, tc.want, v.Code, v.Reason)
		})
	}
	twice := Judge(granted, []Arrival{word(Approve, "pay", bo), word(Approve, "pay", bo), word(Approve, "pay", cy)})
	require.Equal(t, []Code{Accepted, Duplicate, NotAsked}, codes(twice))
	require.Equal(t, PhaseGranted, fold(granted, twice[:1]).Phase)
	require.Empty(t, fold(granted, twice[:1]).Confirm)
}

// A word about one action is asked for after the plan was approved, and waits as
// long as the approval does: that is what its statement says, and no word counts
// after it.
func TestConfirmationHoldsAsLongAsTheApproval(t *testing.T) {
	r := signedRequest(t)
	r.DecideBy = noon.Add(time.Hour) // long before the approval ends
	v := judgeOne(t, r, arrival(signed(t, r, Decision{Decision: Approve, PlanHash: h1, Approver: bo}, bo)))
	granted := r.After(v)
	g, err := NewGrant(granted, noon)
	require.NoError(t, err)
	granted.Confirm, granted.GrantedUntil = []string{"pay"}, g.ExpiresAt
	until := noon.Add(8 * time.Hour)
	require.Equal(t, until, g.ExpiresAt)

	pay := Decision{Decision: Approve, PlanHash: h1, ActionID: "pay", Approver: cy}
	statement, err := granted.StatementOf(pay)
	require.NoError(t, err)
	require.Contains(t, string(statement.Bytes()), "\nexpires: 2026-01-05T20:00:00Z\n")
	ofPlan, err := granted.StatementOf(Decision{Decision: Approve, PlanHash: h1, Approver: cy})
	require.NoError(t, err)
	require.Contains(t, string(ofPlan.Bytes()), "\nexpires: 2026-01-05T13:00:00Z\n")

	at := func(when time.Time, raw []byte) Verdict {
		return judgeOne(t, granted, Arrival{Raw: raw, Via: ViaSignal, At: when})
	}
	raw := signed(t, granted, pay, cy)
	word := at(until.Add(-time.Nanosecond), raw)
	require.Equal(t, Accepted, word.Code, word.Reason)
	require.Equal(t, until, word.Expires)
	late := at(until, raw)
	require.Equal(t, Expired, late.Code)
	require.Contains(t, late.Reason, "held until 2026-01-05T20:00:00Z")
	require.Equal(t, until, late.Expires)
	fired := judgeOne(t, granted, Arrival{Raw: raw, Via: ViaSignal, At: noon, Late: true})
	require.Equal(t, Expired, fired.Code, "its timer had fired, whatever the time of the task before")

	taken := granted.After(word).Taken
	confirmed := g.Confirmed("pay", taken[len(taken)-1].Approval).For("pay")
	require.Equal(t, until, confirmed.Confirmations[0].Expires)
	terms := r.Terms
	terms.Confirm = []string{"pay"}
	require.NoError(t, terms.StillAllows(confirmed, requester, "pay"))
	moved := confirmed.For("pay")
	moved.Confirmations[0].Expires = until.Add(time.Second)
	require.ErrorIs(t, terms.StillAllows(moved, requester, "pay"), ErrNotConfirmed)

	// A build from before signed it with the end of the time to decide, and
	// recorded nothing else.
	before := granted
	before.GrantedUntil = time.Time{}
	old := signed(t, before, pay, cy)
	require.Equal(t, BadSignature, at(noon, old).Code)
	word = judgeOne(t, before, Arrival{Raw: old, Via: ViaSignal, At: noon.Add(2 * time.Hour)})
	require.Equal(t, Accepted, word.Code, word.Reason)
	taken = before.After(word).Taken
	recorded, err := json.Marshal(g.Confirmed("pay", taken[len(taken)-1].Approval))
	require.NoError(t, err)
	require.NotContains(t, string(recorded), `"expires"`)
	var read Grant
	require.NoError(t, json.Unmarshal(recorded, &read))
	require.NoError(t, terms.StillAllows(read, requester, "pay"))
}

// Whoever has approved the plan, and is asked for a word about an action, learns
// which one it is.
func TestApprovingAgainNamesTheActionThatWaits(t *testing.T) {
	granted := fold(openRequest(), Judge(openRequest(), []Arrival{arrival(decision(t, Approve, h1, bo))}))
	again := judgeOne(t, granted, arrival(decision(t, Approve, h1, bo)))
	require.Equal(t, Duplicate, again.Code)
	require.Contains(t, again.Reason, "Nothing is left to do.")
	granted.Confirm = []string{"pay"}
	again = judgeOne(t, granted, arrival(decision(t, Approve, h1, bo)))
	require.Equal(t, Duplicate, again.Code)
	require.Contains(t, again.Reason, "by action_id pay.")
	require.NotContains(t, again.Reason, "Nothing is left")
}

// A requester who is in no group has no key in the policy, so that her rejection
// can never be proved. She can stop her run all the same.
func TestRequesterWithoutAKeyLearnsHowToStopHerRun(t *testing.T) {
	r := signedRequest(t)
	plainly := judgeOne(t, r, arrival(decision(t, Reject, h1, requester)))
	require.Equal(t, SignatureRequired, plainly.Code)
	require.Contains(t, plainly.Reason, "'starter cancel RUN'")
	byHand := judgeOne(t, r, arrival(signed(t, r, Decision{Decision: Reject, PlanHash: h1, Approver: requester}, requester)))
	require.Equal(t, BadSignature, byHand.Code)
	require.Contains(t, byHand.Reason, "'starter cancel RUN'")
	member := judgeOne(t, r, arrival(decision(t, Reject, h1, bo)))
	require.Equal(t, SignatureRequired, member.Code)
	require.NotContains(t, member.Reason, "starter cancel")
}

func TestSignedResolution(t *testing.T) {
	r := signedRequest(t)
	d := Doubts{RunID: r.RunID, PlanHash: h1, Requester: requester, Terms: r.Terms, Waiting: []InDoubt{{ActionID: "a", Claim: "2"}}}
	say := func(there Doubts, signer string) Verdict {
		word := Resolution{ActionID: "a", PlanHash: h1, Outcome: Happened, Operator: bo, Evidence: "it is there"}
		s, err := there.StatementOf(word)
		require.NoError(t, err)
		key, _ := signerNamed(t, signer)
		word.Signature, err = signature.Sign(s.Bytes(), key)
		require.NoError(t, err)
		raw, err := json.Marshal(word)
		require.NoError(t, err)
		return JudgeResolutions(d, []Arrival{arrival(raw)})[0]
	}
	v := say(d, bo)
	require.Equal(t, Accepted, v.Code, v.Reason)
	require.Equal(t, "2", v.Claim)
	require.Equal(t, BySignature, v.Proof)
	require.Equal(t, BadSignature, say(d, cy).Code)

	earlier := d
	earlier.Waiting = []InDoubt{{ActionID: "a", Claim: "1"}}
	require.Equal(t, BadSignature, say(earlier, bo).Code, "a word about an earlier claim")
	elsewhere := d
	elsewhere.RunID = "tenant-a/other"
	require.Equal(t, BadSignature, say(elsewhere, bo).Code)

	raw, err := json.Marshal(Resolution{ActionID: "a", PlanHash: h1, Outcome: Happened, Operator: bo, Evidence: "it is there"})
	require.NoError(t, err)
	require.Equal(t, SignatureRequired, JudgeResolutions(d, []Arrival{arrival(raw)})[0].Code)
}

// A statement can be read back field by field, whatever stands in it: so two
// that differ in any field differ in what is signed.
func FuzzStatement(f *testing.F) {
	f.Add("acme/x", "01JD", "approve", "a1", "bo.lin", "fine")
	f.Add("a\nplan: sha256:00", "\u202e", "approve\n", "\x00", "bo\nexpires: never", "\r\n")
	f.Add(`\u{000A}`, "\xff", `\x{FF}`, `\`, `\\u{5C}`, "\ufffd")
	f.Fuzz(func(t *testing.T, run, request, choice, action, approver, text string) {
		s := Statement{Run: run, Request: request, Plan: h1, Decision: Choice(choice), Action: action, Approver: approver, Expires: noon, Text: plan.Sum([]byte(text))}
		want := [][2]string{
			{"run", run}, {"request", request}, {"plan", h1.String()}, {"decision", choice}, {"action", action}, {"approver", approver},
			{"expires", "2026-01-05T12:00:00Z"}, {"text-sha256", hexOf(plan.Sum([]byte(text)))},
		}
		if action == "" {
			want = append(want[:4:4], want[5:]...)
		}
		lines := strings.Split(string(s.Bytes()), "\n")
		require.Len(t, lines, len(want)+2)
		require.Equal(t, "holdpoint decision v1", lines[0])
		for i, field := range want {
			name, value, _ := strings.Cut(lines[i+1], ": ")
			require.Equal(t, field[0], name)
			require.Equal(t, field[1], unescaped(t, value))
		}
		require.Empty(t, lines[len(lines)-1])
	})
}

// unescaped is the text of which plan.Escape made this.
func unescaped(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, `\`)
		b.WriteString(before)
		switch {
		case !found:
			return b.String()
		case strings.HasPrefix(rest, "u{"), strings.HasPrefix(rest, "x{"):
			digits, after, closed := strings.Cut(rest[2:], "}")
			require.True(t, closed, s)
			code, err := strconv.ParseUint(digits, 16, 32)
			require.NoError(t, err)
			if s = after; rest[0] == 'u' {
				b.WriteRune(rune(code))
			} else {
				b.WriteByte(byte(code))
			}
		default:
			b.WriteByte('\\')
			s = rest
		}
	}
}

func BenchmarkJudgeSigned(b *testing.B) {
	r := signedRequest(b)
	a := arrival(signed(b, r, Decision{Decision: Approve, PlanHash: h1, Approver: bo, Comment: "checked"}, bo))
	for b.Loop() {
		if v := Judge(r, []Arrival{a})[0]; v.Code != Accepted {
			b.Fatal(v.Reason)
		}
	}
}
