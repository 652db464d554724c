package evidence

import (
	"fmt"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// PolicyVersions are those of the policies by which anything was judged, each once:
// of the requests, and of what workers told the run while an action was in doubt.
func (c Content) PolicyVersions() []string {
	var versions []string
	seen := map[string]bool{}
	add := func(version string) {
		if !seen[version] {
			seen[version] = true
			versions = append(versions, version)
		}
	}
	for _, r := range c.Requests {
		add(r.Terms.Version)
	}
	for _, a := range c.Actions {
		for _, t := range a.Tries {
			if today := t.today(); today != nil {
				add(today.Version)
			}
		}
	}
	return versions
}

// today is by what the worker of a try said that words are judged; nil is by what
// the run had named.
func (t Try) today() *approvals.Resolving {
	if t.Settled == nil {
		return nil
	}
	return t.Settled.Today
}

// checkToday evaluates anew what workers told the run of the policies of their days.
func (v *verifier) checkToday() {
	for _, a := range v.content.Actions {
		for i, t := range a.Tries {
			today, where := t.today(), fmt.Sprintf("action %s, try %d", plan.Escape(a.ActionID), i)
			if today == nil {
				continue
			}
			terms, known := v.evaluated(where, today.Version, a.PlanHash)
			if known && !same(terms.Resolving(v.task.Requester), today) {
				v.bad(where, "the policy %s judges words about its plan otherwise than it says", plan.Escape(today.Version))
			}
		}
	}
}

// evaluated are the terms of one of the bundle's policies for one of its plans.
func (v *verifier) evaluated(where, version string, hash plan.Digest) (terms approvals.Terms, known bool) {
	p, known := v.Plans[hash]
	if !known {
		v.bad(where, "its plan %s is not there", hash)
		return terms, false
	}
	by := v.policies[version]
	if by == nil {
		v.bad(where, "the policy %s that it was evaluated with is not there", plan.Escape(version))
		return terms, false
	}
	if terms, known = v.terms[version+hash.String()]; known {
		return terms, true
	}
	terms, err := by.Evaluate(p, v.task.Requester)
	if err != nil {
		v.bad(where, "the policy %s cannot be applied to its plan: %v", by.Version(), err)
		return terms, false
	}
	v.terms[version+hash.String()] = terms
	return terms, true
}

// resolving is by what words about effects were judged, when that is not the
// request's policy: what a worker told the run of the policy of its day, which
// checkToday has evaluated anew. nil is the request's own.
func (v *verifier) resolving(where string, j Judgement, hash plan.Digest) *approvals.Resolving {
	if j.Policy == "" {
		return nil
	}
	for _, a := range v.content.Actions {
		for _, t := range a.Tries {
			if today := t.today(); a.PlanHash == hash && today != nil && today.Version == j.Policy {
				return today
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
