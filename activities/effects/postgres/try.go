package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
)

const (
	// patience is how long a call tries to reach the database: the time that a
	// server needs to start again, and that an attempt can spend on its last
	// word.
	patience = 10 * time.Second
	// tryTimeout bounds one try, so that a connection that has gone silent
	// leaves time for another one.
	tryTimeout = 3 * time.Second
	// firstPause is that between two tries; it doubles up to longestPause.
	firstPause   = 5 * time.Millisecond
	longestPause = 250 * time.Millisecond
)

// try makes a call on a connection of the pool. It makes it again, on another
// one, when the connection breaks or the database asks for that: a call must
// stand being made again after a COMMIT without an answer.
func (l *Ledger) try(ctx context.Context, call func(context.Context, *pgxpool.Conn) error) error {
	patient, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	doubt := false
	var before error
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := l.once(patient, call)
		doubt = doubt || errors.Is(err, errNoAnswer)
		if before != nil && patient.Err() != nil && errors.Is(err, context.DeadlineExceeded) {
			err = before // which tells more than that time is up
		}
		if err == nil || !worthAnotherTry(err) || !sleep(patient, pause) {
			return l.named(ctx, err, doubt)
		}
		before = err
	}
}

func (l *Ledger) once(ctx context.Context, call func(context.Context, *pgxpool.Conn) error) error {
	conn, err := l.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // closes it when it is not as it was
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	err = call(ctx, conn)
	if err != nil && ctx.Err() == nil && !lost(conn) && !answered(err) {
		return &faults.Fault{Class: faults.Permanent, Code: codeBadClaim, Reason: "the effect ledger cannot send what it was given", Cause: err}
	}
	return err
}

// lost reports that the connection broke. Then nobody knows what became of
// what was sent: a server that is told to end says so also after a COMMIT.
func lost(conn *pgxpool.Conn) bool { return conn.Conn().IsClosed() }

// answered reports errors that are an answer: the server's, or ours by what it
// has answered.
func answered(err error) bool {
	return errors.As(err, new(*pgconn.PgError)) || errors.As(err, new(*faults.Fault)) ||
		errors.Is(err, errRaced) || errors.Is(err, effects.ErrNotHeld)
}

// sleep waits about as long as d, so that many callers do not come back
// together, and reports whether ctx let it.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d/2 + rand.N(d)) //nolint:gosec // spreads tries, keeps no secret
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// worthAnotherTry reports errors that may be gone in a moment.
func worthAnotherTry(err error) bool {
	if errors.Is(err, errRaced) {
		return true
	}
	if errors.Is(err, effects.ErrNotHeld) || errors.As(err, new(*faults.Fault)) {
		return false
	}
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return !ok || passing(answer.Code)
}

// passing reports a server's answers that another try may change; the codes
// are those of PostgreSQL's appendix A.
func passing(code string) bool {
	switch code {
	case "25006", // read_only_sql_transaction: a standby that may be promoted
		"25P03", // idle_in_transaction_session_timeout
		"55P03", // lock_not_available
		"57014": // query_canceled
		return true
	}
	for _, class := range []string{
		"08",  // connection exception
		"40",  // transaction rollback: serialization failure, deadlock
		"53",  // insufficient resources, too many connections among them
		"57P", // the server ends, has crashed or starts
	} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}
