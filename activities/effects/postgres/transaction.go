package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/holdpoint/holdpoint/activities/effects"
)

// settings hold for one transaction. The server ends what a client that is
// gone has left behind, long before anybody gives up waiting for its lock; and
// a commit waits for the disk also where a role or a database would not have
// it so.
const settings = `SELECT set_config('idle_in_transaction_session_timeout', '3s', true), set_config('lock_timeout', '3s', true),
	set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
		ELSE current_setting('synchronous_commit') END, true)`

var (
	// errRaced says that another transaction wrote the row in between.
	errRaced = errors.New("another transaction was first")
	// errNoAnswer says that a COMMIT was sent and got no answer.
	errNoAnswer = errors.New("no answer to COMMIT")
)

// decide takes a row through a rule and stores what comes of it, in one
// transaction of two round trips. The rule can be asked more than once; its
// last answer is the one that counts. A ledger other than the wanted one is
// not asked at all.
func (l *Ledger) decide(ctx context.Context, wanted, key string, rule func(*effects.Row, time.Time) (effects.Row, bool)) error {
	id := rand.Text()
	return l.try(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		found, now, err := lock(ctx, conn, key)
		if err != nil {
			return err
		}
		if err := effects.CheckIdentity(wanted, found.ledger); err != nil {
			return errors.Join(err, rollback(ctx, conn))
		}
		if found.changeID == id {
			// An earlier try of this call was committed, and its answer was lost.
			return rollback(ctx, conn)
		}
		next, changed := rule(found.row, now)
		if !changed {
			return rollback(ctx, conn)
		}
		columns, err := values(next)
		if err != nil {
			return err
		}
		stored, err := commit(ctx, conn, &pgx.Batch{}, upsert, append(columns, id, found.token())...)
		if err == nil && stored == 0 {
			err = errRaced
		}
		return err
	})
}

// lock begins a transaction, locks the row of the key, if there is one, and
// reads it. The time is read when the lock is there, and so is not older than
// the row.
func lock(ctx context.Context, conn *pgxpool.Conn, key string) (found stored, now time.Time, err error) {
	batch := begin()
	batch.Queue(`SELECT `+columns+`, change_id FROM holdpoint_effects WHERE key = $1 FOR UPDATE`, key).Query(func(rows pgx.Rows) (err error) {
		found, err = scanStored(rows)
		return err
	})
	var ledger string
	batch.Queue(`SELECT clock_timestamp(), identity FROM holdpoint_ledger`).QueryRow(func(row pgx.Row) error {
		return asRefusal(row.Scan(&now, &ledger))
	})
	err = conn.SendBatch(ctx, batch).Close()
	found.ledger = ledger
	return found, now.UTC(), err
}

// change updates the row of a claim that is held, in one transaction of one
// round trip. The assignments' own arguments start at $4. A row with the id of
// this call is one that an earlier try of it has changed: it is changed to the
// same once more.
func (l *Ledger) change(ctx context.Context, key string, token int64, assignments string, args ...any) error {
	args = append([]any{key, token, rand.Text()}, args...)
	return l.try(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		changed, err := commit(ctx, conn, begin(), `UPDATE holdpoint_effects
			SET `+assignments+`, updated_at = `+rowTime+`, change_id = $3
			FROM (SELECT clock_timestamp() AS now) AS clock
			WHERE key = $1 AND token = $2 AND (lease_until IS NOT NULL OR change_id = $3)`, args...)
		if err == nil && changed == 0 {
			err = effects.ErrNotHeld
		}
		return err
	})
}

// rowTime, in a change, is the row's own time, which never runs back.
const rowTime = `greatest(updated_at, clock.now)`

func begin() *pgx.Batch {
	batch := &pgx.Batch{}
	batch.BeginTx(pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	batch.Queue(settings)
	return batch
}

// commit sends what is in the batch, a write and the COMMIT together, and
// returns how many rows the write has changed. When the write fails, the
// server does not get to the COMMIT.
func commit(ctx context.Context, conn *pgxpool.Conn, batch *pgx.Batch, write string, args ...any) (changed int64, err error) {
	batch.Queue(write, args...).Exec(func(tag pgconn.CommandTag) error {
		changed = tag.RowsAffected()
		return nil
	})
	batch.Queue(`COMMIT`)
	err = conn.SendBatch(ctx, batch).Close()
	if err != nil && lost(conn) {
		err = fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	return changed, err
}

func rollback(ctx context.Context, conn *pgxpool.Conn) error {
	_, err := conn.Exec(ctx, `ROLLBACK`)
	return err
}
