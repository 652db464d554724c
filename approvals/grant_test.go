package approvals

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// sampleGrant is bo's approval of h1 at noon and a bit, for eight hours.
func sampleGrant(t *testing.T) Grant {
	t.Helper()
	a := arrival(decision(t, Approve, h1, "Bo.Lin"))
	a.At = noon.Add(300 * time.Millisecond)
	granted := fold(openRequest(), []Verdict{judgeOne(t, openRequest(), a)})
	g, err := NewGrant(granted, a.At)
	require.NoError(t, err)
	return g
}

func TestNewGrantFixesItsTimes(t *testing.T) {
	raw, err := json.Marshal(sampleGrant(t))
	require.NoError(t, err)
	// The last digest is that of no text at all.
	require.JSONEq(t, `{"run_id":"tenant-a/weekly-2025-w40","plan_hash":"`+h1.String()+`","approval_policy_version":"weekly-report@sha256:01",
		"request_id":"01JD","approvals":[{"approver":"bo.lin","comment":"","at":"2026-01-05T12:00:00Z","groups":"approvers","proof":"claim",
		"text_sha256":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}],
		"approved_at":"2026-01-05T12:00:00Z","expires_at":"2026-01-05T20:00:00Z","decide_by":"2026-01-06T12:00:00Z"}`, string(raw))
}

func TestNewGrantNeedsItsQuorums(t *testing.T) {
	byBo := Taken{Approval: Approval{Approver: bo}, Decision: Approve}
	for name, spoil := range map[string]func(r *Request){
		"nobody approved":  func(r *Request) { r.Phase = PhaseGranted },
		"the gate is open": func(r *Request) { r.Taken = []Taken{byBo} },
		"only a rejection": func(r *Request) {
			r.Phase, r.Taken = PhaseGranted, []Taken{{Approval: byBo.Approval, Decision: Reject}}
		},
		"only a word about an action": func(r *Request) {
			r.Phase, r.Taken = PhaseGranted, []Taken{{Approval: byBo.Approval, Decision: Approve, ActionID: "a"}}
		},
		"one of two": func(r *Request) { r.Phase, r.Taken, r.Terms.Quorums[0].Need = PhaseGranted, []Taken{byBo}, 2 },
		"one person twice": func(r *Request) {
			r.Phase, r.Taken, r.Terms.Quorums[0].Need = PhaseGranted, []Taken{byBo, byBo}, 2
		},
		"no terms": func(r *Request) { r.Phase, r.Taken, r.Terms = PhaseGranted, []Taken{byBo}, Terms{} },
	} {
		t.Run(name, func(t *testing.T) {
			r := openRequest()
			spoil(&r)
			_, err := NewGrant(r, noon)
			require.ErrorIs(t, err, ErrNotGranted)
		})
	}
	_, err := NewGrant(Request{Phase: PhaseGranted, Taken: []Taken{byBo}, Terms: sampleTerms()}, noon)
	require.ErrorIs(t, err, ErrOtherPlan)
}

func TestGrantCovers(t *testing.T) {
	end := noon.Add(8 * time.Hour)
	for name, tc := range map[string]struct {
		spoil func(g *Grant)
		hash  plan.Digest
		now   time.Time
		want  error
	}{
		"at once":               {nil, h1, noon, nil},
		"to the last moment":    {nil, h1, end.Add(-1), nil},
		"in another zone":       {nil, h1, end.Add(-1).In(time.FixedZone("", -5*3600)), nil},
		"at the end":            {nil, h1, end, ErrGrantExpired},
		"later":                 {nil, h1, end.Add(time.Hour), ErrGrantExpired},
		"other plan":            {nil, h0, noon, ErrOtherPlan},
		"no plan":               {nil, plan.Digest{}, noon, ErrOtherPlan},
		"zero grant, zero hash": {func(g *Grant) { *g = Grant{} }, plan.Digest{}, noon, ErrNotGranted},
		"nobody approved":       {func(g *Grant) { g.Approvals = nil }, h1, noon, ErrNotGranted},
		"no expiry":             {func(g *Grant) { g.ExpiresAt = time.Time{} }, h1, noon, ErrGrantExpired},
		"no expiry, no clock":   {func(g *Grant) { g.ExpiresAt = time.Time{} }, h1, time.Time{}, ErrGrantExpired},
		"no start":              {func(g *Grant) { g.ApprovedAt = time.Time{} }, h1, noon, ErrGrantExpired},
		"year 9999":             {func(g *Grant) { g.ExpiresAt = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC) }, h1, noon, ErrGrantExpired},
		"30 days":               {func(g *Grant) { g.ExpiresAt = noon.Add(MaxPeriod) }, h1, noon, nil},
		"beyond 30 days":        {func(g *Grant) { g.ExpiresAt = noon.Add(MaxPeriod + time.Second) }, h1, noon, ErrGrantExpired},
	} {
		t.Run(name, func(t *testing.T) {
			g := sampleGrant(t)
			if tc.spoil != nil {
				tc.spoil(&g)
			}
			require.ErrorIs(t, g.Covers(tc.hash, tc.now), tc.want)
		})
	}
}

func TestC057_AnExpiryThatCannotBeReadIsNeverNone(t *testing.T) {
	for _, expiry := range []string{`"31/01/2026"`, `""`, `1767607200`, `"2026-01-05 10:00"`, `null`} {
		raw := `{"plan_hash":"` + h1.String() + `","approvals":[{"approver":"bo.lin"}],"approved_at":"2026-01-05T12:00:00Z","expires_at":` + expiry + `}`
		var g Grant
		if err := json.Unmarshal([]byte(raw), &g); err == nil {
			require.ErrorIs(t, g.Covers(h1, noon), ErrGrantExpired, expiry)
		}
	}
}

func TestStillAllowsAsksTheNewerPolicy(t *testing.T) {
	g := sampleGrant(t)
	of := func(change func(t *Terms)) Terms {
		terms := sampleTerms()
		change(&terms)
		return terms
	}
	require.NoError(t, sampleTerms().StillAllows(g, requester, "a"))
	require.NoError(t, of(func(t *Terms) { t.GrantLife, t.Label = time.Second, "stricter" }).StillAllows(g, requester, "a"),
		"later settings do not move an expiry that was fixed")
	require.NoError(t, Terms{ByPolicy: []string{"notes"}}.StillAllows(g, requester, "a"), "nobody need be asked any more")

	require.ErrorIs(t, of(func(t *Terms) { t.Quorums[0].Members = []string{cy} }).StillAllows(g, requester, "a"), ErrPolicyChanged)
	require.ErrorIs(t, of(func(t *Terms) { t.Quorums[0].Need = 2 }).StillAllows(g, requester, "a"), ErrPolicyChanged)
	require.ErrorIs(t, of(func(t *Terms) { t.Proof = BySignature }).StillAllows(g, requester, "a"), ErrPolicyChanged)
	require.ErrorIs(t, of(func(t *Terms) { t.Confirm = []string{"a"} }).StillAllows(g, requester, "a"), ErrNotConfirmed)
	require.NoError(t, of(func(t *Terms) { t.Confirm = []string{"b"} }).StillAllows(g, requester, "a"))
	require.ErrorIs(t, sampleTerms().StillAllows(g, bo, "a"), ErrPolicyChanged)
	require.ErrorIs(t, Terms{}.StillAllows(g, requester, "a"), ErrPolicyChanged)
	require.ErrorIs(t, sampleTerms().StillAllows(Grant{}, requester, "a"), ErrNotGranted)

	byPolicy := Grant{PlanHash: h1, ByPolicy: []string{"notes"}, ApprovedAt: noon, ExpiresAt: noon.Add(time.Hour)}
	require.NoError(t, byPolicy.Covers(h1, noon))
	require.ErrorIs(t, sampleTerms().StillAllows(byPolicy, requester, "a"), ErrPolicyChanged, "somebody must be asked now")

	two := g
	two.Approvals = append(two.Approvals, Approval{Approver: stranger})
	require.NoError(t, sampleTerms().StillAllows(two, requester, "a"), "whoever does not count today is passed over")
}
