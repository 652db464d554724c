package postgres

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"
)

//go:embed receipts.sql
var receiptsSQL string

// Migrate makes the table holdpoint_receipts in the database of a DSN, in the
// first schema of its search_path, or leaves the table that is there as it is.
// The DSN's role must be allowed to create tables. The error is a fault.
func Migrate(ctx context.Context, dsn string) error {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return permanent("bad_dsn", "the DSN is no PostgreSQL connection string")
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return dialFault(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, receiptsSQL); err != nil {
		return statementFault(err)
	}
	return nil
}

// checkReceipts wants the receipts table, when a plan is made: not only when it
// has been approved.
func (s *sender) checkReceipts(ctx context.Context, conn *pgx.Conn) error {
	query := `SELECT idempotency_key, fingerprint, tool, target, run_id, action_id, plan_hash, approver, ref, detail, made_at
		FROM ` + s.settings.ReceiptsTable + ` LIMIT 0`
	if _, err := conn.Exec(ctx, query); err != nil {
		return s.receiptsFault(err)
	}
	return nil
}
