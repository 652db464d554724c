package interleave

import (
	"fmt"
	"slices"
	"strings"
)

// house is a policy as a person would say it: what the YAML for the product and
// the model's own judgement are both made from.
type house struct {
	name     string
	editors  int  // how many of the editors
	security int  // and of security
	shared   bool // one person counts for both groups, of which each needs one
	signed   bool
	confirm  int // larger amounts need a word of their own; 0: none
	free     int // smaller amounts need nobody; 0: none
	decide   int // seconds
	life     int // seconds
	askAgain int
	gone     string // who has left the groups
	noKey    string // whose key was taken away
}

// The people. Tom is in both groups, and Mei starts runs herself.
var (
	editors    = []string{"mei.chen", "tom.baker"}
	guards     = []string{"bo.lin", "cy.ma", "eve.li", "tom.baker"}
	requesters = []string{"ann.wu", "mei.chen"}
	stranger   = "dee.ray"
)

// houses are the policies between which an operator changes.
var houses = []house{
	{name: "one", editors: 1, decide: 8, life: 5},
	{name: "two", editors: 1, security: 1, decide: 8, life: 6},
	{name: "three", editors: 1, security: 2, decide: 8, life: 6, askAgain: 1},
	{name: "shared", editors: 1, security: 1, shared: true, decide: 6, life: 4},
	{name: "signed", security: 1, signed: true, decide: 8, life: 5, askAgain: 1},
	{name: "signed-by-both", editors: 1, security: 1, signed: true, decide: 8, life: 5, askAgain: 1},
	{name: "signed-without-a-key", security: 1, signed: true, noKey: "bo.lin", decide: 6, life: 4},
	{name: "careful", editors: 1, confirm: 50, decide: 6, life: 6},
	{name: "without-cy", editors: 1, security: 1, gone: "cy.ma", decide: 6, life: 6},
	{name: "without-mei", editors: 1, gone: "mei.chen", decide: 6, life: 3},
	{name: "small-is-free", security: 1, free: 20, decide: 5, life: 3},
	{name: "short", editors: 1, decide: 2, life: 1, askAgain: 2},
}

func houseOf(name string) (house, bool) {
	i := slices.IndexFunc(houses, func(h house) bool { return h.name == name })
	if i < 0 {
		return house{}, false
	}
	return houses[i], true
}

func (h house) members(group []string) []string {
	return slices.DeleteFunc(slices.Clone(group), func(name string) bool { return name == h.gone })
}

// seats are the places to fill, each with those who may fill it.
func (h house) seats() [][]string {
	var seats [][]string
	for range h.editors {
		seats = append(seats, h.members(editors))
	}
	for range h.security {
		seats = append(seats, h.members(guards))
	}
	return seats
}

// yaml is the policy for the product.
func (h house) yaml() string {
	var b strings.Builder
	fmt.Fprintf(&b, "label: %s\ngroups:\n  editors: {members: [%s]}\n  security: {members: [%s]}\n", h.name,
		strings.Join(h.members(editors), ", "), strings.Join(h.members(guards), ", "))
	keys := "keys"
	if h.noKey != "" {
		keys += " without " + h.noKey
	}
	fmt.Fprintf(&b, "allowed_signers_file: %s\ndefault:\n  quorums: [", keys)
	var quorums []string
	if h.editors > 0 {
		quorums = append(quorums, fmt.Sprintf("%d of editors", h.editors))
	}
	if h.security > 0 {
		quorums = append(quorums, fmt.Sprintf("%d of security", h.security))
	}
	fmt.Fprintf(&b, "%s]\n  shared: %t\n  decide_within: %ds\n  grant_life: %ds\n  ask_again: %d\n  resolvers: security\n",
		strings.Join(quorums, ", "), h.shared, h.decide, h.life, h.askAgain)
	if h.signed {
		b.WriteString("  proof: signature\n")
	}
	if h.confirm > 0 {
		fmt.Fprintf(&b, "rules:\n  - {name: large, match: parameters.amount > %d, confirm: true}\n", h.confirm)
	}
	if h.free > 0 {
		fmt.Fprintf(&b, "rules:\n  - {name: small, match: parameters.amount < %d, approval: none}\n", h.free)
	}
	return b.String()
}
