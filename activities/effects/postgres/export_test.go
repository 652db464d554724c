package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/holdpoint/holdpoint/activities/effects"
)

// What tests outside need to stand between the ledger and its database.
var (
	Configure  = configure
	OpenConfig = open
	NewBatch   = begin
	Passing    = passing
)

// SetPatience changes how long a call tries to reach the database.
func (l *Ledger) SetPatience(d time.Duration) { l.patience = d }

// Pool is the ledger's pool.
func (l *Ledger) Pool() *pgxpool.Pool { return l.pool }

// Lock begins a transaction that holds the row of the key.
func Lock(ctx context.Context, conn *pgxpool.Conn, key string) (*effects.Row, error) {
	found, _, err := lock(ctx, conn, key)
	return found.row, err
}
