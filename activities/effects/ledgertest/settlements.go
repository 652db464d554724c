package ledgertest

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
)

// settle gives a person's word and wants an answer, whatever it is.
func (s subject) settle(t *testing.T, word effects.Settlement) effects.Settled {
	t.Helper()
	settled, err := s.Settle(t.Context(), word)
	require.NoError(t, err)
	return settled
}

func happened(key string, token int64) effects.Settlement {
	r := receipt(key)
	return effects.Settlement{Key: key, Token: token, Receipt: &r, Reason: "happened, says mei"}
}

func notHappened(key string, token int64) effects.Settlement {
	return effects.Settlement{Key: key, Token: token, Reason: "not_happened, says mei"}
}

func testHappened(t *testing.T, s subject) {
	first := s.parked(t, calling("k", 0), false)
	settled := s.settle(t, happened("k", first.Token))
	require.True(t, settled.Changed, "what is there can be seen while a call may be under way")
	row := s.row(t, "k")
	require.Equal(t, row, settled.Row)
	require.Equal(t, effects.Completed, row.State)
	require.Equal(t, receipt("k"), *row.Receipt)
	require.Equal(t, "happened, says mei", row.Reason)
	require.Zero(t, row.LeaseUntil)
	require.Zero(t, row.QuietUntil)
	require.Equal(t, first.Token, row.Token)

	require.Zero(t, s.begin(t, calling("k", 0)).Token, "it is done")
	s.requireNotHeld(t, "k", first.Token)
	require.False(t, s.settle(t, notHappened("k", first.Token)).Changed, "the first word stands")
	require.Equal(t, row, s.row(t, "k"))
}

func testNotHappened(t *testing.T, s subject) {
	t.Run("not while a call may be under way", func(t *testing.T) {
		first := s.parked(t, calling("calling", 0), false)
		settled := s.settle(t, notHappened("calling", first.Token))
		require.False(t, settled.Changed)
		require.Positive(t, settled.Quiet)
		require.LessOrEqual(t, settled.Quiet, long)
		require.Zero(t, settled.Held)
		require.Equal(t, settled.Row, s.row(t, "calling"))
	})
	t.Run("when none is, the next claim sends", func(t *testing.T) {
		first := s.parked(t, calling("ended", 0), true)
		settled := s.settle(t, notHappened("ended", first.Token))
		require.True(t, settled.Changed)
		row := s.row(t, "ended")
		require.Equal(t, row, settled.Row)
		require.Equal(t, effects.Released, row.State)
		require.Nil(t, row.Receipt)
		s.requireNotHeld(t, "ended", first.Token)

		second := s.claimed(t, calling("ended", 0))
		require.False(t, second.Recover)
		require.Greater(t, second.Token, first.Token)
		require.Equal(t, "not_happened, says mei", second.Row.Reason)
	})
	t.Run("of a claim whose lease ran out", func(t *testing.T) {
		c := calling("lapsed", 0)
		c.Lease, c.Quiet = time.Millisecond, time.Millisecond
		first := s.claimed(t, c)
		s.passes(t, first.Row.LeaseUntil)
		require.True(t, s.settle(t, notHappened("lapsed", first.Token)).Changed)
		s.requireNotHeld(t, "lapsed", first.Token)
	})
}

func testSettleNothing(t *testing.T, s subject) {
	t.Run("no such key", func(t *testing.T) {
		require.Equal(t, effects.Settled{}, s.settle(t, happened("none", 1)))
		require.Empty(t, keysOf(t, s, []string{"none"}))
	})
	t.Run("an attempt is at work", func(t *testing.T) {
		first := s.claimed(t, claim("leased", long))
		for _, word := range []effects.Settlement{happened("leased", first.Token), notHappened("leased", first.Token), {Key: "leased"}} {
			settled := s.settle(t, word)
			require.False(t, settled.Changed)
			require.Positive(t, settled.Held)
			require.LessOrEqual(t, settled.Held, long)
			require.Equal(t, first.Row, settled.Row)
		}
		require.NoError(t, s.Complete(t.Context(), "leased", first.Token, receipt("leased")), "it still has its claim")
	})
	t.Run("a word about an earlier claim, and a look", func(t *testing.T) {
		before := s.parked(t, claim("old", long), true)
		s.parked(t, claim("old", long), true)
		row := s.row(t, "old")
		for _, word := range []effects.Settlement{happened("old", before.Token), notHappened("old", before.Token), {Key: "old"}} {
			require.Equal(t, effects.Settled{Row: row}, s.settle(t, word))
		}
		require.Equal(t, row, s.row(t, "old"))
	})
	t.Run("another key's receipt", func(t *testing.T) {
		first := s.parked(t, claim("mine", long), true)
		word := happened("another", first.Token)
		word.Key = "mine"
		_, err := s.Settle(t.Context(), word)
		require.Equal(t, faults.Permanent, faults.ClassOf(err))
		require.Equal(t, effects.Started, s.row(t, "mine").State)
	})
}

// Of two words that contradict each other, one is taken.
func testManySettlements(t *testing.T, s subject) {
	first := s.parked(t, claim("k", long), true)
	var changed atomic.Int32
	allAtOnce(func(i int) {
		word := happened("k", first.Token)
		if i%2 == 0 {
			word = notHappened("k", first.Token)
		}
		if settled, err := s.Settle(t.Context(), word); err == nil && settled.Changed {
			changed.Add(1)
		}
	})
	require.Equal(t, int32(1), changed.Load())
	require.NotEqual(t, effects.Started, s.row(t, "k").State)
}
