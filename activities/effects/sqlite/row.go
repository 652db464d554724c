package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// columns are those of the table, in the order in which store writes and scan
// reads them. The key is qualified because json_each has one too.
const columns = `effects.key, tenant, run_id, action_id, tool, target, fingerprint, declaration, state, attempt, token,
	lease_owner, lease_until, sent_at, quiet_until, receipt, reason, created_at, updated_at`

// timeForm is how times are written, always in UTC.
const timeForm = "2006-01-02T15:04:05.000Z"

// store writes a row whole.
func store(ctx context.Context, tx *sql.Tx, r effects.Row) error {
	var receipt sql.NullString
	if r.Receipt != nil {
		text, err := json.Marshal(r.Receipt)
		if err != nil {
			return err
		}
		receipt = sql.NullString{String: string(text), Valid: true}
	}
	_, err := tx.ExecContext(ctx, `REPLACE INTO effects
		(key, tenant, run_id, action_id, tool, target, fingerprint, declaration, state, attempt, token,
		lease_owner, lease_until, sent_at, quiet_until, receipt, reason, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.Key, r.Tenant, r.RunID, r.ActionID, r.Tool, r.Target, r.Fingerprint.String(), digestOrNull(r.Declaration),
		string(r.State), r.Attempt, r.Token, r.LeaseOwner, timeOrNull(r.LeaseUntil), r.SentAt.Format(timeForm), timeOrNull(r.QuietUntil),
		receipt, r.Reason, r.CreatedAt.Format(timeForm), r.UpdatedAt.Format(timeForm))
	return err
}

// timeOrNull writes the zero time as NULL.
func timeOrNull(t time.Time) sql.NullString {
	return sql.NullString{String: t.Format(timeForm), Valid: !t.IsZero()}
}

// digestOrNull writes the zero digest as NULL.
func digestOrNull(d plan.Digest) sql.NullString {
	return sql.NullString{String: d.String(), Valid: !d.IsZero()}
}

// scanAll reads a query's rows and closes them.
func scanAll(rows *sql.Rows, err error) ([]effects.Row, error) {
	if err != nil {
		return nil, err
	}
	var all []effects.Row
	for rows.Next() {
		row, err := scan(rows)
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		all = append(all, row)
	}
	return all, errors.Join(rows.Err(), rows.Close())
}

func scan(rows *sql.Rows) (effects.Row, error) {
	var r effects.Row
	var fingerprint string
	var declaration, until, sent, quiet, receipt, created, updated sql.NullString // times that are never NULL are so by the schema
	err := rows.Scan(&r.Key, &r.Tenant, &r.RunID, &r.ActionID, &r.Tool, &r.Target, &fingerprint, &declaration,
		&r.State, &r.Attempt, &r.Token, &r.LeaseOwner, &until, &sent, &quiet, &receipt, &r.Reason, &created, &updated)
	if err != nil {
		return effects.Row{}, err
	}
	fields := []error{r.Fingerprint.UnmarshalText([]byte(fingerprint))}
	if declaration.Valid {
		fields = append(fields, r.Declaration.UnmarshalText([]byte(declaration.String)))
	}
	for _, field := range []struct {
		text sql.NullString
		time *time.Time
	}{{until, &r.LeaseUntil}, {sent, &r.SentAt}, {quiet, &r.QuietUntil}, {created, &r.CreatedAt}, {updated, &r.UpdatedAt}} {
		if field.text.Valid {
			var err error
			*field.time, err = parseTime(field.text.String)
			fields = append(fields, err)
		}
	}
	if receipt.Valid {
		fields = append(fields, json.Unmarshal([]byte(receipt.String), &r.Receipt))
	}
	if err := errors.Join(fields...); err != nil {
		return effects.Row{}, unreadable(r.Key, err)
	}
	return r, nil
}

func parseTime(s string) (time.Time, error) { return time.Parse(timeForm, s) }
