package evidence

import (
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// resolving is by what words about effects were judged, when that is not the
// request's policy: what the worker that settled an action of the plan said of the
// policy of its day. nil is the request's own.
func (v *verifier) resolving(where string, j Judgement, hash plan.Digest) *approvals.Resolving {
	if j.Policy == "" {
		return nil
	}
	for _, a := range v.content.Actions {
		for _, t := range a.Tries {
			if a.PlanHash == hash && t.Settled != nil && t.Settled.Today != nil && t.Settled.Today.Version == j.Policy {
				return t.Settled.Today
			}
		}
	}
	v.bad(where, "it was judged by the policy %s, of which no worker told the run", plan.Escape(j.Policy))
	return nil
}

func verdictsOf(j Judgement) []approvals.Verdict {
	verdicts := make([]approvals.Verdict, len(j.Words))
	for i, w := range j.Words {
		verdicts[i] = w.Verdict
	}
	return verdicts
}
