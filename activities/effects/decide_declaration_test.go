package effects_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Two declarations of one tool, before and after an operator's edit.
func asDeclared() plan.Digest { return plan.Sum([]byte("class: once")) }
func asEdited() plan.Digest   { return plan.Sum([]byte("class: keyed")) }

// What a claim under a declaration gets, by the declaration that the row has.
// The claim allows the same call again for ever.
func TestDecideByDeclaration(t *testing.T) {
	none := plan.Digest{}
	row := func(declaration plan.Digest, change func(*effects.Row)) *effects.Row {
		return unsettled(func(r *effects.Row) {
			r.Declaration = declaration
			change(r)
		})
	}
	parked := func(*effects.Row) {}
	leased := func(r *effects.Row) { r.LeaseUntil = noon.Add(time.Second) }
	calling := func(r *effects.Row) { r.QuietUntil = noon.Add(20 * time.Second) }
	released := func(r *effects.Row) { r.State = effects.Released }
	completed := func(r *effects.Row) { r.State = effects.Completed }
	otherPayload := func(r *effects.Row) { r.Fingerprint = others() }
	tests := []struct {
		name        string
		row         *effects.Row
		claim       plan.Digest
		token       int64
		again       bool // recovers by the same call
		redeclared  bool
		held        time.Duration
		declaration plan.Digest // the row's, then
	}{
		{"no row", nil, asEdited(), 1, false, false, 0, asEdited()},
		{"no row, and the plan has no digest", nil, none, 1, false, false, 0, none},
		{"in doubt, the same declaration", row(asDeclared(), parked), asDeclared(), 5, true, false, 0, asDeclared()},
		{"in doubt, another", row(asDeclared(), parked), asEdited(), 5, false, true, 0, asDeclared()},
		{"in doubt, another, a call may be under way", row(asDeclared(), calling), asEdited(), 0, false, false, 20 * time.Second, asDeclared()},
		{"in doubt, the same, a call may be under way", row(asDeclared(), calling), asDeclared(), 5, true, false, 0, asDeclared()},
		{"in doubt, the row is from before digests", row(none, parked), asEdited(), 5, true, false, 0, asEdited()},
		{"in doubt, the plan is from before digests", row(asDeclared(), parked), none, 5, true, false, 0, asDeclared()},
		{"in doubt, both are", row(none, parked), none, 5, true, false, 0, none},
		{"in doubt, another, other parameters", row(asDeclared(), otherPayload), asEdited(), 0, false, false, 0, asDeclared()},
		{"lease runs, another", row(asDeclared(), leased), asEdited(), 0, false, false, time.Second, asDeclared()},
		{"released, another", row(asDeclared(), released), asEdited(), 5, false, false, 0, asEdited()},
		{"released, and the plan has no digest", row(asDeclared(), released), none, 5, false, false, 0, none},
		{"completed, another", row(asDeclared(), completed), asEdited(), 0, false, false, 0, asDeclared()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			claim := effects.Claim{
				Key: "k", Fingerprint: mine(), Declaration: tt.claim, Lease: time.Second, Quiet: 5 * time.Second, Resend: tools.Always,
			}
			got := effects.Decide(claim, tt.row, noon)
			require.Equal(t, tt.token, got.Token)
			require.Equal(t, tt.held, got.Held)
			require.Equal(t, tt.again, got.Resend)
			require.Equal(t, tt.redeclared, got.Redeclared)
			require.Equal(t, tt.again || tt.redeclared, got.Recover)
			require.Equal(t, tt.declaration, got.Row.Declaration)
			if tt.redeclared {
				require.Equal(t, ago(10*time.Minute), got.Row.SentAt, "the first call counts")
				require.Equal(t, "no answer", got.Row.Reason)
			}
		})
	}
}

// However many claims follow under whatever declarations, the one of the call
// is known until its outcome is settled.
func TestDeclarationIsKeptUntilTheOutcomeIsSettled(t *testing.T) {
	claim := func(declaration plan.Digest) effects.Claim {
		return effects.Claim{Key: "k", Fingerprint: mine(), Declaration: declaration, Lease: time.Second, Resend: tools.Always}
	}
	row := effects.Decide(claim(asDeclared()), nil, ago(time.Hour)).Row
	for i, declaration := range []plan.Digest{asEdited(), {}, asEdited()} {
		got := effects.Decide(claim(declaration), &row, ago(time.Duration(30-i)*time.Minute))
		require.True(t, got.Recover)
		require.Equal(t, !declaration.IsZero(), got.Redeclared)
		row = got.Row
	}
	require.True(t, effects.Decide(claim(asDeclared()), &row, noon).Resend, "edited back, it is the call's own again")

	word := effects.Settlement{Key: "k", Token: row.Token, Reason: "not_happened, says mei"}
	settled := effects.DecideSettlement(word, &row, noon)
	require.True(t, settled.Changed)
	fresh := effects.Decide(claim(asEdited()), &settled.Row, noon)
	require.False(t, fresh.Recover)
	require.Equal(t, asEdited(), fresh.Row.Declaration)
}
