package ledgertest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
)

// calling is a claim whose call may have an effect for long, and may be made
// again for so long after the first one.
func calling(key string, resend time.Duration) effects.Claim {
	c := claim(key, long)
	c.Quiet, c.Resend = long, resend
	return c
}

func testResend(t *testing.T, s subject) {
	t.Run("inside the window: at once, although a call may be under way", func(t *testing.T) {
		first := s.parked(t, calling("inside", long), false)
		c := calling("inside", long)
		c.Quiet = time.Second
		second := s.claimed(t, c)
		require.True(t, second.Recover)
		require.True(t, second.Resend)
		require.Equal(t, first.Row.QuietUntil, second.Row.QuietUntil, "the first call's time still runs")
		require.Equal(t, second.Row, s.row(t, "inside"))
	})
	t.Run("outside the window: not while a call may be under way", func(t *testing.T) {
		first := s.parked(t, calling("outside", short), false)
		s.passes(t, first.Row.SentAt.Add(short))
		begun := s.begin(t, calling("outside", short))
		require.Zero(t, begun.Token)
		require.Positive(t, begun.Held)
		require.Equal(t, begun.Row, s.row(t, "outside"), "a refused Begin changes nothing")
	})
	t.Run("outside the window, all calls ended: without the same call", func(t *testing.T) {
		first := s.parked(t, calling("ended", short), true)
		s.passes(t, first.Row.SentAt.Add(short))
		second := s.claimed(t, calling("ended", short))
		require.True(t, second.Recover)
		require.False(t, second.Resend)
	})
	t.Run("a new key is no repetition", func(t *testing.T) {
		require.False(t, s.claimed(t, calling("new", long)).Resend)
	})
}

func testQuiet(t *testing.T, s subject) {
	t.Run("parked, a call may be under way", func(t *testing.T) {
		first := s.parked(t, calling("parked", 0), false)
		row := s.row(t, "parked")
		require.Equal(t, first.Row.QuietUntil, row.QuietUntil)
		begun := s.begin(t, calling("parked", 0))
		require.Zero(t, begun.Token)
		require.Positive(t, begun.Held)
		require.LessOrEqual(t, begun.Held, long)
		require.Equal(t, row, s.row(t, "parked"))
	})
	t.Run("parked, no call is", func(t *testing.T) {
		s.parked(t, calling("ended", 0), true)
		require.Zero(t, s.row(t, "ended").QuietUntil)
		second := s.claimed(t, calling("ended", 0))
		require.True(t, second.Recover)
		require.False(t, second.Resend)
		require.Equal(t, second.Row.UpdatedAt.Add(long), second.Row.QuietUntil)
	})
	t.Run("the lease is over, and the call may be under way", func(t *testing.T) {
		c := calling("lapsed", 0)
		c.Lease = time.Millisecond
		first := s.claimed(t, c)
		s.passes(t, first.Row.LeaseUntil)
		require.Positive(t, s.begin(t, c).Held)
	})
	t.Run("both are over", func(t *testing.T) {
		c := calling("over", 0)
		c.Lease, c.Quiet = time.Millisecond, short
		s.claimed(t, c)
		var second effects.Begun
		require.Eventually(t, func() bool {
			second = s.begin(t, c)
			return second.Token > 0
		}, patience, short/4)
		require.True(t, second.Recover)
	})
}

func testSentAt(t *testing.T, s subject) {
	first := s.parked(t, calling("k", long), false)
	require.Equal(t, first.Row.CreatedAt, first.Row.SentAt)
	s.passes(t, first.Row.UpdatedAt)

	second := s.claimed(t, calling("k", long))
	require.Equal(t, first.Row.SentAt, second.Row.SentAt, "the first call counts, however often it is recovered")
	require.NoError(t, s.Renew(t.Context(), "k", second.Token, long))
	require.NoError(t, s.Park(t.Context(), "k", second.Token, "no answer", true))
	require.Equal(t, first.Row.SentAt, s.row(t, "k").SentAt)

	third := s.claimed(t, calling("k", long))
	require.Equal(t, first.Row.SentAt, third.Row.SentAt)
	require.NoError(t, s.Release(t.Context(), "k", third.Token, "surely absent"))
	s.passes(t, third.Row.UpdatedAt)
	fourth := s.claimed(t, calling("k", long))
	require.Equal(t, fourth.Row.UpdatedAt, fourth.Row.SentAt, "what was surely absent is sent anew")
	require.Equal(t, fourth.Row, s.row(t, "k"))
}
