package evidence

import (
	"fmt"
	"strconv"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
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

// tells reports whether the word of a try is that of a verdict, whole. A run that
// continued as new keeps the evidence cut. Versions before words were bound to a
// claim kept neither the claim nor the signature.
func (t Try) tells(d approvals.Verdict) bool {
	told := t.Word
	evidence := told.Evidence == d.Evidence || told.Evidence == plan.Clip(d.Evidence, workflows.MaxShownEvidence)
	unbound := told.Claim == "" && told.Signature == "" && told.Text.IsZero()
	var text plan.Digest
	if d.Signature != "" {
		text = plan.Sum([]byte(d.Evidence))
	}
	bound := told.Claim == d.Claim && told.Signature == d.Signature && told.Text == text
	return d.Claim == strconv.FormatInt(t.Claim, 10) && told.Outcome == d.Outcome && told.Operator == d.Approver &&
		evidence && told.At.Equal(d.At) && told.Via == d.Via && (bound || unbound)
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
