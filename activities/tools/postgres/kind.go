package postgres

import (
	"context"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Kind makes tools that run statements in PostgreSQL. The zero value is ready
// for use.
type Kind struct{}

var _ declared.Kind = Kind{}

// Name implements declared.Kind.
func (Kind) Name() string { return "postgres" }

// Classes implements declared.Kind.
func (Kind) Classes() []plan.DeliveryClass { return []plan.DeliveryClass{plan.Transactional} }

// Open implements declared.Kind.
func (Kind) Open(spec tools.Spec, given declared.Settings) (declared.Sender, error) {
	settings, err := read(given)
	if err != nil {
		return nil, err
	}
	return &sender{spec: spec, settings: settings, database: newDatabase(settings.DSN, spec.Concurrency)}, nil
}

// sender runs the statements of one tool.
type sender struct {
	spec     tools.Spec
	settings settings
	database *database
}

var _ declared.Sender = (*sender)(nil)

// Apply implements declared.Sender. The receipt's ref is what the declaration
// says, or "table/key" of the receipt's row.
//
// Its faults: permanent when the server refuses the statement, when another
// number of rows than declared is affected, and "key_conflict" when the key was
// used with other parameters; permanent, with tools.ErrDrift as cause, when the
// precondition does not hold; transient when there is no connection or the
// transaction lost against another one; in progress when an earlier call of the
// key has not ended; unknown when COMMIT was sent and its answer is missing.
func (s *sender) Apply(ctx context.Context, r declared.Request) (declared.Effect, error) {
	fingerprint, err := plan.Fingerprint(r.Call.Action.Parameters)
	if err != nil {
		return declared.Effect{}, s.refuse("its parameters: %s", err)
	}
	conn, err := s.database.acquire(ctx)
	if err != nil {
		return declared.Effect{}, err
	}
	defer conn.Release()
	t := &transaction{sender: s, conn: conn.Conn(), request: r, fingerprint: fingerprint.String()}
	return t.run(ctx)
}

// Count implements declared.Sender. It counts the receipts of the key, which
// are committed with their effects.
func (s *sender) Count(ctx context.Context, r declared.Request) (int, error) {
	conn, err := s.database.acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release()
	var count int
	query := `SELECT count(*) FROM ` + s.settings.ReceiptsTable + ` WHERE idempotency_key = $1`
	if err := conn.QueryRow(ctx, query, r.Vars.Key).Scan(&count); err != nil {
		return 0, s.receiptsFault(err)
	}
	return count, nil
}

// Close implements declared.Sender.
func (s *sender) Close() error {
	s.database.close()
	return nil
}
