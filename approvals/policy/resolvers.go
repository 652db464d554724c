package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// resolvers finds out who may resolve each action. Actions with the same people
// stand together; the most common people are those of all actions that are not
// named.
func (e *evaluation) resolvers() ([]approvals.Resolvers, error) {
	lists := map[string]*approvals.Resolvers{}
	people := map[string][]string{} // by the groups that are asked for
	for _, a := range e.asked {
		groups := strings.Join(a.resolvers, " ") + "/" + strings.Join(slices.Sorted(maps.Keys(a.quorums)), " ")
		members, known := people[groups]
		if !known {
			var err error
			if members, err = e.resolversOf(a); err != nil {
				return nil, err
			}
			people[groups] = members
		}
		key := strings.Join(members, " ")
		if lists[key] == nil {
			lists[key] = &approvals.Resolvers{Members: members}
		}
		lists[key].Actions = append(lists[key].Actions, a.id)
	}
	// The fewest actions first, so that the last entry is the most common one.
	sorted := slices.SortedFunc(maps.Values(lists), func(a, b *approvals.Resolvers) int {
		return cmp.Or(cmp.Compare(len(a.Actions), len(b.Actions)), slices.Compare(a.Members, b.Members))
	})
	sorted[len(sorted)-1].Actions = nil
	all := make([]approvals.Resolvers, len(sorted))
	for i, r := range sorted {
		all[i] = *r
	}
	return all, nil
}

// resolversOf are those who are in every group of resolvers that the action's
// rules name, or else whoever may approve it.
func (e *evaluation) resolversOf(a askedAction) ([]string, error) {
	members, err := e.common(a)
	if err != nil {
		return nil, err
	}
	switch {
	case len(members) == 0 && len(a.resolvers) == 0:
		return nil, fmt.Errorf("nobody may resolve action %s: the groups of the default do not count for runs of %s; name resolvers of that tenant in %s",
			plan.Escape(a.id), plan.Escape(e.plan.Tenant), strings.Join(a.rules, ", "))
	case len(members) == 0:
		return nil, fmt.Errorf("nobody may resolve action %s: no one is in all the groups (%s) that are the resolvers of %s; "+
			"let these rules name resolvers in common",
			plan.Escape(a.id), strings.Join(a.resolvers, ", "), strings.Join(a.rules, ", "))
	case len(e.able(members, false)) == 0:
		return nil, fmt.Errorf("nobody may resolve action %s: of %s, %s requested the run, "+
			"and where signatures are wanted only people with a key count; name more resolvers in %s",
			plan.Escape(a.id), strings.Join(members, ", "), e.requester, strings.Join(a.rules, ", "))
	}
	return members, nil
}

func (e *evaluation) common(a askedAction) ([]string, error) {
	if len(a.resolvers) == 0 {
		return e.approversOf(a.demand), nil
	}
	var members []string
	for i, name := range a.resolvers {
		g := e.policy.groups[name]
		if !g.countsFor(e.plan.Tenant) {
			return nil, fmt.Errorf("the resolvers of action %s are %s, which counts only for runs of %s; this run is of %s: "+
				"name resolvers of that tenant in %s",
				plan.Escape(a.id), name, strings.Join(g.tenants, ", "), plan.Escape(e.plan.Tenant), strings.Join(a.rules, ", "))
		}
		if i == 0 {
			members = slices.Clone(g.members)
			continue
		}
		members = slices.DeleteFunc(members, func(member string) bool { return !slices.Contains(g.members, member) })
	}
	return members, nil
}

// approversOf are the members of the groups that a demand asks, or that the
// default would. Those that do not count for the plan's tenant have none.
func (e *evaluation) approversOf(d demand) []string {
	quorums := d.quorums
	if d.nobody {
		quorums = e.policy.fallback.quorums
	}
	var members []string
	for name := range quorums {
		if g := e.policy.groups[name]; g.countsFor(e.plan.Tenant) {
			members = union(members, g.members)
		}
	}
	return members
}
