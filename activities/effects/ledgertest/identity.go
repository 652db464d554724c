package ledgertest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func testIdentity(t *testing.T, s subject) {
	identity, err := s.Identity(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, identity)
	again, err := s.Identity(t.Context())
	require.NoError(t, err)
	require.Equal(t, identity, again)

	t.Run("of another ledger: nothing is claimed and nothing is settled", func(t *testing.T) {
		c := claim("mine", long)
		c.Ledger = "another ledger"
		_, err := s.Begin(t.Context(), c)
		requireOther(t, err)
		require.Empty(t, keysOf(t, s, []string{"mine"}))

		first := s.parked(t, claim("parked", long), true)
		before := s.row(t, "parked")
		for _, word := range []effects.Settlement{happened("parked", first.Token), notHappened("parked", first.Token), {Key: "parked"}} {
			word.Ledger = "another ledger"
			_, err := s.Settle(t.Context(), word)
			requireOther(t, err)
		}
		require.Equal(t, before, s.row(t, "parked"))
	})
	t.Run("of this ledger", func(t *testing.T) {
		c := claim("here", long)
		c.Ledger = identity
		first := s.parked(t, c, true)
		word := notHappened("here", first.Token)
		word.Ledger = identity
		require.True(t, s.settle(t, word).Changed)
	})
}

func requireOther(t *testing.T, err error) {
	t.Helper()
	require.ErrorContains(t, err, effects.CodeOtherLedger)
	require.Equal(t, faults.Transient, faults.ClassOf(err), "nothing was changed")
}

// effect is whose the key of these tests is.
func effect() effects.Effect {
	c := claim("", long)
	return effects.Effect{
		Fingerprint: c.Fingerprint, Tenant: c.Tenant, RunID: c.RunID, ActionID: c.ActionID, Tool: c.Tool, Target: c.Target,
	}
}

// What a person knows to have happened is recorded, whatever the ledger knows.
func testSettleUnknown(t *testing.T, s subject) {
	requireDone := func(t *testing.T, key string) {
		t.Helper()
		row := s.row(t, key)
		require.Equal(t, effects.Completed, row.State)
		require.Equal(t, receipt(key), *row.Receipt)
		require.Equal(t, "happened, says mei", row.Reason)
		again := s.begin(t, claim(key, long))
		require.Zero(t, again.Token, "it is not handed out any more")
		require.Equal(t, receipt(key), *again.Row.Receipt)
	}
	known := func(word effects.Settlement) effects.Settlement {
		word.Effect = effect()
		return word
	}
	t.Run("there is no row", func(t *testing.T) {
		require.Equal(t, effects.Settled{}, s.settle(t, known(notHappened("none", 3))), "there is nothing to release")
		require.Equal(t, effects.Settled{}, s.settle(t, known(effects.Settlement{Key: "none"})), "nor to look at")
		settled := s.settle(t, known(happened("none", 3)))
		require.True(t, settled.Changed)
		row := s.row(t, "none")
		require.Equal(t, row, settled.Row)
		require.Equal(t, int64(3), row.Token)
		require.Equal(t, []string{"acme", "acme/weekly-report-2026-W48", "page-1", "gitpages", "kb/weekly/2026-W48.md"},
			[]string{row.Tenant, row.RunID, row.ActionID, row.Tool, row.Target})
		requireDone(t, "none")
		require.False(t, s.settle(t, known(notHappened("none", 3))).Changed, "the first word stands")
	})
	t.Run("the row is released", func(t *testing.T) {
		c := claim("released", long)
		c.Fingerprint = plan.Sum([]byte("other parameters"))
		first := s.claimed(t, c)
		require.NoError(t, s.Release(t.Context(), "released", first.Token, "refused"))
		before := s.row(t, "released")
		require.Equal(t, effects.Settled{Row: before}, s.settle(t, known(notHappened("released", first.Token))))
		settled := s.settle(t, known(happened("released", first.Token)))
		require.True(t, settled.Changed)
		require.Equal(t, settled.Row, s.row(t, "released"))
		require.Equal(t, before.CreatedAt, settled.Row.CreatedAt)
		require.Equal(t, claim("released", long).Fingerprint, settled.Row.Fingerprint)
		requireDone(t, "released")
	})
	t.Run("nobody says whose effect it is", func(t *testing.T) {
		require.Equal(t, effects.Settled{}, s.settle(t, happened("nobody", 1)))
		require.Empty(t, keysOf(t, s, []string{"nobody"}))
	})
}

// A row that should be there and is not was lost, with all that it said.
func testLostRow(t *testing.T, s subject) {
	earlier := func(key string, resend time.Duration) effects.Claim {
		c := claim(key, long)
		c.Earlier, c.Resend, c.Quiet = time.Minute, resend, long
		return c
	}
	t.Run("the same call may be made again", func(t *testing.T) {
		begun := s.claimed(t, earlier("again", 2*time.Minute))
		require.True(t, begun.Recover)
		require.True(t, begun.Resend)
		require.False(t, begun.Lost)
		require.Equal(t, begun.Row.CreatedAt.Add(-time.Minute), begun.Row.SentAt, "the window counts from the first call that can have been")
		require.Equal(t, begun.Row, s.row(t, "again"))
	})
	t.Run("it may not, or not any more", func(t *testing.T) {
		for key, resend := range map[string]time.Duration{"once": 0, "late": time.Minute} {
			begun := s.claimed(t, earlier(key, resend))
			require.True(t, begun.Recover, key)
			require.True(t, begun.Lost, key)
			require.False(t, begun.Resend, key)
			require.NoError(t, s.Park(t.Context(), key, begun.Token, "the row is missing", false))
			next := s.begin(t, earlier(key, resend))
			require.Zero(t, next.Token, key)
			require.Greater(t, next.Held, long/2, "a call may be under way, whoever made it")
		}
	})
	t.Run("there is a row", func(t *testing.T) {
		first := s.claimed(t, claim("there", long))
		require.NoError(t, s.Release(t.Context(), "there", first.Token, "refused"))
		begun := s.claimed(t, earlier("there", 0))
		require.False(t, begun.Recover, "it says that nothing happened")
		require.False(t, begun.Lost)
	})
}
