package activities

import (
	"context"
	"fmt"
	"time"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// SettleAction says what the ledger knows of an action of unknown outcome, and
// records what a person found out about it. It waits until no attempt is at
// work, and, before it records that an effect did not happen, until none can be
// under way. A word about a claim that is no longer the last one changes
// nothing.
func (a *Activities) SettleAction(
	ctx context.Context, in workflows.SettleActionInput,
) (workflows.SettleActionResult, error) {
	s := effects.Settlement{Key: in.Key}
	if in.Resolution != nil {
		var err error
		if s, err = a.settlement(ctx, in); err != nil {
			return workflows.SettleActionResult{}, err
		}
	}
	for {
		settled, err := a.Effects.Ledger.Settle(ctx, s)
		if err != nil {
			return workflows.SettleActionResult{}, err
		}
		wait := max(settled.Held, settled.Quiet)
		if wait <= 0 {
			return standing(in, settled.Row, attempt(ctx)), nil
		}
		if err := pause(ctx, min(wait, longestPause)); err != nil {
			return workflows.SettleActionResult{}, err
		}
	}
}

// longestPause is after how long the ledger is asked again, however long the
// wait: another process may have settled the action.
const longestPause = 2 * time.Second

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settlement puts a person's word into the ledger's terms. Of an effect that
// happened, her word is the receipt.
func (a *Activities) settlement(ctx context.Context, in workflows.SettleActionInput) (effects.Settlement, error) {
	word := in.Resolution
	s := effects.Settlement{
		Key: in.Key, Token: in.Token,
		Reason: fmt.Sprintf("%s, says %s: %s", word.Outcome, word.Operator, word.Evidence),
	}
	if word.Outcome != approvals.Happened {
		return s, nil
	}
	rows, err := a.Effects.Ledger.Rows(ctx, []string{in.Key})
	if err != nil || len(rows) == 0 {
		return s, err
	}
	s.Receipt = &plan.Receipt{
		IdempotencyKey: in.Key, Tool: rows[0].Tool, Target: rows[0].Target,
		Ref: "by the word of " + word.Operator, Detail: word.Evidence, At: word.At.UTC().Truncate(time.Second),
	}
	return s, nil
}

// standing is what a row that nobody works on means for the action.
func standing(in workflows.SettleActionInput, row effects.Row, attempt int) workflows.SettleActionResult {
	out := workflows.SettleActionResult{Attempt: attempt, Standing: workflows.StandingAbsent}
	switch {
	case row.State == effects.Completed && row.RunID == in.RunID && row.ActionID == in.ActionID:
		out.Standing, out.Receipt = workflows.StandingDone, row.Receipt
	case row.State == effects.Started:
		out.Standing = workflows.StandingInDoubt
		out.Doubt = &workflows.Doubt{
			Token: row.Token, Tool: row.Tool, Target: row.Target, SentAt: row.SentAt, Attempt: row.Attempt, Detail: row.Reason,
		}
		if !row.QuietUntil.IsZero() {
			until := row.QuietUntil
			out.Doubt.QuietUntil = &until
		}
	}
	return out
}
