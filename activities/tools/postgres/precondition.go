package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/template"
)

// checkPrecondition compares the target's state with the plan's, within the
// transaction.
func (t *transaction) checkPrecondition(ctx context.Context) error {
	if t.settings.PreconditionQuery == "" {
		return nil
	}
	now, err := t.precondition(ctx, t.conn, t.request.Vars)
	if err != nil {
		return t.before(err)
	}
	if now != t.request.Call.Action.Precondition {
		return &faults.Fault{
			Class: faults.Permanent, Code: "precondition_changed", Cause: tools.ErrDrift,
			Reason: "what the precondition's query reads has changed since the plan was made; nothing was written",
		}
	}
	return nil
}

// precondition reads the one value that the plan relies on: "absent" when there
// is no row, "null", or "value:" and the value. One of more than maxValue bytes
// stands there as its digest.
func (s *sender) precondition(ctx context.Context, conn *pgx.Conn, vars template.Vars) (string, error) {
	query, err := s.fill("precondition_query", s.settings.PreconditionQuery, s.settings.PreconditionArguments, vars)
	if err != nil {
		return "", err
	}
	p, err := query.prepare(ctx, conn)
	if err != nil {
		return "", err
	}
	if len(p.columns) != 1 {
		return "", permanent("bad_precondition", "the precondition_query returns %d columns, and must return one", len(p.columns))
	}
	reader, state, rows := p.run(ctx, conn), "absent", 0
	for reader.NextRow() {
		rows++
		if rows == 1 {
			state = stateOf(reader.Values()[0])
		}
	}
	if _, err := reader.Close(); err != nil {
		return "", err
	}
	if rows > 1 {
		return "", permanent("bad_precondition", "the precondition_query returns %d rows, and must return one at most", rows)
	}
	return state, nil
}

// maxValue bounds a precondition that is kept as it is, in bytes.
const maxValue = 200

func stateOf(value []byte) string {
	switch {
	case value == nil:
		return "null"
	case len(value) > maxValue:
		digest := sha256.Sum256(value)
		return fmt.Sprintf("sha256:%s", hex.EncodeToString(digest[:]))
	default:
		return "value:" + string(value)
	}
}
