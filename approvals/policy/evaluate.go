package policy

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// Evaluate returns what the policy asks for a plan that requester wants: the
// strictest of what it asks for each action that is not done. The terms name
// every member of the groups they ask, also the requester; whether she counts
// is the judge's question.
//
// It is an error when a rule cannot be evaluated for an action, when the plan
// has nothing left to do, and when the terms could not be met: a needed group
// does not count for the plan's tenant, too few people who are not the requester
// (unless she may approve), or have a key where signatures are wanted, are left
// to fill the quorums, or nobody could resolve an action. The text says what to
// change; it quotes no parameters but what CEL says of them.
func (p *Policy) Evaluate(pl plan.Plan, requester string) (approvals.Terms, error) {
	name, err := approvals.NormalizeIdentity(requester)
	if err != nil {
		return approvals.Terms{}, fmt.Errorf("the requester cannot be told apart from the approvers: %w", err)
	}
	e := newEvaluation(p, pl, name, maxPlanCost)
	if err := e.ask(); err != nil {
		return approvals.Terms{}, err
	}
	return e.terms()
}

// evaluation is one policy and one plan.
type evaluation struct {
	policy    *Policy
	plan      plan.Plan
	requester string

	budget   uint64              // what evaluating the rules may still cost
	combined map[string]combined // by which rules match; plans have many actions of few kinds
	whole    demand              // of all actions together
	asked    []askedAction       // those to be done, in the plan's order
	reasons  map[reason]int      // for how many actions
}

// newEvaluation begins an evaluation that may cost so much.
func newEvaluation(p *Policy, pl plan.Plan, requester string, budget uint64) *evaluation {
	return &evaluation{
		policy: p, plan: pl, requester: requester, budget: budget, combined: map[string]combined{}, reasons: map[reason]int{},
	}
}

// combined is what several rules ask for together, and each of them.
type combined struct {
	demand
	confirmers []string // groups
	rules      []string
	reasons    []reason
}

// askedAction is what is asked for one action, and by which rules.
type askedAction struct {
	id         string
	rules      []string
	confirmers []string // groups, where it needs a word of its own
	demand
}

// reason is what one rule asks. A rule that asks nobody asks as the default
// does for an action that replaces something.
type reason struct{ rule, asks string }

// ask evaluates the rules for every action that is not done.
func (e *evaluation) ask() error {
	for _, action := range e.plan.Actions {
		if action.Done != nil {
			continue
		}
		matching, err := e.matching(action)
		if err != nil {
			return err
		}
		c := e.combine(matching, action.Replaces != "")
		for _, r := range c.reasons {
			e.reasons[r]++
		}
		e.asked = append(e.asked, askedAction{id: action.ID, rules: c.rules, confirmers: c.confirmers, demand: c.demand})
	}
	if len(e.asked) == 0 {
		return errors.New("every action of the plan is done already; there is nothing to approve")
	}
	e.whole = e.asked[0].demand
	for _, c := range e.combined {
		e.whole = e.whole.and(c.demand)
	}
	return nil
}

// combine is the strictest of what rules ask for one action.
func (e *evaluation) combine(matching []rule, replaces bool) combined {
	var c combined
	for _, r := range matching {
		c.rules = append(c.rules, r.name)
	}
	key := strings.Join(c.rules, " ") + "/" + strconv.FormatBool(replaces)
	if known, ok := e.combined[key]; ok {
		return known
	}
	demands := make([]demand, 0, len(matching))
	for i, r := range matching {
		if r.nobody && replaces {
			r.demand = e.policy.replacing(r.demand)
		}
		demands = append(demands, r.demand)
		c.reasons = append(c.reasons, reason{rule: r.name, asks: r.demand.String()})
		if i == 0 {
			c.demand = r.demand
		} else {
			c.demand = c.and(r.demand)
		}
	}
	c.confirmers = confirming(demands)
	e.combined[key] = c
	return c
}

// matching are the rules that match an action, or the default alone.
func (e *evaluation) matching(action plan.Action) ([]rule, error) {
	var found []rule
	var vars map[string]any
	for i, r := range e.policy.rules {
		if i == 0 {
			var err error
			if vars, err = variables(e.plan, action, e.requester); err != nil {
				return nil, fmt.Errorf("action %s: %w", plan.Escape(action.ID), err)
			}
		}
		yes, cost, err := r.match.matches(vars)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the rule %s cannot be evaluated for action %s (%s): %w; where a parameter may be absent, "+
				"the rule must ask first, as in has(parameters.amount) && parameters.amount > 1000",
				r.name, plan.Escape(action.ID), plan.Escape(action.Tool), err)
		case cost > e.budget:
			return nil, fmt.Errorf("the rules of the policy %s cost too much to evaluate for this plan, at rule %s and action %s; "+
				"simplify those that go through lists", e.policy.label, r.name, plan.Escape(action.ID))
		case yes:
			found = append(found, r)
		}
		e.budget -= cost
	}
	if len(found) == 0 {
		found = []rule{{name: fallbackName, demand: e.policy.fallback}}
	}
	return found, nil
}

// replacing is what a rule that asks nobody asks for an action that replaces
// something: what the default does, within the rule's own life and resolvers.
func (p *Policy) replacing(silent demand) demand {
	d := p.fallback
	d.grantLife, d.resolvers = silent.grantLife, silent.resolvers
	return d
}

// terms writes down what is asked, and checks that it can be met.
func (e *evaluation) terms() (approvals.Terms, error) {
	t := e.policy.quorumsOf(e.whole)
	t.Label, t.Version = e.policy.label, e.policy.Version()
	t.DecideWithin, t.GrantLife = e.whole.decideWithin, e.whole.grantLife
	t.AskAgain, t.RemindAfter = e.whole.askAgain, e.whole.reminders()
	t.Proof, t.SelfApproval = e.whole.proof, e.whole.selfApproval
	t.Reasons = e.written()
	for _, a := range e.asked {
		if a.confirm {
			t.Confirm = append(t.Confirm, a.id)
		}
		if e.whole.nobody {
			t.ByPolicy = union(t.ByPolicy, a.rules)
		}
	}
	t.Confirmers = e.confirmers(t.Approvers())
	if err := e.checkMet(t); err != nil {
		return approvals.Terms{}, err
	}
	var err error
	if t.Resolvers, err = e.resolvers(); err != nil {
		return approvals.Terms{}, err
	}
	t.Signers = e.policy.signersOf(t, e.requester)
	return t, nil
}

// written are the reasons by rule, with the default last.
func (e *evaluation) written() []approvals.Reason {
	list := make([]approvals.Reason, 0, len(e.reasons))
	for r, actions := range e.reasons {
		list = append(list, approvals.Reason{Rule: r.rule, Actions: actions, Asks: r.asks})
	}
	slices.SortFunc(list, func(a, b approvals.Reason) int {
		switch {
		case a.Rule == b.Rule:
			return strings.Compare(a.Asks, b.Asks)
		case a.Rule == fallbackName:
			return 1
		case b.Rule == fallbackName:
			return -1
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	return list
}

// checkMet refuses terms that would still not be met if everybody approved who
// may.
func (e *evaluation) checkMet(t approvals.Terms) error {
	if e.whole.nobody {
		return nil
	}
	for _, q := range t.Quorums {
		if g := e.policy.groups[q.Group]; !g.countsFor(e.plan.Tenant) {
			return fmt.Errorf("the policy %s asks %s, which counts only for runs of %s; this run is of %s: "+
				"let the rules ask a group of that tenant, or give %s the tenant",
				t.Label, q.Group, strings.Join(g.tenants, ", "), plan.Escape(e.plan.Tenant), q.Group)
		}
	}
	if places := t.Places(); places > approvals.MaxPlaces {
		return fmt.Errorf("the policy %s asks %d people about this plan (%s); at most %d are possible", t.Label, places, t.Asks(), approvals.MaxPlaces)
	}
	may := e.able(t.Approvers(), t.SelfApproval)
	missing := e.policy.missing(t, may, e.whole.proof, nil)
	if missing == "" {
		return nil
	}
	if len(may) == 0 {
		return fmt.Errorf("nobody may approve this plan: the policy %s asks %s%s", t.Label, t.Asks(), e.leftOut())
	}
	return fmt.Errorf("too few may approve this plan: the policy %s asks %s, and if everybody did who may (%s), %s would still be missing%s",
		t.Label, t.Asks(), strings.Join(may, ", "), missing, e.leftOut())
}

// leftOut says why members of the groups may not count, and what to change.
func (e *evaluation) leftOut() string {
	text := ""
	if !e.whole.selfApproval {
		text += "; " + e.requester + " requested the run and does not count"
	}
	if e.whole.proof == approvals.BySignature {
		text += "; only people with a key among the allowed signers count, and those who share their keys count for one"
	}
	return text + ". Add people to the groups, or keys, or let somebody else request the run"
}

// able leaves out the requester, unless she counts, and where signatures are
// wanted everybody without a key that is not the requester's too.
func (e *evaluation) able(names []string, self bool) []string {
	if e.whole.proof == approvals.BySignature {
		names = e.policy.withKeys(names)
		hers := fingerprints(e.policy.keysOf(e.requester))
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return name != e.requester && within(fingerprints(e.policy.keys[name]), hers)
		})
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == e.requester && !self })
}

// signersOf are the keys of everybody whom the terms name, and the requester's as
// far as the policy knows her: a key of hers under another's name is hers.
func (p *Policy) signersOf(t approvals.Terms, requester string) []signature.Key {
	names := t.Approvers()
	for _, r := range t.Resolvers {
		names = union(names, r.Members)
	}
	if !slices.Contains(names, requester) {
		names = append(names, requester)
	}
	var keys []signature.Key
	for _, name := range names {
		keys = append(keys, p.keysOf(name)...)
	}
	return keys
}

// keysOf are the keys of one person, also those under which she is listed elsewhere.
func (p *Policy) keysOf(name string) []signature.Key {
	keys := slices.Clone(p.keys[name])
	for _, a := range p.aliases {
		keys = append(keys, a.KeysOf(name)...)
	}
	return slices.Compact(sortedKeys(keys))
}
