package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

var _ effects.Ledger = (*Ledger)(nil)

// Ledger is an effects.Ledger in a PostgreSQL database.
type Ledger struct {
	pool     *pgxpool.Pool
	host     string        // for error texts
	patience time.Duration // how long a call tries to reach the database
}

// Close closes the connections. Calls under way end first.
func (l *Ledger) Close() error {
	l.pool.Close()
	return nil
}

// Identity implements effects.Ledger.
func (l *Ledger) Identity(ctx context.Context) (identity string, err error) {
	err = l.try(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		return asRefusal(conn.QueryRow(ctx, `SELECT identity FROM holdpoint_ledger`).Scan(&identity))
	})
	return identity, err
}

// Begin implements effects.Ledger.
func (l *Ledger) Begin(ctx context.Context, c effects.Claim) (begun effects.Begun, err error) {
	if err := c.Validate(); err != nil {
		return effects.Begun{}, err
	}
	err = l.decide(ctx, c.Ledger, c.Key, func(row *effects.Row, now time.Time) (effects.Row, bool) {
		begun = effects.Decide(c, row, now)
		return begun.Row, begun.Token > 0
	})
	if err != nil {
		return effects.Begun{}, err
	}
	return begun, nil
}

// Settle implements effects.Ledger.
func (l *Ledger) Settle(ctx context.Context, s effects.Settlement) (settled effects.Settled, err error) {
	if err := s.Validate(); err != nil {
		return effects.Settled{}, err
	}
	s.Reason = storable(s.Reason)
	err = l.decide(ctx, s.Ledger, s.Key, func(row *effects.Row, now time.Time) (effects.Row, bool) {
		settled = effects.DecideSettlement(s, row, now)
		return settled.Row, settled.Changed
	})
	if err != nil {
		return effects.Settled{}, err
	}
	return settled, nil
}

// Renew implements effects.Ledger.
func (l *Ledger) Renew(ctx context.Context, key string, token int64, lease time.Duration) error {
	return l.change(ctx, key, token, `lease_until = `+rowTime+` + $4`, lease)
}

// Complete implements effects.Ledger.
func (l *Ledger) Complete(ctx context.Context, key string, token int64, receipt plan.Receipt) error {
	text, err := json.Marshal(receipt)
	if err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	return l.change(ctx, key, token, `state = 'COMPLETED', receipt = $4, lease_until = NULL, quiet_until = NULL`, string(text))
}

// Release implements effects.Ledger.
func (l *Ledger) Release(ctx context.Context, key string, token int64, reason string) error {
	return l.change(ctx, key, token, `state = 'RELEASED', reason = $4, lease_until = NULL, quiet_until = NULL`, storable(reason))
}

// Park implements effects.Ledger.
func (l *Ledger) Park(ctx context.Context, key string, token int64, reason string, ended bool) error {
	return l.change(ctx, key, token,
		`reason = $4, lease_until = NULL, quiet_until = CASE WHEN $5 THEN NULL ELSE quiet_until END`, storable(reason), ended)
}

// Rows implements effects.Ledger.
func (l *Ledger) Rows(ctx context.Context, keys []string) (rows []effects.Row, err error) {
	err = l.try(ctx, func(ctx context.Context, conn *pgxpool.Conn) (err error) {
		rows, err = scanAll(conn.Query(ctx, `SELECT `+columns+`
			FROM unnest($1::text[]) WITH ORDINALITY AS asked (key, n) JOIN holdpoint_effects USING (key)
			ORDER BY n`, keys))
		return err
	})
	return rows, err
}

// storable is a text as PostgreSQL can keep it. What a target said, and so why
// a claim ended, can be any bytes.
func storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}
