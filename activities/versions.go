package activities

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// maxVersions bounds how often one business effect can be replaced.
const maxVersions = 1000

// compareWithLedger gives an action its idempotency key.
//
//   - key unknown: a new effect;
//   - known, same payload: planned as already done, with its receipt;
//   - known, other payload: the next semantic version, and the plan says what
//     it replaces;
//   - known, outcome unknown, same payload: planned; execution recovers it;
//   - known, outcome unknown, other payload: refused. No version is ever
//     raised over an unknown outcome.
func (a *Activities) compareWithLedger(ctx context.Context, task workflows.Task, action *plan.Action) error {
	fingerprint, err := plan.Fingerprint(action.Parameters)
	if err != nil {
		return bad("bad_plan", "action %s: %s", action.ID, err)
	}
	for range maxVersions {
		action.IdempotencyKey = plan.Identity{
			Tenant: task.Tenant, BusinessID: task.BusinessID, Tool: action.Tool,
			Target: action.Target, Item: action.Item, SemanticVersion: action.SemanticVersion,
		}.Key()
		rows, err := a.Effects.Ledger.Rows(ctx, []string{action.IdempotencyKey})
		if err != nil {
			return err
		}
		if len(rows) == 0 || rows[0].State == effects.Released {
			return nil
		}
		row := rows[0]
		switch {
		case row.State == effects.Completed && row.Fingerprint == fingerprint:
			action.Done = row.Receipt
			return nil
		case row.State == effects.Completed:
			action.Replaces = fmt.Sprintf("version %s of %s, written as %s by run %s",
				action.SemanticVersion, action.Target, row.Receipt.Ref, row.RunID)
			action.SemanticVersion = nextVersion(action.SemanticVersion)
		case row.Fingerprint == fingerprint:
			return nil
		default:
			return bad("in_doubt", "action %s: it is not known whether run %s wrote an earlier version of %s; "+
				"run that task again unchanged, which finds out, before this one", action.ID, row.RunID, action.Target)
		}
	}
	return bad("too_many_versions", "action %s: %s was replaced %d times", action.ID, action.Target, maxVersions)
}

// nextVersion counts on: v1, v2; label, label-2, label-3.
func nextVersion(version string) string {
	for _, prefix := range []string{"v", version[:strings.LastIndex(version, "-")+1]} {
		digits, ok := strings.CutPrefix(version, prefix)
		if n, err := strconv.Atoi(digits); ok && prefix != "" && err == nil && n > 0 && digits[0] != '0' {
			return prefix + strconv.Itoa(n+1)
		}
	}
	return version + "-2"
}
