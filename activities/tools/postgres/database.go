package postgres

import (
	"context"
	"errors"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

// extraConnections are for previews, beside the calls.
const extraConnections = 2

// database is a sender's connections, made when they are needed.
type database struct {
	dsn   secrets.Text
	calls int // at a time; 0: as many as pgx thinks right

	mu     sync.Mutex
	pool   *pgxpool.Pool // nil before the first use
	closed bool
}

func newDatabase(dsn secrets.Text, calls int) *database {
	return &database{dsn: dsn, calls: calls}
}

// acquire returns a connection, which the caller releases. Nothing was sent
// when it fails.
func (d *database) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	if ctx.Err() != nil {
		return nil, interrupted(context.Cause(ctx))
	}
	pool, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, dialFault(err)
	}
	return conn, nil
}

func (d *database) open(ctx context.Context) (*pgxpool.Pool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, transient("closed", nil, "the tool is closed; nothing was sent")
	case d.pool != nil:
		return d.pool, nil
	}
	config, err := d.config()
	if err != nil {
		return nil, err
	}
	// The pool outlives the call that asks first.
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(ctx), config)
	if err != nil {
		return nil, permanent("bad_dsn", "the pool of connections cannot be made")
	}
	d.pool = pool
	return pool, nil
}

func (d *database) config() (*pgxpool.Config, error) {
	dsn, err := d.dsn.Resolve()
	if err != nil {
		return nil, faults.SecretMissing("the DSN", err)
	}
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		// Its text would hold parts of the DSN.
		return nil, permanent("bad_dsn", "the DSN is no PostgreSQL connection string")
	}
	if d.calls > 0 {
		config.MaxConns = int32(min(d.calls, maxConnections)) + extraConnections
	}
	forOneUse(config.ConnConfig)
	config.BeforeConnect = d.renew
	return config, nil
}

// maxConnections is more than a server takes.
const maxConnections = 10_000

// renew reads the DSN again for each connection: a password may have been
// replaced.
func (d *database) renew(_ context.Context, config *pgx.ConnConfig) error {
	dsn, err := d.dsn.Resolve()
	if err != nil {
		return faults.SecretMissing("the DSN", err)
	}
	fresh, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return errors.New("the DSN is no PostgreSQL connection string")
	}
	*config = *fresh.ConnConfig
	forOneUse(config)
	return nil
}

// forOneUse prepares nothing that stays on the server, so that a pooler which
// hands out another session for each transaction can stand in between.
func forOneUse(config *pgx.ConnConfig) { config.DefaultQueryExecMode = pgx.QueryExecModeExec }

func (d *database) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.pool != nil {
		d.pool.Close()
	}
}
