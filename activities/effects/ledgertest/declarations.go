package ledgertest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// redeclared is the claim under another declaration of its tool.
func redeclared(c effects.Claim) effects.Claim {
	c.Declaration = plan.Sum([]byte("class: keyed"))
	return c
}

// undeclared is the claim of a plan that has no digest of the declaration.
func undeclared(c effects.Claim) effects.Claim {
	c.Declaration = plan.Digest{}
	return c
}

// The declaration under which a call was made is known until its outcome is.
func testDeclarations(t *testing.T, s subject) {
	t.Run("in doubt: claimed under another, and kept", func(t *testing.T) {
		first := s.parked(t, calling("doubt", long), true)
		for range 2 {
			begun := s.parked(t, redeclared(calling("doubt", long)), true)
			require.True(t, begun.Recover)
			require.True(t, begun.Redeclared)
			require.False(t, begun.Resend, "inside the window, of which the call may know nothing")
			require.Equal(t, first.Row.Declaration, begun.Row.Declaration)
			require.Equal(t, first.Row.Declaration, s.row(t, "doubt").Declaration)
		}
		again := s.claimed(t, calling("doubt", long))
		require.True(t, again.Resend, "under its own it recovers")
		require.False(t, again.Redeclared)
	})
	t.Run("in doubt, a call may be under way: not claimed under another", func(t *testing.T) {
		s.parked(t, calling("calling", long), false)
		before := s.row(t, "calling")
		begun := s.begin(t, redeclared(calling("calling", long)))
		require.Zero(t, begun.Token)
		require.Positive(t, begun.Held)
		require.Equal(t, before, s.row(t, "calling"))
	})
	t.Run("released: the next claim's", func(t *testing.T) {
		first := s.parked(t, claim("released", long), true)
		require.True(t, s.settle(t, notHappened("released", first.Token)).Changed)
		begun := s.claimed(t, redeclared(claim("released", long)))
		require.False(t, begun.Recover)
		require.False(t, begun.Redeclared)
		require.Equal(t, redeclared(claim("released", long)).Declaration, begun.Row.Declaration)
		require.Equal(t, begun.Row, s.row(t, "released"))
	})
	t.Run("none: compared with nothing", func(t *testing.T) {
		s.parked(t, undeclared(calling("old row", long)), true)
		require.Zero(t, s.row(t, "old row").Declaration)
		begun := s.claimed(t, calling("old row", long))
		require.True(t, begun.Resend)
		require.Equal(t, claim("old row", long).Declaration, s.row(t, "old row").Declaration)

		s.parked(t, calling("old plan", long), true)
		begun = s.claimed(t, undeclared(calling("old plan", long)))
		require.True(t, begun.Resend)
		require.Equal(t, claim("old plan", long).Declaration, s.row(t, "old plan").Declaration)
	})
}
