package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// claim inserts the receipt's row. When an earlier call has left one, that is
// the answer, and nothing is claimed. It waits for an earlier call that has
// not ended.
func (t *transaction) claim(ctx context.Context) (declared.Effect, error) {
	call := t.request.Call
	insert := `INSERT INTO ` + t.settings.ReceiptsTable + `
		(idempotency_key, fingerprint, tool, target, run_id, action_id, plan_hash, approver, ref, detail, made_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, '', '', clock_timestamp())
		ON CONFLICT (idempotency_key) DO NOTHING`
	tag, err := t.conn.Exec(ctx, insert, t.request.Vars.Key, t.fingerprint, t.spec.Name, t.request.Vars.Target,
		call.RunID, call.Action.ID, call.PlanHash.String(), call.Approver)
	switch {
	case err != nil:
		return declared.Effect{}, t.claimFault(err)
	case tag.RowsAffected() == 1:
		t.claimed = true
		return declared.Effect{}, nil
	default:
		return t.earlier(ctx)
	}
}

// earlier reads the receipt of an earlier call, and takes it for this one's
// only when the parameters were the same.
func (t *transaction) earlier(ctx context.Context) (declared.Effect, error) {
	var (
		effect                     declared.Effect
		fingerprint, run, actionID string
	)
	query := `SELECT fingerprint, run_id, action_id, ref, detail, made_at FROM ` + t.settings.ReceiptsTable + ` WHERE idempotency_key = $1`
	err := t.conn.QueryRow(ctx, query, t.request.Vars.Key).Scan(&fingerprint, &run, &actionID, &effect.Ref, &effect.Detail, &effect.At)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return declared.Effect{}, &faults.Fault{
			Class: faults.InProgress, Code: "receipt_removed", Reason: "the receipt of this key was removed while it was read",
		}
	case err != nil:
		return declared.Effect{}, t.before(err)
	case fingerprint != t.fingerprint:
		return declared.Effect{}, permanent("key_conflict",
			"the idempotency key was used in this database with other parameters, by action %s of run %s", plan.Escape(actionID), plan.Escape(run))
	}
	return effect, nil
}

// record writes what the statement answered into the receipt's row.
func (t *transaction) record(ctx context.Context, effect declared.Effect) (declared.Effect, error) {
	update := `UPDATE ` + t.settings.ReceiptsTable + ` SET ref = $2, detail = $3, made_at = clock_timestamp()
		WHERE idempotency_key = $1 RETURNING made_at`
	err := t.conn.QueryRow(ctx, update, t.request.Vars.Key, effect.Ref, effect.Detail).Scan(&effect.At)
	if errors.Is(err, pgx.ErrNoRows) {
		return effect, permanent("receipt_removed", "the statement removed its own receipt; nothing was committed")
	}
	return effect, err
}

const (
	// maxRef bounds the target's own id of an effect, in bytes, and maxDetail
	// the line about it: both go to the history.
	maxRef    = 1 << 10
	maxDetail = 500
)

// effect is the receipt that the declaration makes of the statement's answer.
// row is nil when the statement returned none.
func (t *transaction) effect(row map[string]any, rows int64) (declared.Effect, error) {
	effect := declared.Effect{Ref: t.settings.ReceiptsTable + "/" + t.request.Vars.Key, At: time.Now()}
	if row == nil {
		row = map[string]any{}
	}
	answer := map[string]any{"row": row, "rows": rows}
	if ref := t.settings.Receipt.Ref; ref.Expression != nil {
		text, err := ref.text(t.request.Vars, answer)
		if err != nil {
			return effect, noReceipt("ref", err)
		}
		if text == "" || len(text) > maxRef || strings.ContainsFunc(text, unicode.IsControl) {
			return effect, noReceipt("ref", errors.New("it is empty, too long, or no single line"))
		}
		effect.Ref = text
	}
	if detail := t.settings.Receipt.Detail; detail.Expression != nil {
		text, err := detail.text(t.request.Vars, answer)
		if err != nil {
			return effect, noReceipt("detail", err)
		}
		effect.Detail = plan.Clip(strings.Join(strings.Fields(text), " "), maxDetail)
	}
	return effect, nil
}

// text is the expression's value, which must be a text or a whole number.
func (e expression) text(vars template.Vars, answer map[string]any) (string, error) {
	value, err := e.Eval(vars, answer)
	if err != nil {
		return "", err
	}
	switch v := value.(type) {
	case string:
		return v, nil
	case int64, uint64:
		return fmt.Sprint(v), nil
	default:
		return "", fmt.Errorf("the expression %q is no text", e.String())
	}
}

func noReceipt(field string, err error) error {
	return permanent("no_receipt", "the statement's answer has no receipt: %s: %s; nothing was committed", field, err)
}
