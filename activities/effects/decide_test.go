package effects_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// noon is the ledger's time in these tests, and ago a time before it.
var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

func mine() plan.Digest   { return plan.Sum([]byte("mine")) }
func others() plan.Digest { return plan.Sum([]byte("others")) }

// unsettled is a row that was first claimed ten minutes ago, by a claim that
// left no trace but this.
func unsettled(change func(*effects.Row)) *effects.Row {
	row := &effects.Row{
		Key: "k", State: effects.Started, Token: 4, Fingerprint: mine(), Reason: "no answer",
		SentAt: ago(10 * time.Minute), CreatedAt: ago(time.Hour), UpdatedAt: ago(5 * time.Minute),
	}
	change(row)
	return row
}

func as(state effects.State, fingerprint plan.Digest) *effects.Row {
	return unsettled(func(r *effects.Row) { r.State, r.Fingerprint = state, fingerprint })
}

func leased(until time.Time, fingerprint plan.Digest) *effects.Row {
	return unsettled(func(r *effects.Row) { r.LeaseUntil, r.Fingerprint = until, fingerprint })
}

func TestDecideByState(t *testing.T) {
	tests := []struct {
		name    string
		row     *effects.Row
		token   int64
		recover bool
		held    time.Duration
	}{
		{"no row", nil, 1, false, 0},
		{"released", as(effects.Released, mine()), 5, false, 0},
		{"released, other parameters", as(effects.Released, others()), 5, false, 0},
		{"completed", as(effects.Completed, mine()), 0, false, 0},
		{"completed, other parameters", as(effects.Completed, others()), 0, false, 0},
		{"lease runs", leased(noon.Add(time.Millisecond), mine()), 0, false, time.Millisecond},
		{"lease runs, other parameters", leased(noon.Add(time.Second), others()), 0, false, time.Second},
		{"lease ends now", leased(noon, mine()), 5, true, 0},
		{"lease over", leased(ago(time.Minute), mine()), 5, true, 0},
		{"parked", leased(time.Time{}, mine()), 5, true, 0},
		{"parked, other parameters", leased(time.Time{}, others()), 0, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			claim := effects.Claim{
				Key: "k", Fingerprint: mine(), Tenant: "acme", RunID: "acme/r", ActionID: "a", Tool: "t", Target: "x",
				Attempt: 2, Owner: "me", Lease: 3 * time.Second, Quiet: 10 * time.Second,
			}
			got := effects.Decide(claim, tt.row, noon)
			require.Equal(t, tt.token, got.Token)
			require.Equal(t, tt.recover, got.Recover)
			require.Equal(t, tt.held, got.Held)
			require.False(t, got.Resend, "the claim allows none")
			if tt.token == 0 {
				require.Equal(t, *tt.row, got.Row)
				return
			}
			want := effects.Row{
				Key: "k", Fingerprint: mine(), Tenant: "acme", RunID: "acme/r", ActionID: "a", Tool: "t", Target: "x",
				State: effects.Started, Attempt: 2, Token: tt.token, LeaseOwner: "me", LeaseUntil: noon.Add(3 * time.Second),
				SentAt: noon, QuietUntil: noon.Add(10 * time.Second), CreatedAt: noon, UpdatedAt: noon,
			}
			if tt.row != nil {
				want.CreatedAt, want.Reason = ago(time.Hour), "no answer"
			}
			if tt.recover {
				want.SentAt = ago(10 * time.Minute) // the first call counts
			}
			require.Equal(t, want, got.Row)
		})
	}
}

// What a claim of an unsettled row gets, by when the first call was made and
// until when one may be under way. The first call was made ten minutes ago.
func TestDecideByCall(t *testing.T) {
	quiet := func(until time.Time) *effects.Row {
		return unsettled(func(r *effects.Row) { r.QuietUntil = until })
	}
	over, running := quiet(noon), quiet(noon.Add(20*time.Second))
	tests := []struct {
		name   string
		row    *effects.Row
		resend time.Duration // the claim's
		again  bool
		held   time.Duration
		until  time.Time // of quiet, in the new claim
	}{
		{"inside the window, an earlier call may be under way", running, 11 * time.Minute, true, 0, noon.Add(20 * time.Second)},
		{"inside the window, no call is", over, 11 * time.Minute, true, 0, noon.Add(5 * time.Second)},
		{"the window's last moment", over, 10*time.Minute + time.Nanosecond, true, 0, noon.Add(5 * time.Second)},
		{"the window ends now", over, 10 * time.Minute, false, 0, noon.Add(5 * time.Second)},
		{"outside the window, an earlier call may be under way", running, 10 * time.Minute, false, 20 * time.Second, time.Time{}},
		{"outside the window, no call is", over, time.Minute, false, 0, noon.Add(5 * time.Second)},
		{"no window, an earlier call may be under way", running, 0, false, 20 * time.Second, time.Time{}},
		{"no window, no call is", over, 0, false, 0, noon.Add(5 * time.Second)},
		{"no window, surely none is", quiet(time.Time{}), 0, false, 0, noon.Add(5 * time.Second)},
		{"a window without an end", running, tools.Always, true, 0, noon.Add(20 * time.Second)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			claim := effects.Claim{Key: "k", Fingerprint: mine(), Lease: time.Second, Quiet: 5 * time.Second, Resend: tt.resend}
			got := effects.Decide(claim, tt.row, noon)
			require.Equal(t, tt.held, got.Held)
			if tt.held > 0 {
				require.Zero(t, got.Token)
				require.False(t, got.Recover)
				require.Equal(t, *tt.row, got.Row)
				return
			}
			require.Equal(t, int64(5), got.Token)
			require.True(t, got.Recover)
			require.Equal(t, tt.again, got.Resend)
			require.Equal(t, tt.until, got.Row.QuietUntil, "the last call that may be under way, whoever made it")
			require.Equal(t, ago(10*time.Minute), got.Row.SentAt)
		})
	}
}

// A call that was repeated while an earlier one was under way leaves both to
// wait for, also when the later one would end first.
func TestRepeatedCallDoesNotHideAnEarlierOne(t *testing.T) {
	slow := effects.Claim{Key: "k", Fingerprint: mine(), Lease: time.Second, Quiet: time.Minute, Resend: 10 * time.Second}
	first := effects.Decide(slow, nil, noon).Row

	quick := slow
	quick.Quiet = 2 * time.Second
	second := effects.Decide(quick, &first, noon.Add(5*time.Second))
	require.True(t, second.Resend)

	third := effects.Decide(quick, &second.Row, noon.Add(30*time.Second))
	require.Zero(t, third.Token, "the window is over, and the first call may be under way")
	require.Equal(t, 30*time.Second, third.Held)
	require.True(t, effects.Decide(quick, &second.Row, noon.Add(time.Minute)).Recover)
}

func TestDecideWhenTheClockWasSetBack(t *testing.T) {
	back := ago(time.Hour) // fifty-five minutes before the row's last change
	claim := effects.Claim{Key: "k", Fingerprint: mine(), Lease: 3 * time.Second, Quiet: 10 * time.Second}

	t.Run("a window is not opened again", func(t *testing.T) {
		claim := claim
		claim.Resend = 4 * time.Minute // less than the five between the first call and the last change
		got := effects.Decide(claim, unsettled(func(*effects.Row) {}), back)
		require.True(t, got.Recover)
		require.False(t, got.Resend)
		require.Equal(t, ago(5*time.Minute), got.Row.UpdatedAt, "the row's time stands still until the clock has caught up")
		require.Equal(t, ago(5*time.Minute).Add(3*time.Second), got.Row.LeaseUntil)
	})
	t.Run("the wait is at most the lease", func(t *testing.T) {
		row := leased(ago(5*time.Minute).Add(3*time.Second), mine())
		require.Equal(t, 3*time.Second, effects.Decide(claim, row, back).Held)
	})
	t.Run("a released key's new window starts at the row's time", func(t *testing.T) {
		require.Equal(t, ago(5*time.Minute), effects.Decide(claim, as(effects.Released, mine()), back).Row.SentAt)
	})
	t.Run("a settlement waits for what the row still has to wait", func(t *testing.T) {
		row := unsettled(func(r *effects.Row) { r.QuietUntil = ago(4 * time.Minute) })
		require.Equal(t, time.Minute, effects.DecideSettlement(effects.Settlement{Key: "k", Token: 4}, row, back).Quiet)
	})
}

func TestBadClaims(t *testing.T) {
	for name, spoil := range map[string]func(*effects.Claim){
		"no key":            func(c *effects.Claim) { c.Key = "" },
		"no fingerprint":    func(c *effects.Claim) { c.Fingerprint = plan.Digest{} },
		"no lease":          func(c *effects.Claim) { c.Lease = 0 },
		"an unusable lease": func(c *effects.Claim) { c.Lease = time.Microsecond },
		"a negative quiet":  func(c *effects.Claim) { c.Quiet = -1 },
		"a negative resend": func(c *effects.Claim) { c.Resend = -1 },
	} {
		c := effects.Claim{Key: "k", Fingerprint: mine(), Lease: time.Second, Quiet: time.Second, Resend: tools.Always}
		require.NoError(t, c.Validate())
		spoil(&c)
		require.Equal(t, faults.Permanent, faults.ClassOf(c.Validate()), name)
	}
}
