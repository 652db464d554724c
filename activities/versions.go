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
// key. It looks at the effect's versions in the ledger, up to the first that did
// not take effect:
//
//	that one, next             the newest before it       the action
//	-------------------------  -------------------------  --------------------------------
//	in doubt, this payload     any                        next: execution recovers it,
//	                                                      or a person is asked
//	in doubt, another          any                        refused, in_doubt
//	not there, or released     none                       next: a new effect
//	not there, or released     this payload               planned as done, with its receipt
//	not there, or released     another, and this one      next, and the plan says what
//	                           takes its place            it replaces
//	not there, or released     another, and this one      refused, key_conflict
//	                           would stand beside it
//
// An older version of this payload does not count: it has been replaced. No
// version is ever raised over an unknown outcome, and none for a tool whose
// second effect would stand beside the first.
func (a *Activities) compareWithLedger(ctx context.Context, task workflows.Task, action *plan.Action, replaces bool) error {
	fingerprint, err := plan.Fingerprint(action.Parameters)
	if err != nil {
		return bad("bad_plan", "%s", err)
	}
	newest, next, err := a.versionsOf(ctx, task, *action)
	if err != nil {
		return err
	}
	none, doubt := newest.row.Receipt == nil, next.row.State == effects.Started
	switch {
	case doubt && next.row.Fingerprint != fingerprint:
		return inDoubtBefore(*action, next.row)
	case !doubt && newest.row.Fingerprint == fingerprint:
		action.SemanticVersion, action.IdempotencyKey, action.Done = newest.version, newest.row.Key, newest.row.Receipt
		return nil
	case !doubt && !none && !replaces:
		return keyConflict(*action, newest.row)
	default:
		action.SemanticVersion, action.IdempotencyKey, action.Replaces = next.version, next.row.Key, newest.String()
		return nil
	}
}

// versionsOf looks at an effect's versions in the ledger: the newest that took
// effect, and the next after it.
func (a *Activities) versionsOf(ctx context.Context, task workflows.Task, action plan.Action) (newest, next written, err error) {
	version := task.SemanticVersion
	for range maxVersions {
		row, err := a.version(ctx, task, action, version)
		if err != nil || row.State != effects.Completed {
			return newest, written{row, version}, err
		}
		newest = written{row, version}
		version = nextVersion(version)
	}
	return newest, next, bad("too_many_versions", "%s was replaced %d times", action.Target, maxVersions)
}

// inDoubtBefore refuses another payload while it is not known what became of an
// earlier one.
func inDoubtBefore(action plan.Action, row effects.Row) error {
	return bad("in_doubt", "it is not known what became of action %.64q of run %s, which meant the same effect (%s) "+
		"with other parameters; resolve that one first, or run it again as it was then, which finds out or asks a person",
		row.ActionID, row.RunID, effectNamed(action))
}

// keyConflict refuses a second effect where the first one stays.
func keyConflict(action plan.Action, row effects.Row) error {
	return bad("key_conflict", "the same effect (%s) was made with other parameters, by action %.64q of run %s (%s), "+
		"and an effect of tool %s is not replaced by a later one; if another effect is meant, give it another item or business id",
		effectNamed(action), row.ActionID, row.RunID, row.Receipt.Ref, action.Tool)
}

func effectNamed(action plan.Action) string {
	if action.Item == "" {
		return "target " + action.Target
	}
	return fmt.Sprintf("target %s, item %.200q", action.Target, action.Item)
}

// written is a version of an effect; the zero value stands for none.
type written struct {
	row     effects.Row
	version string
}

// String says what took effect, in the plan's words; nothing when nothing did.
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
