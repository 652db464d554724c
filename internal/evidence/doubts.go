package evidence

import (
	"slices"
	"strconv"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// WithoutAnew are actions in doubt without the names under which words about them
// must be asked anew. Such a name is of the execution that judges them, so that a
// replay has another one; what was asked anew in fact, the verdicts tell.
func WithoutAnew(waiting []approvals.InDoubt) []approvals.InDoubt {
	waiting = slices.Clone(waiting)
	for i := range waiting {
		waiting[i].Anew = ""
	}
	return waiting
}

// left is what a judgement about effects left for the next.
type left struct {
	doubts approvals.Doubts
	since  time.Time // when its first word was read
}

// checkDoubts wants every action that was said to be in doubt to have been found
// so, and what was said of one to have been said.
func (v *verifier) checkDoubts(where string, j Judgement, d approvals.Doubts) {
	for _, w := range d.Waiting {
		found := slices.ContainsFunc(v.tries(d.PlanHash, w.ActionID), func(t Try) bool {
			doubt := doubtOf(t)
			return doubt != nil && strconv.FormatInt(doubt.Token, 10) == w.Claim
		})
		if !found {
			v.bad(where, "nothing says that the claim %s of action %s was in doubt", plan.Escape(w.Claim), plan.Escape(w.ActionID))
		}
		if w.Said != "" {
			v.checkSaid(where, d.PlanHash, w)
		}
	}
	for _, w := range d.Resolved {
		v.checkSaid(where, d.PlanHash, w)
	}
	v.checkListed(where, d.PlanHash, d.Waiting)
	v.checkListed(where, d.PlanHash, d.Resolved)
	v.checkFollows(where, j, d)
}

// checkListed wants the actions in the order of their plan, each once.
func (v *verifier) checkListed(where string, hash plan.Digest, listed []approvals.InDoubt) {
	actions := v.Plans[hash].Actions
	last := -1
	for _, w := range listed {
		at := slices.IndexFunc(actions, func(a plan.Action) bool { return a.ID == w.ActionID })
		if at <= last {
			v.bad(where, "the action %s does not stand where the plan has it, or is named twice", plan.Escape(w.ActionID))
		}
		last = at
	}
}

func (v *verifier) checkSaid(where string, hash plan.Digest, w approvals.InDoubt) {
	said := v.anyResolution(hash, w.ActionID, func(_ Judgement, d approvals.Verdict) bool {
		return d.Outcome == w.Said && (w.Claim == "" || d.Claim == w.Claim)
	})
	if !said {
		v.bad(where, "the action %s was said to be resolved, and nobody said so", plan.Escape(w.ActionID))
	}
}

// checkFollows wants nothing to be forgotten: what the judgement before left in
// doubt or resolved, and of what people were told before, still is, unless the
// ledger has said something else meanwhile.
func (v *verifier) checkFollows(where string, j Judgement, d approvals.Doubts) {
	if len(j.Words) == 0 {
		return
	}
	missing := func(w approvals.InDoubt) {
		v.bad(where, "what was known of action %s by then is left out, or is another", plan.Escape(w.ActionID))
	}
	by := j.Words[0].ReadAt
	if v.left.doubts.PlanHash == d.PlanHash {
		for _, w := range v.left.doubts.Waiting {
			if !v.settled(d.PlanHash, w.ActionID, v.left.since, by, spoke) && !slices.Contains(d.Waiting, w) {
				missing(w)
			}
		}
		for _, w := range v.left.doubts.Resolved {
			if !v.settled(d.PlanHash, w.ActionID, v.left.since, by, againInDoubt) && !slices.Contains(d.Resolved, w) {
				missing(w)
			}
		}
	}
	for _, told := range v.toldDoubts(d.PlanHash) {
		same := func(w approvals.InDoubt) bool { return w.ActionID == told.ActionID && w.Claim == told.Claim }
		listed := slices.ContainsFunc(d.Waiting, same) || slices.ContainsFunc(d.Resolved, same)
		if told.at.Before(by) && !listed && !v.settled(d.PlanHash, told.ActionID, told.at, by, spoke) {
			missing(told.InDoubt)
		}
	}
}

// spoke reports an answer of the ledger after which the action may stand elsewhere.
func spoke(t Try) bool {
	return t.Failure != nil || t.Settled != nil && t.Settled.Wait == 0
}

// againInDoubt reports a word that the ledger could not record, for it was about
// another claim, or was refused.
func againInDoubt(t Try) bool {
	return t.Settled != nil && t.Settled.Wait == 0 && t.Settled.Standing == workflows.StandingInDoubt
}

// settled reports whether the ledger gave an answer of that kind, after since, to
// a word that was read before by. What it answered later came after the judgement
// of the words that were read then; and without a word, nothing that is in doubt
// changes.
func (v *verifier) settled(hash plan.Digest, actionID string, since, by time.Time, kind func(Try) bool) bool {
	return slices.ContainsFunc(v.tries(hash, actionID), func(t Try) bool {
		return t.Word != nil && t.Word.At.Before(by) && t.EndedAt.After(since) && kind(t)
	})
}

// keep remembers what a judgement about effects leaves.
func (v *verifier) keep(j Judgement, d approvals.Doubts) {
	for _, w := range j.Words {
		if !w.Overtaken {
			d = d.After(w.Verdict)
		}
	}
	if len(j.Words) > 0 {
		v.left = left{doubts: d, since: j.Words[0].ReadAt}
	}
}

// tries are those of one action.
func (v *verifier) tries(hash plan.Digest, actionID string) []Try {
	for _, a := range v.content.Actions {
		if a.PlanHash == hash && a.ActionID == actionID {
			return a.Tries
		}
	}
	return nil
}
