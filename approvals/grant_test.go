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
	g, err := NewGrant(openRequest(), judgeOne(t, openRequest(), a))
	require.NoError(t, err)
	return g
}

func TestNewGrantFixesItsTimes(t *testing.T) {
	require.Equal(t, Grant{
		PlanHash:      h1,
		PolicyVersion: samplePolicy().Version(),
		RequestID:     "01JD",
		Approvals:     []Approval{{Approver: bo, At: noon}},
		ApprovedAt:    noon,
		ExpiresAt:     noon.Add(8 * time.Hour),
	}, sampleGrant(t))

	raw, err := json.Marshal(sampleGrant(t))
	require.NoError(t, err)
	require.JSONEq(t, `{"plan_hash":"`+h1.String()+`","approval_policy_version":"`+samplePolicy().Version()+`","request_id":"01JD",
		"approvals":[{"approver":"bo.lin","comment":"","at":"2026-01-05T12:00:00Z"}],
		"approved_at":"2026-01-05T12:00:00Z","expires_at":"2026-01-05T20:00:00Z"}`, string(raw))
}

func TestNewGrantNeedsAnAcceptedApprovalOfItsPlan(t *testing.T) {
	for _, v := range []Verdict{
		{},
		{Code: Accepted, PlanHash: h1.String()},
		{Code: Accepted, Decision: Reject, PlanHash: h1.String(), Approver: bo},
		{Code: Duplicate, Decision: Approve, PlanHash: h1.String(), Approver: bo},
	} {
		_, err := NewGrant(openRequest(), v)
		require.ErrorIs(t, err, ErrNotGranted)
	}
	_, err := NewGrant(openRequest(), Verdict{Code: Accepted, Decision: Approve, PlanHash: h0.String(), Approver: bo})
	require.ErrorIs(t, err, ErrOtherPlan)
	_, err = NewGrant(Request{}, Verdict{Code: Accepted, Decision: Approve, PlanHash: plan.Digest{}.String()})
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
	require.NoError(t, samplePolicy().StillAllows(g, requester))

	shorter := samplePolicy()
	shorter.GrantLife, shorter.Label = time.Second, "stricter"
	require.NoError(t, shorter.StillAllows(g, requester), "later settings do not move an expiry that was fixed")

	without := samplePolicy()
	without.Approvers = []string{cy}
	require.ErrorIs(t, without.StillAllows(g, requester), ErrPolicyChanged)
	require.ErrorIs(t, samplePolicy().StillAllows(g, bo), ErrPolicyChanged)
	require.ErrorIs(t, Policy{}.StillAllows(g, requester), ErrPolicyChanged)
	require.ErrorIs(t, samplePolicy().StillAllows(Grant{}, requester), ErrNotGranted)

	two := g
	two.Approvals = append(two.Approvals, Approval{Approver: stranger})
	require.ErrorIs(t, samplePolicy().StillAllows(two, requester), ErrPolicyChanged)
}
