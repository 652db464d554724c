package evidence

import (
	"fmt"
	"slices"
	"strconv"
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
	case !t.whole():
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
		return !foreign && (d == nil || d.Attempt == int(t.Attempt) && (d.Outcome == workflows.OutcomeDone) == (d.Receipt != nil))
	case t.Activity == workflows.SettleAction:
		s := t.Settled
		foreign := t.Done != nil || !t.Grant.IsZero()
		return !foreign && (s == nil || s.Attempt == int(t.Attempt) && (s.Standing == workflows.StandingDone) == (s.Receipt != nil) &&
			(s.Wait > 0 || (s.Standing == workflows.StandingInDoubt) == (s.Doubt != nil)))
	default:
		return false
	}
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

// checkDoubts wants every action that was said to be in doubt to have been found
// so, and what was said of one to have been said.
func (v *verifier) checkDoubts(where string, d approvals.Doubts) {
	for i, w := range d.Waiting {
		found := false
		for _, t := range v.tries(d.PlanHash, w.ActionID) {
			doubt := doubtOf(t)
			found = found || doubt != nil && strconv.FormatInt(doubt.Token, 10) == w.Claim
		}
		if !found || slices.Contains(d.Waiting[:i], w) {
			v.bad(where, "nothing says that the claim %s of action %s was in doubt, or it is named twice", plan.Escape(w.Claim), plan.Escape(w.ActionID))
		}
		if w.Said != "" {
			v.checkSaid(where, d.PlanHash, w)
		}
	}
	for i, w := range d.Resolved {
		if slices.Contains(d.Resolved[:i], w) {
			v.bad(where, "the action %s is named twice", plan.Escape(w.ActionID))
		}
		v.checkSaid(where, d.PlanHash, w)
	}
}

func (v *verifier) checkSaid(where string, hash plan.Digest, w approvals.InDoubt) {
	said := v.anyResolution(hash, w.ActionID, func(d approvals.Verdict) bool {
		return d.Outcome == w.Said && (w.Claim == "" || d.Claim == w.Claim)
	})
	if !said {
		v.bad(where, "the action %s was said to be resolved, and nobody said so", plan.Escape(w.ActionID))
	}
}

func (v *verifier) tries(hash plan.Digest, actionID string) []Try {
	for _, a := range v.content.Actions {
		if a.PlanHash == hash && a.ActionID == actionID {
			return a.Tries
		}
	}
	return nil
}

// checkResolutions wants what was told to the ledger to be what a person said,
// whose evidence a run that continued as new keeps cut.
func (v *verifier) checkResolutions() {
	for _, a := range v.content.Actions {
		for i, t := range a.Tries {
			told := t.Word
			switch {
			case told == nil && t.Claim != 0:
				v.bad("action "+plan.Escape(a.ActionID), "try %d names a claim and no resolution", i)
			case told != nil && !(told.Applied && v.anyResolution(a.PlanHash, a.ActionID, func(d approvals.Verdict) bool {
				evidence := told.Evidence == d.Evidence || told.Evidence == plan.Clip(d.Evidence, workflows.MaxShownEvidence)
				return d.Claim == strconv.FormatInt(t.Claim, 10) && told.Outcome == d.Outcome && told.Operator == d.Approver &&
					evidence && told.At.Equal(d.At) && told.Via == d.Via
			})):
				v.bad("action "+plan.Escape(a.ActionID), "try %d told the ledger what no accepted resolution says", i)
			}
		}
	}
}

// anyResolution looks for an accepted word about an action.
func (v *verifier) anyResolution(hash plan.Digest, actionID string, fits func(approvals.Verdict) bool) bool {
	for _, j := range v.content.Judgements {
		for _, w := range j.Words {
			d := w.Verdict
			accepted := j.About == AboutEffect && d.Code == approvals.Accepted && !w.Overtaken
			if accepted && d.PlanHash == hash.String() && d.ActionID == actionID && fits(d) {
				return true
			}
		}
	}
	return false
}

func (v *verifier) checkNotices() {
	for i, n := range v.content.Notices {
		place, known := v.requests[n.RequestID]
		if !known || v.content.Requests[place].PlanHash != n.PlanHash {
			v.bad(fmt.Sprintf("notice %d", i), "it is of another request or plan than the run's")
		}
		if (n.Ending == Failed || n.Ending == TimedOut) != (n.Failure != nil) || n.Answer != "" && n.Ending != Completed {
			v.bad(fmt.Sprintf("notice %d", i), "it ended %q, and its answer or failure says otherwise", plan.Escape(string(n.Ending)))
		}
	}
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
