package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

var _ effects.Ledger = (*Ledger)(nil)

// clock is the time of the database, in the form of the table.
const clock = `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`

// rowTime is the row's own time, which never runs back.
const rowTime = `max(updated_at, ` + clock + `)`

// held is true of the row that an unfinished claim has.
const held = `key = ? AND token = ? AND lease_until IS NOT NULL`

// Identity implements effects.Ledger.
func (l *Ledger) Identity(ctx context.Context) (string, error) {
	if err := l.present(); err != nil {
		return "", err
	}
	identity, err := identityOf(ctx, l.db)
	return identity, named(ctx, err)
}

// Begin implements effects.Ledger.
func (l *Ledger) Begin(ctx context.Context, c effects.Claim) (effects.Begun, error) {
	if err := c.Validate(); err != nil {
		return effects.Begun{}, err
	}
	var begun effects.Begun
	err := l.write(ctx, func(tx *sql.Tx) error {
		now, err := timeIn(ctx, tx, c.Ledger)
		if err != nil {
			return err
		}
		row, err := find(ctx, tx, c.Key)
		if err != nil {
			return err
		}
		begun = effects.Decide(c, row, now)
		if begun.Token == 0 {
			return nil
		}
		return store(ctx, tx, begun.Row)
	})
	if err != nil {
		return effects.Begun{}, named(ctx, err)
	}
	return begun, nil
}

// Renew implements effects.Ledger.
func (l *Ledger) Renew(ctx context.Context, key string, token int64, lease time.Duration) error {
	return l.change(ctx, `UPDATE effects
		SET lease_until = strftime('%Y-%m-%dT%H:%M:%fZ', `+rowTime+`, ?), updated_at = `+rowTime+`
		WHERE `+held, fmt.Sprintf("%+.3f seconds", lease.Seconds()), key, token)
}

// Complete implements effects.Ledger.
func (l *Ledger) Complete(ctx context.Context, key string, token int64, receipt plan.Receipt) error {
	text, err := json.Marshal(receipt)
	if err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	return l.change(ctx, `UPDATE effects
		SET state = 'COMPLETED', receipt = ?, lease_until = NULL, quiet_until = NULL, updated_at = `+rowTime+`
		WHERE `+held, string(text), key, token)
}

// Release implements effects.Ledger.
func (l *Ledger) Release(ctx context.Context, key string, token int64, reason string) error {
	return l.change(ctx, `UPDATE effects
		SET state = 'RELEASED', reason = ?, lease_until = NULL, quiet_until = NULL, updated_at = `+rowTime+`
		WHERE `+held, reason, key, token)
}

// Park implements effects.Ledger.
func (l *Ledger) Park(ctx context.Context, key string, token int64, reason string, ended bool) error {
	return l.change(ctx, `UPDATE effects
		SET reason = ?, lease_until = NULL, quiet_until = iif(?, NULL, quiet_until), updated_at = `+rowTime+`
		WHERE `+held, reason, ended, key, token)
}

// Settle implements effects.Ledger.
func (l *Ledger) Settle(ctx context.Context, s effects.Settlement) (effects.Settled, error) {
	if err := s.Validate(); err != nil {
		return effects.Settled{}, err
	}
	var settled effects.Settled
	err := l.write(ctx, func(tx *sql.Tx) error {
		now, err := timeIn(ctx, tx, s.Ledger)
		if err != nil {
			return err
		}
		row, err := find(ctx, tx, s.Key)
		if err != nil {
			return err
		}
		if settled = effects.DecideSettlement(s, row, now); !settled.Changed {
			return nil
		}
		return store(ctx, tx, settled.Row)
	})
	if err != nil {
		return effects.Settled{}, named(ctx, err)
	}
	return settled, nil
}

// Rows implements effects.Ledger. The keys go in as one JSON array, so that
// their number has no limit.
func (l *Ledger) Rows(ctx context.Context, keys []string) ([]effects.Row, error) {
	asked, err := json.Marshal(keys)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	if err := l.present(); err != nil {
		return nil, err
	}
	rows, err := scanAll(l.db.QueryContext(ctx, `SELECT `+columns+`
		FROM json_each(?) AS asked JOIN effects ON effects.key = asked.value
		ORDER BY asked.key`, string(asked)))
	if err != nil {
		return nil, named(ctx, err)
	}
	return rows, nil
}

// change runs an update of one held row, and says when it is not held.
func (l *Ledger) change(ctx context.Context, update string, args ...any) error {
	err := l.write(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, update, args...)
		if err != nil {
			return err
		}
		changed, err := result.RowsAffected()
		if err == nil && changed == 0 {
			err = effects.ErrNotHeld
		}
		return err
	})
	return named(ctx, err)
}

// write runs f in a transaction that has the write lock from its beginning.
func (l *Ledger) write(ctx context.Context, f func(*sql.Tx) error) error {
	if err := l.present(); err != nil {
		return err
	}
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		// Rolled back already when ctx ended.
		if undo := tx.Rollback(); undo != nil && !errors.Is(undo, sql.ErrTxDone) {
			return errors.Join(err, undo)
		}
		return err
	}
	return tx.Commit()
}

// timeIn is the ledger's time, if it is the ledger that was wanted.
func timeIn(ctx context.Context, tx *sql.Tx, wanted string) (time.Time, error) {
	identity, err := identityOf(ctx, tx)
	if err == nil {
		err = effects.CheckIdentity(wanted, identity)
	}
	if err != nil {
		return time.Time{}, err
	}
	var now string
	if err := tx.QueryRowContext(ctx, `SELECT `+clock).Scan(&now); err != nil {
		return time.Time{}, err
	}
	return parseTime(now)
}

// querier is a connection, or a transaction on one.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func identityOf(ctx context.Context, q querier) (identity string, err error) {
	err = q.QueryRowContext(ctx, `SELECT identity FROM ledger`).Scan(&identity)
	return identity, err
}

func find(ctx context.Context, tx *sql.Tx, key string) (*effects.Row, error) {
	rows, err := scanAll(tx.QueryContext(ctx, `SELECT `+columns+` FROM effects WHERE key = ?`, key))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}
