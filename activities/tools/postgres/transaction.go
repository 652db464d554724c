package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
)

// transaction is one call on one connection.
type transaction struct {
	*sender

	conn        *pgx.Conn
	request     declared.Request
	fingerprint string

	// claimed says that the receipt's row is in this transaction: no earlier
	// call has committed, and none can until this transaction has ended.
	claimed bool
}

func (t *transaction) run(ctx context.Context) (declared.Effect, error) {
	statement, err := t.fill("statement", t.settings.Statement, t.settings.Arguments, t.request.Vars)
	if err != nil {
		return declared.Effect{}, err
	}
	tx, err := t.conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin(ctx, t.settings.Isolation, "READ WRITE")})
	if err != nil {
		return declared.Effect{}, t.before(err)
	}
	// Harmless after COMMIT. The call's own context may have ended.
	defer rollback(ctx, tx)

	if earlier, err := t.claim(ctx); err != nil || !t.claimed {
		return earlier, err
	}
	if err := t.checkPrecondition(ctx); err != nil {
		return declared.Effect{}, err
	}
	effect, err := t.execute(ctx, statement)
	if err != nil {
		return declared.Effect{}, t.before(err)
	}
	if effect, err = t.record(ctx, effect); err != nil {
		return declared.Effect{}, t.before(err)
	}
	// The transaction may have waited for others.
	if err := t.request.Call.Allowed(ctx); err != nil {
		return declared.Effect{}, err
	}
	if err := tx.Commit(ctx); err != nil {
		return declared.Effect{}, t.commitFault(err)
	}
	return effect, nil
}

// begin is the command that begins a transaction whose waits end before the
// call does, so that the server says why; and which does not outlive a caller
// that falls silent.
func begin(ctx context.Context, isolation, mode string) string {
	left := defaultTimeout
	if deadline, ok := ctx.Deadline(); ok {
		left = max(time.Until(deadline), minTimeout)
	}
	return fmt.Sprintf("BEGIN ISOLATION LEVEL %s %s; SET LOCAL lock_timeout = %d; SET LOCAL statement_timeout = %d;"+
		" SET LOCAL idle_in_transaction_session_timeout = %d",
		isolation, mode, (left * 8 / 10).Milliseconds(), (left * 9 / 10).Milliseconds(), left.Milliseconds())
}

const (
	// defaultTimeout is for a call without a deadline.
	defaultTimeout = 30 * time.Second
	// minTimeout is not 0, which the server reads as none.
	minTimeout = 10 * time.Millisecond
	// rollbackTimeout bounds the end of a transaction whose call has ended.
	rollbackTimeout = 2 * time.Second
)

// rollback ends a transaction that was not committed, and frees its locks.
func rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	tx.Rollback(ctx) //nolint:errcheck // a connection that cannot is closed, which does the same
}

// execute runs the statement and reads its receipt.
func (t *transaction) execute(ctx context.Context, statement command) (declared.Effect, error) {
	p, err := statement.prepare(ctx, t.conn)
	if err != nil {
		return declared.Effect{}, err
	}
	reader := p.run(ctx, t.conn)
	var first map[string]any
	for reader.NextRow() {
		if first == nil {
			first = rowOf(p.columns, reader.Values())
		}
	}
	tag, err := reader.Close()
	if err != nil {
		return declared.Effect{}, err
	}
	if rows := tag.RowsAffected(); rows != *t.settings.ExpectRows {
		return declared.Effect{}, permanent("unexpected_rows",
			"the statement affects %d rows, and %d are expected; nothing was committed", rows, *t.settings.ExpectRows)
	}
	return t.effect(first, tag.RowsAffected())
}

// rowOf is a row as expressions see it.
func rowOf(columns []string, values [][]byte) map[string]any {
	row := make(map[string]any, len(columns))
	for i, name := range columns {
		row[name] = nil
		if values[i] != nil {
			row[name] = string(values[i])
		}
	}
	return row
}

// before is the fault of an error before COMMIT was sent: this call surely has
// no effect, and when it had claimed the key, no earlier one has.
func (t *transaction) before(err error) error {
	fault := *statementFault(err)
	if t.claimed && fault.Class != faults.Unknown {
		fault.Cause = errors.Join(tools.ErrAbsent, fault.Cause)
	}
	return &fault
}
