package evidence

import (
	"fmt"
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// Receipt returns the proof that the action's effect was made, as the last try
// that has one has it; nil when none does.
func (a Action) Receipt() *plan.Receipt {
	var last *plan.Receipt
	for _, t := range a.Tries {
		if r := t.receipt(); r != nil {
			last = r
		}
	}
	return last
}

func (t Try) receipt() *plan.Receipt {
	switch {
	case t.Done != nil:
		return t.Done.Receipt
	case t.Settled != nil:
		return t.Settled.Receipt
	default:
		return nil
	}
}

// executes reports a try that may make the effect.
func (t Try) executes() bool { return t.Activity == string(workflows.ExecuteAction) }

// mayHaveActed reports a try after which the effect may be there by its doing.
func (t Try) mayHaveActed() bool {
	switch {
	case !t.executes():
		return false
	case t.Done != nil:
		return t.Done.Outcome == workflows.OutcomeDone
	default:
		return t.Failure != nil && !workflows.RulesOutEffect(t.Failure.Class)
	}
}

// checkActions compares every try with the plan, and wants a grant that covers it.
func (v *verifier) checkActions() {
	seen := map[string]bool{}
	for _, a := range v.content.Actions {
		where := "action " + plan.Escape(a.ActionID)
		if key := a.PlanHash.String() + a.ActionID; seen[key] || len(a.Tries) == 0 {
			v.bad(where, "it is there twice, or without a try")
		} else {
			seen[key] = true
		}
		p, known := v.Plans[a.PlanHash]
		if !known {
			v.bad(where, "its plan %s is not there", a.PlanHash)
			continue
		}
		planned, known := p.Find(a.ActionID)
		if !known {
			v.bad(where, "the plan %s has no such action", a.PlanHash)
			continue
		}
		key := plan.Identity{
			Tenant: p.Tenant, BusinessID: p.BusinessID, Tool: planned.Tool, Target: planned.Target,
			Item: planned.Item, SemanticVersion: planned.SemanticVersion,
		}.Key()
		begun := false
		for i, t := range a.Tries {
			at := fmt.Sprintf("%s, try %d", where, i)
			v.checkTry(at, t, planned, key)
			if t.executes() {
				begun = v.checkGranted(at, a, t) || begun
			}
		}
		if a.Receipt() != nil && !begun {
			v.bad(where, "it has a receipt, and no approval covers what was done")
		}
	}
}

// checkTry compares one try with the action that the plan has.
func (v *verifier) checkTry(where string, t Try, planned plan.Action, key string) {
	if t.Key != key {
		v.bad(where, "it was made under the key %s; the plan's is %s", plan.Escape(t.Key), key)
	}
	if r := t.receipt(); r != nil && (r.IdempotencyKey != key || r.Tool != planned.Tool || r.Target != planned.Target) {
		v.bad(where, "its receipt is of another key, tool or target than the plan's action")
	}
	if d := doubtOf(t); d != nil && (d.Tool != planned.Tool || d.Target != planned.Target) {
		v.bad(where, "its doubt is of another tool or target than the plan's action")
	}
	switch {
	case (t.Ending == "") != t.EndedAt.IsZero(), (t.Attempt == 0) != t.StartedAt.IsZero(), (t.Attempt == 0) != (t.Worker == ""):
		v.bad(where, "whether it has begun, or ended, is said in two ways")
	case (t.Ending == Completed) != (t.Done != nil || t.Settled != nil), (t.Ending == Failed || t.Ending == TimedOut) != (t.Failure != nil):
		v.bad(where, "it ended %q, and its result or failure says otherwise", plan.Escape(string(t.Ending)))
	case !t.whole(), t.Before != "" && t.Attempt < 2:
		v.bad(where, "what it says does not hold together")
	}
}

// whole reports whether a try has the members of its own activity, and a result
// that says one thing.
func (t Try) whole() bool {
	switch {
	case t.executes():
		d := t.Done
		foreign := t.Settled != nil || t.Word != nil || t.Claim != 0
		return !foreign && (d == nil || d.Attempt == int(t.Attempt) && isOutcome(d.Outcome) && (d.Outcome == workflows.OutcomeDone) == (d.Receipt != nil))
	case t.Activity == workflows.SettleAction:
		foreign := t.Done != nil || !t.Grant.IsZero()
		return !foreign && (t.Settled == nil || t.Settled.Attempt == int(t.Attempt) && t.holds(*t.Settled))
	default:
		return false
	}
}

func isOutcome(o workflows.ActionOutcome) bool {
	return slices.Contains([]workflows.ActionOutcome{
		workflows.OutcomeDone, workflows.OutcomeDrifted, workflows.OutcomePolicyChanged, workflows.OutcomeExpired,
	}, o)
}

// holds reports whether the ledger can have answered a try so: only for a doubt
// is there something to wait for, and a word about the claim in doubt ends it,
// unless the policy of the day does not take the word, or it is one that leaves the
// claim in doubt.
func (t Try) holds(s workflows.SettleActionResult) bool {
	doubt := s.Standing == workflows.StandingInDoubt
	switch {
	case doubt != (s.Doubt != nil), (s.Standing == workflows.StandingDone) != (s.Receipt != nil), s.Wait < 0, s.Wait > 0 && !doubt:
		return false
	case s.Standing == "": // it asked for the policy of the day alone
		return t.Word == nil && s.Refused == ""
	case !doubt && s.Standing != workflows.StandingDone && s.Standing != workflows.StandingAbsent:
		return false
	}
	ended := t.Word == nil || t.Word.Outcome == approvals.Abort || s.Wait > 0 || s.Refused != "" || !doubt || s.Doubt.Token != t.Claim
	return ended && (s.Refused == "" || t.Word != nil)
}

func doubtOf(t Try) *workflows.Doubt {
	if t.Settled == nil {
		return nil
	}
	return t.Settled.Doubt
}

// checkGranted looks for the grant that a try was given, and reports whether it
// covers what the try did.
func (v *verifier) checkGranted(where string, a Action, t Try) bool {
	grant := v.grantOf(a, t)
	if grant == nil {
		v.bad(where, "it was given an approval that follows from no request of this plan")
		return false
	}
	if t.ScheduledAt.Before(grant.ApprovedAt) || !t.StartedAt.IsZero() && t.StartedAt.Before(grant.ApprovedAt) {
		v.bad(where, "it began before the approval of %s", stamp(grant.ApprovedAt))
	}
	for _, c := range grant.Confirmations {
		if c.ActionID == a.ActionID && t.ScheduledAt.Before(c.At) {
			v.bad(where, "it began before its confirmation of %s", stamp(c.At))
		}
	}
	if v.needsWord(a, grant) {
		v.bad(where, "it was begun without the confirmation that it needs")
	}
	if !t.mayHaveActed() {
		return true
	}
	// Of a duplicate, the effect is that of an earlier attempt, of which the
	// history tells only when the first can have begun.
	began := t.StartedAt
	if began.IsZero() || t.Done != nil && (t.Done.Duplicate || t.Done.Recovered) || t.Attempt > 1 {
		began = t.ScheduledAt
	}
	if err := grant.Covers(a.PlanHash, began); err != nil {
		v.bad(where, "%v", err)
	}
	return true
}

// grantOf returns the grant of a request for the action's plan that the try was
// given, as its digest tells.
func (v *verifier) grantOf(a Action, t Try) *approvals.Grant {
	for _, g := range v.gates {
		if g.Grant == nil || g.Grant.PlanHash != a.PlanHash {
			continue
		}
		if sum, err := GrantDigest(g.Grant.For(a.ActionID)); err == nil && sum == t.Grant {
			return g.Grant
		}
	}
	return nil
}

func (v *verifier) needsWord(a Action, grant *approvals.Grant) bool {
	place := v.requests[grant.RequestID]
	return slices.Contains(v.content.Requests[place].Terms.Confirm, a.ActionID) &&
		!slices.ContainsFunc(grant.Confirmations, func(c approvals.Confirmation) bool { return c.ActionID == a.ActionID })
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
