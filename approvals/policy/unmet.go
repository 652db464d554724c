package policy

import (
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// Unmet is a rule whose signatures cannot be had for now.
type Unmet struct {
	Rule    string `json:"rule,omitempty"` // its name; empty: the default
	Missing string `json:"missing"`        // as Terms.Missing says it
}

// UnmetAt are the default and the rules that want signatures and cannot have
// enough of them at a time, because keys of the policy are not valid yet or no
// longer. Such a policy is sound, unlike one whose people have no keys at all, and
// may be met later: a worker takes it, and its runs wait until they expire.
func (p *Policy) UnmetAt(at time.Time) []Unmet {
	var unmet []Unmet
	for _, r := range append([]rule{{demand: p.fallback}}, p.rules...) {
		if r.nobody || r.proof != approvals.BySignature {
			continue
		}
		terms := p.quorumsOf(r.demand)
		if missing := p.missing(terms, p.signingAt(terms.Approvers(), at), r.proof, &at); missing != "" {
			unmet = append(unmet, Unmet{Rule: r.name, Missing: missing})
		}
	}
	return unmet
}

// signingAt are those of the people who have a key that is valid at a time.
func (p *Policy) signingAt(names []string, at time.Time) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(p.keys[name], func(k signature.Key) bool { return k.ValidAt(at) })
	})
}
