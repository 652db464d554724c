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

// compareWithLedger gives an action its semantic version and its idempotency
// key. It looks at the effect's versions in the ledger, up to the newest:
//
//   - there is none: a new effect;
//   - the newest has this payload: planned as already done, with its receipt.
//     An older one with this payload does not count: it has been replaced;
//   - the newest has another payload: the next semantic version, and the plan
//     says what it replaces;
//   - the newest is of unknown outcome and has this payload: planned; execution
//     recovers it;
//   - it is of unknown outcome and has another payload: refused. No version is
//     ever raised over an unknown outcome.
func (a *Activities) compareWithLedger(ctx context.Context, task workflows.Task, action *plan.Action) error {
	fingerprint, err := plan.Fingerprint(action.Parameters)
	if err != nil {
		return bad("bad_plan", "action %.64q: %s", action.ID, err)
	}
	var newest written
	version := task.SemanticVersion
	for range maxVersions {
		row, err := a.version(ctx, task, *action, version)
		switch {
		case err != nil:
			return err
		case row.State == effects.Completed:
			newest = written{row, version}
			version = nextVersion(version)
			continue
		case row.State == effects.Started && row.Fingerprint != fingerprint:
			return bad("in_doubt", "action %.64q: it is not known whether run %s wrote an earlier version of %s; "+
				"run it again with the documents as they were then, which finds out, or write with another semantic_version",
				action.ID, row.RunID, action.Target)
		case row.State != effects.Started && newest.row.Fingerprint == fingerprint:
			action.SemanticVersion, action.IdempotencyKey, action.Done = newest.version, newest.row.Key, newest.row.Receipt
			return nil
		}
		action.SemanticVersion, action.IdempotencyKey, action.Replaces = version, row.Key, newest.String()
		return nil
	}
	return bad("too_many_versions", "action %.64q: %s was replaced %d times", action.ID, action.Target, maxVersions)
}

// written is a version that took effect; the zero value stands for none.
type written struct {
	row     effects.Row
	version string
}

// String says it in the plan's words.
func (w written) String() string {
	if w.row.Receipt == nil {
		return ""
	}
	return fmt.Sprintf("version %s of %s, written as %s by run %s", w.version, w.row.Target, w.row.Receipt.Ref, w.row.RunID)
}

// version returns the ledger's row of one version of an action's effect. Of
// one that the ledger does not know, only the key is set.
func (a *Activities) version(ctx context.Context, task workflows.Task, action plan.Action, version string) (effects.Row, error) {
	key := plan.Identity{
		Tenant: task.Tenant, BusinessID: task.BusinessID, Tool: action.Tool,
		Target: action.Target, Item: action.Item, SemanticVersion: version,
	}.Key()
	rows, err := a.Effects.Ledger.Rows(ctx, []string{key})
	if err != nil || len(rows) == 0 {
		return effects.Row{Key: key}, err
	}
	return rows[0], nil
}

// nextVersion counts on: v1, v2; label, label-2, label-3.
func nextVersion(version string) string {
	for _, prefix := range []string{"v", version[:strings.LastIndex(version, "-")+1]} {
		digits, ok := strings.CutPrefix(version, prefix)
		if n, plain := counter(digits); ok && prefix != "" && plain {
			return prefix + strconv.Itoa(n+1)
		}
	}
	return version + "-2"
}

// counter reads a number that people would count on from: no sign, no leading
// zero, and no more digits than a version ever needs.
func counter(digits string) (n int, ok bool) {
	const longest = 9
	if digits == "" || len(digits) > longest || strings.Trim(digits, "0123456789") != "" || digits[0] == '0' {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}
