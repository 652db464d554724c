package evidence

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
	"github.com/holdpoint/holdpoint/workflows"
)

// checkResolutions wants what was told to the ledger to be what a person said.
func (v *verifier) checkResolutions() {
	for _, a := range v.content.Actions {
		replaced := false // an earlier try told another word
		for i, t := range a.Tries {
			where := fmt.Sprintf("action %s, try %d", plan.Escape(a.ActionID), i)
			switch {
			case t.Word == nil && t.Claim != 0:
				v.bad(where, "it names a claim and no resolution")
			case t.Word == nil:
			case !v.anyResolution(a.PlanHash, a.ActionID, t.tells):
				v.bad(where, "it told the ledger what no accepted resolution says")
			case !t.Word.Applied && !replaced:
				v.bad(where, "it told the ledger a word on which the run had not acted")
			}
			replaced = replaced || t.Word != nil
		}
	}
}

// tells reports whether the word of a try is that of a verdict, whole, but for the
// execution in which its doubt was shown: of a run that was reset, nothing here
// names those before. A run that continued as new keeps the evidence cut. Versions
// before words were bound to a claim kept neither the claim nor the signature.
func (t Try) tells(j Judgement, d approvals.Verdict) bool {
	told := t.Word
	evidence := told.Evidence == d.Evidence || told.Evidence == plan.Clip(d.Evidence, workflows.MaxShownEvidence)
	bound := bindingOf(told) == j.bindingOf(d)
	claim := d.Claim == strconv.FormatInt(t.Claim, 10)
	if t.Claim == 0 && told.Outcome == approvals.Abort {
		claim = bound // an abort is compared with a policy, and told to no claim
	}
	return claim && told.Outcome == d.Outcome && told.Operator == d.Approver &&
		evidence && told.At.Equal(d.At) && told.Via == d.Via && (bound || bindingOf(told) == (binding{}) && told.Execution == "")
}

// binding is what ties a word to one claim and one asking.
type binding struct {
	claim, signature, request string
	text                      plan.Digest // of the evidence, when it is signed
}

func bindingOf(told *workflows.Resolved) binding {
	return binding{claim: told.Claim, signature: told.Signature, request: told.Request, text: told.Text}
}

func (j Judgement) bindingOf(d approvals.Verdict) binding {
	b := binding{claim: d.Claim, signature: d.Signature, request: j.answers(d)}
	if d.Signature != "" {
		b.text = plan.Sum([]byte(d.Evidence))
	}
	return b
}

// answers is the name under which was asked anew what an accepted word answers; ""
// when it was not.
func (j Judgement) answers(d approvals.Verdict) string {
	at := slices.IndexFunc(j.Waiting, func(w approvals.InDoubt) bool { return w.ActionID == d.ActionID })
	if at < 0 || d.Outcome != approvals.NotHappened {
		return ""
	}
	return j.Waiting[at].Request
}

// anyResolution looks for an accepted word about an action.
func (v *verifier) anyResolution(hash plan.Digest, actionID string, fits func(Judgement, approvals.Verdict) bool) bool {
	for _, j := range v.content.Judgements {
		for _, w := range j.Words {
			d := w.Verdict
			accepted := j.About == AboutEffect && d.Code == approvals.Accepted && !w.Overtaken
			if accepted && d.PlanHash == hash.String() && d.ActionID == actionID && fits(j, d) {
				return true
			}
		}
	}
	return false
}

// late says that a signature is by one of the verifier's keys of that name and was
// made when the key was not valid, or not any more; nil when it does not.
func (v *verifier) late(name string, statement []byte, w Word) error {
	if _, err := v.options.verify(name, statement, w.Verdict.Signature, w.ReadAt); errors.Is(err, signature.ErrOutOfTime) {
		return err
	}
	return nil
}

// refused reports an accepted word that changed nothing: whoever was to record it
// did not take it, and what the ledger said then was not that its action is done.
// A run goes by what it has heard of a policy, and hears of a key that was retired
// by such a refusal.
func (v *verifier) refused(j Judgement, hash plan.Digest, w Word) bool {
	told := false
	for _, t := range v.tries(hash, w.Verdict.ActionID) {
		if t.Word == nil || !t.tells(j, w.Verdict) {
			continue
		}
		s := t.Settled
		if s == nil || s.Wait == 0 && s.Refused == "" || s.Standing == workflows.StandingDone {
			return false
		}
		told = told || s.Refused != ""
	}
	return told
}
