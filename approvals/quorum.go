package approvals

import (
	"slices"
	"strings"
)

// seats is who counts for which quorum.
type seats struct {
	terms Terms
	taken [][]string // for each quorum, the people who count for it, in the order in which they came
}

// seat gives each of these people a place, so that as many places as possible
// are filled: a person who is in two groups counts for the one that needs her,
// whoever came first. It is a matching of people and places, found by
// augmenting paths; names that are in no group get none.
func (t Terms) seat(names []string) seats {
	s := seats{terms: t, taken: make([][]string, len(t.Quorums))}
	for i, name := range names {
		switch {
		case slices.Contains(names[:i], name): // a person counts once
		case t.Shared:
			s.shared(name)
		default:
			s.place(name, make([]bool, len(t.Quorums)))
		}
	}
	return s
}

// shared counts a person for every quorum that she may count for.
func (s seats) shared(name string) {
	for i, q := range s.terms.Quorums {
		if slices.Contains(q.Members, name) {
			s.taken[i] = append(s.taken[i], name)
		}
	}
}

// place finds a place for a person, if need be by moving others. tried are the
// quorums at which nobody could be moved.
func (s seats) place(name string, tried []bool) bool {
	for i, q := range s.terms.Quorums {
		if len(s.taken[i]) < q.Need && !tried[i] && slices.Contains(q.Members, name) {
			s.taken[i] = append(s.taken[i], name)
			return true
		}
	}
	for i, q := range s.terms.Quorums {
		if tried[i] || !slices.Contains(q.Members, name) {
			continue
		}
		tried[i] = true
		for j, holder := range s.taken[i] {
			if s.move(holder, i, tried) {
				s.taken[i][j] = name
				return true
			}
		}
	}
	return false
}

// move finds another place for someone who has one at from.
func (s seats) move(holder string, from int, tried []bool) bool {
	held := s.taken[from]
	s.taken[from] = without(held, holder)
	if moved := s.place(holder, tried); moved {
		s.taken[from] = held // her place there is given to whoever asked
		return true
	}
	s.taken[from] = held
	return false
}

func without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

// missing counts the empty places of each quorum.
func (s seats) missing() []int {
	counts := make([]int, len(s.terms.Quorums))
	for i, q := range s.terms.Quorums {
		counts[i] = max(0, q.Need-len(s.taken[i]))
	}
	return counts
}

// groups names the quorums that a person counts for; "" when none needs her.
func (s seats) groups(name string) string {
	var groups []string
	for i, q := range s.terms.Quorums {
		if slices.Contains(s.taken[i], name) {
			groups = append(groups, q.Group)
		}
	}
	return strings.Join(groups, ", ")
}

// MaxPlaces bounds the people whom one plan's quorums want: a run carries their
// approvals along, signatures and all, and hands them to each action.
const MaxPlaces = 20

// Places counts the people whom the quorums want, all of them together.
func (t Terms) Places() int {
	places := 0
	for _, q := range t.Quorums {
		places += q.Need
	}
	return places
}

// fills reports whether one more approval brings the quorums nearer. One that
// does not now never will: the sets of people who can all have a place are the
// independent sets of a transversal matroid.
func (t Terms) fills(approved []string, name string) bool {
	return t.words(t.seat(approved).missing()) != t.words(t.seat(append(slices.Clone(approved), name)).missing())
}

// Missing says in words who must still approve when these people have, such as
// "1 of security"; "" when nobody. Of the zero Terms, everything is missing.
func (t Terms) Missing(approved []string) string {
	if len(t.Quorums) == 0 && !t.Unattended() {
		return "a policy"
	}
	return t.words(t.seat(approved).missing())
}
