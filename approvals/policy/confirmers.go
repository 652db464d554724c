package policy

import (
	"maps"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/approvals"
)

// confirming are the groups whose people may let an action go: those of the
// quorums of the rules that match it and want a word of its own. Whoever is asked
// because of another action, or by a rule that wants no such word, may not.
func confirming(demands []demand) []string {
	var groups []string
	for _, d := range demands {
		if d.confirm {
			groups = union(groups, slices.Sorted(maps.Keys(d.quorums)))
		}
	}
	return groups
}

// confirmers finds out who may let each action go that must be confirmed. Actions
// with the same people stand together. Those that everybody who is asked about the
// plan may let go are left out.
func (e *evaluation) confirmers(everybody []string) []approvals.Confirmers {
	var all []approvals.Confirmers
	places := map[string]int{} // by the people
	for _, a := range e.asked {
		if !a.confirm {
			continue
		}
		var members []string
		for _, name := range a.confirmers {
			members = union(members, e.policy.groups[name].members)
		}
		if slices.Equal(members, everybody) {
			continue
		}
		key := strings.Join(members, " ")
		place, known := places[key]
		if !known {
			place = len(all)
			places[key], all = place, append(all, approvals.Confirmers{Members: members})
		}
		all[place].Actions = append(all[place].Actions, a.id)
	}
	slices.SortFunc(all, func(a, b approvals.Confirmers) int { return slices.Compare(a.Members, b.Members) })
	return all
}
