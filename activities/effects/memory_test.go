package effects_test

import (
	"context"
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/ledgertest"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// clock is a ledger's time: the machine's, and what a test lets pass besides.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead).UTC().Truncate(time.Millisecond)
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// memory is a ledger that dies with its test.
type memory struct {
	clock    *clock
	identity string
	mu       sync.Mutex
	rows     map[string]effects.Row
}

func newMemory(c *clock) *memory {
	return &memory{clock: c, identity: rand.Text(), rows: map[string]effects.Row{}}
}

// The stand-in is a ledger like the others.
func TestMemoryLedgerConforms(t *testing.T) {
	ledgertest.Run(t, func(*testing.T) effects.Ledger { return newMemory(&clock{}) })
}

func (m *memory) Close() error { return nil }

func (m *memory) Identity(ctx context.Context) (string, error) { return m.identity, ctx.Err() }

func (m *memory) Begin(ctx context.Context, c effects.Claim) (effects.Begun, error) {
	if err := c.Validate(); err != nil {
		return effects.Begun{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return effects.Begun{}, err
	}
	if err := effects.CheckIdentity(c.Ledger, m.identity); err != nil {
		return effects.Begun{}, err
	}
	begun := effects.Decide(c, m.row(c.Key), m.clock.now())
	if begun.Token > 0 {
		m.rows[c.Key] = begun.Row
	}
	return begun, nil
}

func (m *memory) row(key string) *effects.Row {
	row, ok := m.rows[key]
	if !ok {
		return nil
	}
	return &row
}

func (m *memory) Renew(ctx context.Context, key string, token int64, lease time.Duration) error {
	return m.change(ctx, key, token, func(r *effects.Row, now time.Time) { r.LeaseUntil = now.Add(lease) })
}

func (m *memory) Complete(ctx context.Context, key string, token int64, receipt plan.Receipt) error {
	return m.change(ctx, key, token, func(r *effects.Row, _ time.Time) {
		r.State, r.Receipt = effects.Completed, &receipt
		r.LeaseUntil, r.QuietUntil = time.Time{}, time.Time{}
	})
}

func (m *memory) Release(ctx context.Context, key string, token int64, reason string) error {
	return m.change(ctx, key, token, func(r *effects.Row, _ time.Time) {
		r.State, r.Reason = effects.Released, reason
		r.LeaseUntil, r.QuietUntil = time.Time{}, time.Time{}
	})
}

func (m *memory) Park(ctx context.Context, key string, token int64, reason string, ended bool) error {
	return m.change(ctx, key, token, func(r *effects.Row, _ time.Time) {
		r.Reason, r.LeaseUntil = reason, time.Time{}
		if ended {
			r.QuietUntil = time.Time{}
		}
	})
}

func (m *memory) change(ctx context.Context, key string, token int64, f func(*effects.Row, time.Time)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	row, ok := m.rows[key]
	if !ok || row.Token != token || row.LeaseUntil.IsZero() {
		return effects.ErrNotHeld
	}
	now := m.clock.now()
	f(&row, now)
	row.UpdatedAt = now
	m.rows[key] = row
	return nil
}

func (m *memory) Settle(ctx context.Context, s effects.Settlement) (effects.Settled, error) {
	if err := s.Validate(); err != nil {
		return effects.Settled{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return effects.Settled{}, err
	}
	if err := effects.CheckIdentity(s.Ledger, m.identity); err != nil {
		return effects.Settled{}, err
	}
	settled := effects.DecideSettlement(s, m.row(s.Key), m.clock.now())
	if settled.Changed {
		m.rows[s.Key] = settled.Row
	}
	return settled, nil
}

func (m *memory) Rows(ctx context.Context, keys []string) ([]effects.Row, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var rows []effects.Row
	for _, key := range keys {
		if row, ok := m.rows[key]; ok {
			rows = append(rows, row)
		}
	}
	return rows, ctx.Err()
}
