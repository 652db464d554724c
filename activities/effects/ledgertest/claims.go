package ledgertest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func testBegin(t *testing.T, s subject) {
	c := claim("k", long)
	c.Quiet = 2 * long
	begun := s.claimed(t, c)
	require.False(t, begun.Recover)
	row := begun.Row
	require.Equal(t, row, s.row(t, "k"), "the answer is what was stored")
	require.Equal(t, effects.Row{
		Key: "k", Tenant: "acme", RunID: "acme/weekly-report-2026-W48", ActionID: "page-1",
		Tool: "gitpages", Target: "kb/weekly/2026-W48.md", Fingerprint: c.Fingerprint, Declaration: c.Declaration,
		State: effects.Started, Attempt: 1, Token: begun.Token, LeaseOwner: "worker-7",
		LeaseUntil: row.CreatedAt.Add(long), SentAt: row.CreatedAt, QuietUntil: row.CreatedAt.Add(2 * long),
		CreatedAt: row.CreatedAt, UpdatedAt: row.CreatedAt,
	}, row)
	require.Equal(t, time.UTC, row.CreatedAt.Location())

	second := s.begin(t, c)
	require.Zero(t, second.Token, "one live claim")
	require.Positive(t, second.Held)
	require.LessOrEqual(t, second.Held, long)
	require.Equal(t, row, second.Row)
	require.Equal(t, row, s.row(t, "k"), "a refused Begin changes nothing")

	require.Positive(t, s.begin(t, claim("another", long)).Token, "keys do not disturb each other")
}

func testLeaseOver(t *testing.T, s subject) {
	c := claim("k", short)
	first := s.claimed(t, c)
	c.RunID, c.ActionID, c.Attempt, c.Owner, c.Lease = "acme/other", "page-2", 5, "worker-8", long
	var second effects.Begun
	require.Eventually(t, func() bool {
		second = s.begin(t, c)
		return second.Token > 0
	}, patience, short/4)
	require.True(t, second.Recover)
	require.Greater(t, second.Token, first.Token)
	require.Equal(t, second.Row, s.row(t, "k"))
	require.Equal(t, "acme/other", second.Row.RunID)
	require.Equal(t, "page-2", second.Row.ActionID)
	require.Equal(t, 5, second.Row.Attempt)
	require.Equal(t, "worker-8", second.Row.LeaseOwner)
	require.Equal(t, first.Row.CreatedAt, second.Row.CreatedAt)
	require.Equal(t, second.Row.UpdatedAt.Add(long), second.Row.LeaseUntil)

	t.Run("a claim of which only the lease is over still counts", func(t *testing.T) {
		lapsed := s.claimed(t, claim("lapsed", time.Millisecond))
		s.passes(t, lapsed.Row.LeaseUntil)
		require.NoError(t, s.Complete(t.Context(), "lapsed", lapsed.Token, receipt("lapsed")))
	})
}

func testComplete(t *testing.T, s subject) {
	token := s.claimed(t, claim("k", long)).Token
	require.NoError(t, s.Complete(t.Context(), "k", token, receipt("k")))

	again := s.begin(t, claim("k", long))
	require.Zero(t, again.Token)
	require.Equal(t, effects.Completed, again.Row.State)
	require.NotNil(t, again.Row.Receipt)
	require.Equal(t, receipt("k"), *again.Row.Receipt)
	require.Zero(t, again.Row.LeaseUntil)
	require.Zero(t, again.Row.QuietUntil)
	require.Equal(t, token, again.Row.Token)
	require.Equal(t, again.Row, s.row(t, "k"))
}

func testRelease(t *testing.T, s subject) {
	c := claim("k", long)
	first := s.claimed(t, c)
	require.NoError(t, s.Release(t.Context(), "k", first.Token, "connection refused"))
	row := s.row(t, "k")
	require.Equal(t, effects.Released, row.State)
	require.Equal(t, "connection refused", row.Reason)
	require.Zero(t, row.LeaseUntil)
	require.Zero(t, row.QuietUntil)

	second := s.claimed(t, c)
	require.False(t, second.Recover, "nothing happened, so there is nothing to recover")
	require.Greater(t, second.Token, first.Token, "tokens rise for as long as the row exists")
	require.Equal(t, "connection refused", second.Row.Reason)
	require.Equal(t, first.Row.CreatedAt, second.Row.CreatedAt)
}

func testPark(t *testing.T, s subject) {
	c := claim("k", long)
	first := s.claimed(t, c)
	require.NoError(t, s.Park(t.Context(), "k", first.Token, "no answer in time", false))
	row := s.row(t, "k")
	require.Equal(t, effects.Started, row.State)
	require.Equal(t, "no answer in time", row.Reason)
	require.Zero(t, row.LeaseUntil)

	second := s.claimed(t, c)
	require.True(t, second.Recover, "at once, although the lease was long")
	require.Greater(t, second.Token, first.Token)
}

func testRenew(t *testing.T, s subject) {
	c := claim("k", short)
	first := s.claimed(t, c)
	require.NoError(t, s.Renew(t.Context(), "k", first.Token, long))
	row := s.row(t, "k")
	require.Equal(t, row.UpdatedAt.Add(long), row.LeaseUntil)
	require.Equal(t, first.Token, row.Token)

	second := s.begin(t, c)
	require.Zero(t, second.Token)
	require.Greater(t, second.Held, long/2, "the renewed lease runs, not the first one")
}

func testEndedClaims(t *testing.T, s subject) {
	for name, end := range map[string]func(key string, token int64) error{
		"completed": func(key string, token int64) error { return s.Complete(t.Context(), key, token, receipt(key)) },
		"released":  func(key string, token int64) error { return s.Release(t.Context(), key, token, "refused") },
		"parked":    func(key string, token int64) error { return s.Park(t.Context(), key, token, "no answer", false) },
	} {
		t.Run(name, func(t *testing.T) {
			token := s.claimed(t, claim(name, long)).Token
			require.NoError(t, end(name, token))
			s.requireNotHeld(t, name, token)
		})
	}
	t.Run("never made", func(t *testing.T) { s.requireNotHeld(t, "never made", 1) })
}

func testFencing(t *testing.T, s subject) {
	before, after := s.takenOver(t, claim("k", long))
	s.requireNotHeld(t, "k", before.Token)
	s.requireNotHeld(t, "k", after.Token+1)
	s.requireNotHeld(t, "k", 0)
	require.NoError(t, s.Complete(t.Context(), "k", after.Token, receipt("k")))
	s.requireNotHeld(t, "k", before.Token)
}

func testFingerprints(t *testing.T, s subject) {
	other := func(key string) effects.Claim {
		c := claim(key, long)
		c.Fingerprint = plan.Sum([]byte(`{"title":"Week 49"}`))
		return c
	}
	t.Run("a running claim is held for every fingerprint", func(t *testing.T) {
		s.claimed(t, claim("running", long))
		require.Positive(t, s.begin(t, other("running")).Held)
	})
	t.Run("completed: the row is returned, with the fingerprint that it has", func(t *testing.T) {
		first := s.claimed(t, claim("completed", long))
		require.NoError(t, s.Complete(t.Context(), "completed", first.Token, receipt("completed")))
		begun := s.begin(t, other("completed"))
		require.Zero(t, begun.Token)
		require.Equal(t, first.Row.Fingerprint, begun.Row.Fingerprint)
		require.Equal(t, effects.Completed, begun.Row.State)
	})
	t.Run("in doubt: not handed out to another", func(t *testing.T) {
		first := s.claimed(t, claim("doubt", long))
		require.NoError(t, s.Park(t.Context(), "doubt", first.Token, "no answer", false))
		row := s.row(t, "doubt")
		begun := s.begin(t, other("doubt"))
		require.Zero(t, begun.Token)
		require.Zero(t, begun.Held)
		require.Equal(t, effects.Started, begun.Row.State)
		require.Equal(t, first.Row.Fingerprint, begun.Row.Fingerprint)
		require.Equal(t, row, s.row(t, "doubt"), "a refused Begin changes nothing")
		require.True(t, s.claimed(t, claim("doubt", long)).Recover, "the same one may recover")
	})
	t.Run("released: handed out to another", func(t *testing.T) {
		first := s.claimed(t, claim("released", long))
		require.NoError(t, s.Release(t.Context(), "released", first.Token, "refused"))
		begun := s.claimed(t, other("released"))
		require.False(t, begun.Recover)
		require.Equal(t, other("released").Fingerprint, s.row(t, "released").Fingerprint)
	})
}
