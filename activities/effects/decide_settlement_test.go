package effects_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestDecideSettlement(t *testing.T) {
	done := plan.Receipt{IdempotencyKey: "k", Ref: "by the word of mei", At: ago(time.Minute)}
	happened := effects.Settlement{Key: "k", Token: 4, Receipt: &done, Reason: "happened, says mei"}
	not := effects.Settlement{Key: "k", Token: 4, Reason: "not_happened, says mei"}
	look := effects.Settlement{Key: "k"}
	old := func(s effects.Settlement) effects.Settlement { s.Token = 3; return s }

	quiet := unsettled(func(r *effects.Row) { r.QuietUntil = noon })
	calling := unsettled(func(r *effects.Row) { r.QuietUntil = noon.Add(7 * time.Second) })
	lapsed := unsettled(func(r *effects.Row) { r.LeaseUntil, r.QuietUntil = noon, noon })
	working := unsettled(func(r *effects.Row) { r.LeaseUntil, r.QuietUntil = noon.Add(2*time.Second), noon.Add(7*time.Second) })

	tests := []struct {
		name  string
		s     effects.Settlement
		row   *effects.Row
		state effects.State // after a change; "" when nothing changes
		held  time.Duration
		quiet time.Duration
	}{
		{"no row, and nobody says whose effect it is", happened, nil, "", 0, 0},
		{"it happened", happened, quiet, effects.Completed, 0, 0},
		{"it did not happen", not, quiet, effects.Released, 0, 0},
		{"it happened, a call may be under way", happened, calling, effects.Completed, 0, 0},
		{"it did not happen, a call may be under way", not, calling, "", 0, 7 * time.Second},
		{"it happened, the lease ran out", happened, lapsed, effects.Completed, 0, 0},
		{"it did not happen, the lease ran out", not, lapsed, effects.Released, 0, 0},
		{"it happened, an attempt is at work", happened, working, "", 2 * time.Second, 0},
		{"it did not happen, an attempt is at work", not, working, "", 2 * time.Second, 0},
		{"it happened, by a word about an earlier claim", old(happened), quiet, "", 0, 0},
		{"it did not happen, by a word about an earlier claim", old(not), quiet, "", 0, 0},
		{"an old word while a call may be under way", old(not), calling, "", 0, 0},
		{"a look", look, quiet, "", 0, 0},
		{"a look at an attempt at work", look, working, "", 2 * time.Second, 0},
		{"completed already", not, as(effects.Completed, mine()), "", 0, 0},
		{"completed already, it happened", happened, as(effects.Completed, mine()), "", 0, 0},
		{"released already", happened, as(effects.Released, mine()), "", 0, 0},
		{"in doubt with other parameters: the token names the claim", not, as(effects.Started, others()), effects.Released, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := effects.DecideSettlement(tt.s, tt.row, noon)
			require.Equal(t, tt.state != "", got.Changed)
			require.Equal(t, tt.held, got.Held)
			require.Equal(t, tt.quiet, got.Quiet)
			var want effects.Row
			if tt.row != nil {
				want = *tt.row
			}
			if got.Changed {
				want.State, want.Receipt, want.Reason, want.UpdatedAt = tt.state, tt.s.Receipt, tt.s.Reason, noon
				want.LeaseUntil, want.QuietUntil = time.Time{}, time.Time{}
			}
			require.Equal(t, want, got.Row)
		})
	}
}

// The attempt that a settlement overtook gets no further, and the next one
// starts anew.
func TestClaimAfterASettlement(t *testing.T) {
	row := unsettled(func(*effects.Row) {})
	released := effects.DecideSettlement(effects.Settlement{Key: "k", Token: 4, Reason: "looked"}, row, noon).Row
	next := effects.Decide(effects.Claim{Key: "k", Fingerprint: mine(), Lease: time.Second}, &released, noon.Add(time.Minute))
	require.Equal(t, int64(5), next.Token)
	require.False(t, next.Recover, "a person's word is enough")
	require.Equal(t, noon.Add(time.Minute), next.Row.SentAt, "the key's window counts from the call to come")
}

func TestBadSettlements(t *testing.T) {
	at := ago(time.Minute)
	for name, receipt := range map[string]*plan.Receipt{
		"another key's receipt": {IdempotencyKey: "other", At: at},
		"a receipt of no key":   {At: at},
		"a receipt of no time":  {IdempotencyKey: "k"},
	} {
		require.Equal(t, faults.Permanent, faults.ClassOf(effects.Settlement{Key: "k", Token: 1, Receipt: receipt}.Validate()), name)
	}
	require.NoError(t, effects.Settlement{Key: "k", Token: 1}.Validate())
	require.NoError(t, effects.Settlement{Key: "k", Token: 1, Receipt: &plan.Receipt{IdempotencyKey: "k", At: at}}.Validate())
}
