package policy

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// Limits of a policy. Its periods are whole seconds, above 0 and up to
// approvals.MaxPeriod.
const (
	maxFileBytes = 256 << 10 // a policy file
	maxNames     = 100       // in one group
	maxGroups    = 50
	maxKeys      = 20 // of one person
	maxRules     = 200
	maxReminders = 10 // of one opening of the gate
	maxAskAgain  = 10 // as often as a run goes back to its gate at all

	maxNameBytes  = 64      // of a label, and of the name of a group, rule or tenant
	maxMatchBytes = 4 << 10 // of one match
	// maxCanonicalBytes leaves room for every rule to say what it took from the
	// default, and for the keys.
	maxCanonicalBytes = 4 << 20
)

// Policy is a policy file that was read and found sound. It is a value of its
// canonical bytes: two policies with one Version are one policy. It does not
// change, and may be used by several goroutines.
type Policy struct {
	label     string
	groups    map[string]group
	keys      map[string][]signature.Key // of the members of groups, by name, sorted
	aliases   []signature.Alias          // by which the same keys sign for others, sorted
	fallback  demand                     // of an action that no rule matches
	rules     []rule                     // by name
	canonical []byte
	unused    []UnusedKey
}

// UnusedKey is a line of the allowed signers whose key signs nothing under the
// policy.
type UnusedKey struct {
	Place  string `json:"place"` // file:line
	Reason string `json:"reason"`
}

// group is people who count for the same quorums.
type group struct {
	members []string // normalized, sorted, different
	tenants []string // sorted; none: it counts for the runs of all
}

func (g group) countsFor(tenant string) bool {
	return len(g.tenants) == 0 || slices.Contains(g.tenants, tenant)
}

// rule is a demand for the actions that it matches.
type rule struct {
	name  string
	match *match
	demand
}

// Label is the policy's name for people.
func (p *Policy) Label() string { return p.label }

// Version returns label@digest, where digest is that of Canonical: the
// approval_policy_version of a grant.
func (p *Policy) Version() string {
	return p.label + "@" + plan.Sum(p.canonical).String()
}

// Canonical returns the policy in its one form: a policy file, written as JSON
// in the form of RFC 8785. Everything that a rule takes from the default is
// written out, names and rules are sorted, and the keys of members stand in
// allowed_signers. So the order of a file, its comments, its way to write a
// period, keys of strangers, and whether a default is said or left out do not
// matter, and everything else does.
func (p *Policy) Canonical() []byte { return slices.Clone(p.canonical) }

// SharedKey is one key that several people have, as under a name with a wildcard.
type SharedKey struct {
	Fingerprint string `json:"fingerprint"`
	// People are members of groups, and then names and patterns of others.
	People []string `json:"people"`
}

// SharedKeys are the keys that do not tell one person from another. Whoever holds
// one can sign in the name of each, but counts once, and not for what one of them
// has asked for: see approvals.Judge.
func (p *Policy) SharedKeys() []SharedKey {
	people := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(p.keys)) {
		for _, key := range p.keys[name] {
			people[signature.Fingerprint(key)] = append(people[signature.Fingerprint(key)], name)
		}
	}
	for _, a := range p.aliases {
		fingerprint := signature.Fingerprint(a.Key)
		people[fingerprint] = append(people[fingerprint], a.Names())
	}
	var shared []SharedKey
	for _, fingerprint := range slices.Sorted(maps.Keys(people)) {
		if names := slices.Compact(people[fingerprint]); len(names) > 1 {
			shared = append(shared, SharedKey{Fingerprint: fingerprint, People: names})
		}
	}
	return shared
}

// UnusedKeys are the lines of the allowed signers that the policy leaves out, in
// their order, for whoever misses one. They are no part of it: two policies of
// one Version may have read different ones.
func (p *Policy) UnusedKeys() []UnusedKey { return slices.Clone(p.unused) }

// Simple is a policy of one group, "approvers", of whom one suffices, by claim:
// what the short form of a file says. Names may be written as people write them,
// in any order.
func Simple(label string, names []string, decideWithin, grantLife time.Duration) (*Policy, error) {
	if err := checkName(label); err != nil {
		return nil, fmt.Errorf("label %w", err)
	}
	var members []string
	for _, name := range names {
		var err error
		if members, err = addPerson(members, name); err != nil {
			return nil, fmt.Errorf("approvers: %w", err)
		}
	}
	if err := checkCount(members); err != nil {
		return nil, fmt.Errorf("approvers %w", err)
	}
	slices.Sort(members)
	if err := checkPeriod(decideWithin); err != nil {
		return nil, fmt.Errorf("decide_within %w", err)
	}
	if err := checkPeriod(grantLife); err != nil {
		return nil, fmt.Errorf("grant_life %w", err)
	}
	p := &Policy{
		label:    label,
		groups:   map[string]group{shortGroup: {members: members}},
		fallback: demand{quorums: map[string]int{shortGroup: 1}, decideWithin: decideWithin, grantLife: grantLife, proof: approvals.ByClaim},
	}
	return p.sealed()
}
