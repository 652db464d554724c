package effects_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestDecide(t *testing.T) {
	now := time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC)
	mine, others := plan.Sum([]byte("mine")), plan.Sum([]byte("others"))
	row := func(state effects.State, until time.Time, f plan.Digest) *effects.Row {
		return &effects.Row{Key: "k", State: state, Token: 4, Fingerprint: f, LeaseUntil: until, CreatedAt: now.Add(-time.Hour)}
	}
	tests := []struct {
		name    string
		row     *effects.Row
		token   int64
		recover bool
		held    time.Duration
	}{
		{"no row", nil, 1, false, 0},
		{"released", row(effects.Released, time.Time{}, mine), 5, false, 0},
		{"released, other parameters", row(effects.Released, time.Time{}, others), 5, false, 0},
		{"completed", row(effects.Completed, time.Time{}, mine), 0, false, 0},
		{"completed, other parameters", row(effects.Completed, time.Time{}, others), 0, false, 0},
		{"lease runs", row(effects.Started, now.Add(time.Millisecond), mine), 0, false, time.Millisecond},
		{"lease runs, other parameters", row(effects.Started, now.Add(time.Second), others), 0, false, time.Second},
		{"lease ends now", row(effects.Started, now, mine), 5, true, 0},
		{"lease over", row(effects.Started, now.Add(-time.Hour), mine), 5, true, 0},
		{"parked", row(effects.Started, time.Time{}, mine), 5, true, 0},
		{"parked, other parameters", row(effects.Started, time.Time{}, others), 0, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			claim := effects.Claim{Key: "k", Fingerprint: mine, Attempt: 2, Owner: "me", Lease: 3 * time.Second}
			got := effects.Decide(claim, tt.row, now)
			require.Equal(t, tt.token, got.Token)
			require.Equal(t, tt.recover, got.Recover)
			require.Equal(t, tt.held, got.Held)
			if tt.token == 0 {
				require.Equal(t, *tt.row, got.Row)
				return
			}
			created := now
			if tt.row != nil {
				created = tt.row.CreatedAt
			}
			require.Equal(t, effects.Row{
				Key: "k", Fingerprint: mine, State: effects.Started, Attempt: 2, Token: tt.token, LeaseOwner: "me",
				LeaseUntil: now.Add(3 * time.Second), CreatedAt: created, UpdatedAt: now,
			}, got.Row)
		})
	}
}
