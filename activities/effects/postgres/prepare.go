package postgres

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	// versionTable is where goose notes which migrations were applied.
	versionTable = "holdpoint_ledger_versions"
	// preparing is the advisory lock of those who prepare a database:
	// "Holdpoin" in ASCII.
	preparing int64 = 0x486f6c64706f696e
)

// prepare brings the database to the schema, one caller at a time. Where there
// is nothing to do, it needs no right to make tables.
func prepare(ctx context.Context, config *pgx.ConnConfig) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) // ends the transaction, and with it the lock
	// The lock is the transaction's and not the session's, because behind a
	// pooler a session is not ours. It waits idle while goose is at work.
	tx, err := conn.Begin(ctx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `SELECT set_config('idle_in_transaction_session_timeout', '0', true), pg_advisory_xact_lock($1)`, preparing)
	if err != nil {
		return err
	}
	if err := check(ctx, tx); err != nil {
		return err
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	if err := migrate(ctx, db); err != nil {
		return err
	}
	// The tables have what the version says.
	_, err = tx.Exec(ctx, `SELECT `+columns+`, change_id, identity FROM holdpoint_effects, holdpoint_ledger LIMIT 0`)
	return err
}

// check refuses a database that cannot be the ledger's.
func check(ctx context.Context, tx pgx.Tx) error {
	var encoding string
	var table, versions bool
	err := tx.QueryRow(ctx, `SELECT current_setting('server_encoding'),
		to_regclass('holdpoint_effects') IS NOT NULL, to_regclass($1) IS NOT NULL`, versionTable).Scan(&encoding, &table, &versions)
	switch {
	case err != nil:
		return err
	case encoding != "UTF8":
		return refusal("the database's encoding is " + encoding + ", and the ledger needs UTF8")
	case table && !versions:
		return refusal("the table holdpoint_effects belongs to another program")
	default:
		return nil
	}
}

func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return err
	}
	current, known, err := provider.GetVersions(ctx)
	switch {
	case err != nil:
		return err
	case current > known:
		return refusal(fmt.Sprintf("the table has schema version %d, and this program knows versions up to %d; use a newer one", current, known))
	case current < known:
		_, err = provider.Up(ctx)
	}
	return err
}
