// Package ledgertest is what every implementation of effects.Ledger must pass.
package ledgertest

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Run tests a ledger. open returns an empty one that nobody else uses, and
// sees to its end.
func Run(t *testing.T, open func(t *testing.T) effects.Ledger) {
	for _, group := range []struct {
		name string
		test func(*testing.T, subject)
	}{
		{"Identity", testIdentity},
		{"Begin", testBegin},
		{"LeaseOver", testLeaseOver},
		{"Complete", testComplete},
		{"Release", testRelease},
		{"Park", testPark},
		{"Renew", testRenew},
		{"EndedClaims", testEndedClaims},
		{"Fencing", testFencing},
		{"Fingerprints", testFingerprints},
		{"Declarations", testDeclarations},
		{"Resend", testResend},
		{"Quiet", testQuiet},
		{"SentAt", testSentAt},
		{"Happened", testHappened},
		{"NotHappened", testNotHappened},
		{"SettleNothing", testSettleNothing},
		{"SettleUnknown", testSettleUnknown},
		{"LostRow", testLostRow},
		{"ManyCallers", testManyCallers},
		{"ManySettlements", testManySettlements},
		{"Storm", testStorm},
		{"Rows", testRows},
		{"Texts", testTexts},
		{"BadClaims", testBadClaims},
		{"CanceledContext", testCanceledContext},
	} {
		t.Run(group.name, func(t *testing.T) {
			group.test(t, subject{open(t)})
		})
	}
}

const (
	// long is a lease that does not end while a test runs.
	long = time.Hour
	// short is a lease that a test waits for.
	short = 20 * time.Millisecond
	// patience bounds that wait.
	patience = 30 * time.Second
)

// subject is the ledger under test, with words for what tests do to it.
type subject struct{ effects.Ledger }

// claim is a claim of the key, as the run's first attempt.
func claim(key string, lease time.Duration) effects.Claim {
	return effects.Claim{
		Key:         key,
		Fingerprint: plan.Sum([]byte(`{"title":"Week 48"}`)),
		Declaration: plan.Sum([]byte("class: conditional")),
		Tenant:      "acme",
		RunID:       "acme/weekly-report-2026-W48",
		ActionID:    "page-1",
		Tool:        "gitpages",
		Target:      "kb/weekly/2026-W48.md",
		Attempt:     1,
		Owner:       "worker-7",
		Lease:       lease,
	}
}

func receipt(key string) plan.Receipt {
	return plan.Receipt{
		IdempotencyKey: key,
		Tool:           "gitpages",
		Target:         "kb/weekly/2026-W48.md",
		Ref:            "0123456789abcdef0123456789abcdef01234567",
		Detail:         "weekly/2026-W48.md written, 31 lines",
		At:             time.Date(2026, 11, 29, 17, 4, 5, 0, time.UTC),
	}
}

// begin asks for the claim and wants an answer, whatever it is.
func (s subject) begin(t *testing.T, c effects.Claim) effects.Begun {
	t.Helper()
	begun, err := s.Begin(t.Context(), c)
	require.NoError(t, err)
	requireOneAnswer(t, begun)
	return begun
}

// claimed asks for the claim and wants to get it.
func (s subject) claimed(t *testing.T, c effects.Claim) effects.Begun {
	t.Helper()
	begun := s.begin(t, c)
	require.Positive(t, begun.Token, "the key is handed out")
	return begun
}

// row returns the one row of the key.
func (s subject) row(t *testing.T, key string) effects.Row {
	t.Helper()
	rows, err := s.Rows(t.Context(), []string{key})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	return rows[0]
}

// takenOver lets the lease of a claim run out and takes the key over.
func (s subject) takenOver(t *testing.T, c effects.Claim) (before, after effects.Begun) {
	t.Helper()
	c.Lease = short
	before = s.claimed(t, c)
	c.Lease = long
	require.Eventually(t, func() bool {
		after = s.begin(t, c)
		return after.Token > 0
	}, patience, short/4)
	return before, after
}

// requireOneAnswer holds Begin to its contract: the four answers exclude each
// other.
func requireOneAnswer(t *testing.T, b effects.Begun) {
	t.Helper()
	answers := 0
	for _, holds := range []bool{b.Token > 0, b.Row.State == effects.Completed, b.Held > 0} {
		if holds {
			answers++
		}
	}
	require.LessOrEqual(t, answers, 1)
	if answers == 0 {
		require.Equal(t, effects.Started, b.Row.State)
	}
	if b.Token == 0 {
		require.False(t, b.Recover)
	}
	if b.Redeclared {
		require.True(t, b.Recover)
		require.False(t, b.Resend, "a call under another declaration is never made again")
	}
}

// requireNotHeld wants all that a claim allows to be refused, and the row
// untouched by it.
func (s subject) requireNotHeld(t *testing.T, key string, token int64) {
	t.Helper()
	before, err := s.Rows(t.Context(), []string{key})
	require.NoError(t, err)
	require.ErrorIs(t, s.Renew(t.Context(), key, token, long), effects.ErrNotHeld)
	require.ErrorIs(t, s.Complete(t.Context(), key, token, receipt(key)), effects.ErrNotHeld)
	require.ErrorIs(t, s.Release(t.Context(), key, token, "late"), effects.ErrNotHeld)
	require.ErrorIs(t, s.Park(t.Context(), key, token, "late", false), effects.ErrNotHeld)
	after, err := s.Rows(t.Context(), []string{key})
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// parked makes a claim and parks it.
func (s subject) parked(t *testing.T, c effects.Claim, ended bool) effects.Begun {
	t.Helper()
	begun := s.claimed(t, c)
	require.NoError(t, s.Park(t.Context(), c.Key, begun.Token, "no answer", ended))
	return begun
}

// passes waits until the ledger's clock is past the time.
func (s subject) passes(t *testing.T, until time.Time) {
	t.Helper()
	require.Eventually(t, func() bool {
		return s.claimed(t, claim("clock "+rand.Text(), long)).Row.UpdatedAt.After(until)
	}, patience, time.Millisecond)
}

func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
