package postgres

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// columns are those of the table, in the order in which upsert writes and
// scan reads them.
const columns = `key, tenant, run_id, action_id, tool, target, fingerprint, declaration, state, attempt, token,
	lease_owner, lease_until, sent_at, quiet_until, receipt, reason, created_at, updated_at`

// upsert writes a row whole. It changes nothing when the row is not there with
// the token of $21, which is 0 for a row that must not be there at all.
const upsert = `INSERT INTO holdpoint_effects AS present (` + columns + `, change_id)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
	ON CONFLICT (key) DO UPDATE SET
		tenant = excluded.tenant, run_id = excluded.run_id, action_id = excluded.action_id, tool = excluded.tool,
		target = excluded.target, fingerprint = excluded.fingerprint, declaration = excluded.declaration,
		state = excluded.state, attempt = excluded.attempt, token = excluded.token,
		lease_owner = excluded.lease_owner, lease_until = excluded.lease_until,
		sent_at = excluded.sent_at, quiet_until = excluded.quiet_until, receipt = excluded.receipt,
		reason = excluded.reason, created_at = excluded.created_at, updated_at = excluded.updated_at,
		change_id = excluded.change_id
	WHERE present.token = $21`

// values are a row's, in the order of columns.
func values(r effects.Row) ([]any, error) {
	var receipt *string
	if r.Receipt != nil {
		text, err := json.Marshal(r.Receipt)
		if err != nil {
			return nil, err
		}
		receipt = new(string(text))
	}
	return []any{
		r.Key, r.Tenant, r.RunID, r.ActionID, r.Tool, r.Target, r.Fingerprint.String(), digestOrNull(r.Declaration),
		string(r.State), r.Attempt, r.Token, r.LeaseOwner, timeOrNull(r.LeaseUntil), r.SentAt, timeOrNull(r.QuietUntil),
		receipt, r.Reason, r.CreatedAt, r.UpdatedAt,
	}, nil
}

// timeOrNull writes the zero time as NULL.
func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// digestOrNull writes the zero digest as NULL.
func digestOrNull(d plan.Digest) *string {
	if d.IsZero() {
		return nil
	}
	return new(d.String())
}

// stored is the row of a key as it is in the table; the zero row when it is
// not.
type stored struct {
	row      *effects.Row
	changeID string
	ledger   string // the identity of the ledger that has it
}

func (s stored) token() int64 {
	if s.row == nil {
		return 0
	}
	return s.row.Token
}

// scanStored reads the one row of a key, with its change_id.
func scanStored(rows pgx.Rows) (stored, error) {
	var s stored
	for rows.Next() {
		row, err := scan(rows, &s.changeID)
		if err != nil {
			return stored{}, err
		}
		s.row = &row
	}
	return s, rows.Err()
}

// scanAll reads a query's rows and closes them.
func scanAll(rows pgx.Rows, err error) ([]effects.Row, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (effects.Row, error) { return scan(row) })
}

// scan reads one row, and what the query has after its columns.
func scan(row pgx.CollectableRow, more ...any) (effects.Row, error) {
	var r effects.Row
	var fingerprint string
	var declaration *string
	var until, quiet *time.Time
	var receipt []byte
	err := row.Scan(append([]any{
		&r.Key, &r.Tenant, &r.RunID, &r.ActionID, &r.Tool, &r.Target, &fingerprint, &declaration,
		&r.State, &r.Attempt, &r.Token, &r.LeaseOwner, &until, &r.SentAt, &quiet, &receipt, &r.Reason, &r.CreatedAt, &r.UpdatedAt,
	}, more...)...)
	if err != nil {
		return effects.Row{}, err
	}
	err = r.Fingerprint.UnmarshalText([]byte(fingerprint))
	if declaration != nil {
		err = errors.Join(err, r.Declaration.UnmarshalText([]byte(*declaration)))
	}
	if receipt != nil {
		err = errors.Join(err, json.Unmarshal(receipt, &r.Receipt))
	}
	if err != nil {
		return effects.Row{}, unreadable(r.Key, err)
	}
	r.LeaseUntil, r.QuietUntil = utc(until), utc(quiet)
	r.SentAt, r.CreatedAt, r.UpdatedAt = r.SentAt.UTC(), r.CreatedAt.UTC(), r.UpdatedAt.UTC()
	return r, nil
}

func utc(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
