package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
)

// demand is what a rule, or the default, asks for an action. Two demands are
// combined by and; nothing else decides what is stricter.
type demand struct {
	nobody       bool           // approval: none; then only grantLife and resolvers say something
	quorums      map[string]int // how many of which group
	shared       bool           // one person may count for several quorums
	decideWithin time.Duration
	grantLife    time.Duration
	proof        approvals.Proof
	selfApproval bool // the requester may approve
	confirm      bool // the action needs a word of its own before it is sent
	askAgain     int
	remindAfter  []time.Duration // rising, at most maxReminders
	// resolvers are groups, sorted: whoever is in all of them may resolve. When
	// none is named, the members of the quorums' groups may.
	resolvers []string
}

// and returns the stricter of both, aspect by aspect. It does not matter which
// comes first, or how many are combined in which order, or one twice.
func (d demand) and(o demand) demand {
	if d.nobody && !o.nobody {
		d, o = o, d
	}
	d.grantLife = min(d.grantLife, o.grantLife)
	d.resolvers = union(d.resolvers, o.resolvers)
	if o.nobody {
		return d
	}
	quorums := maps.Clone(d.quorums)
	for group, need := range o.quorums {
		quorums[group] = max(quorums[group], need)
	}
	d.quorums = quorums
	d.shared = d.shared && o.shared
	d.decideWithin = min(d.decideWithin, o.decideWithin)
	if o.proof == approvals.BySignature {
		d.proof = o.proof
	}
	d.selfApproval = d.selfApproval && o.selfApproval
	d.confirm = d.confirm || o.confirm
	d.askAgain = min(d.askAgain, o.askAgain)
	// The earliest of the earliest: those beyond the bound cannot come back in.
	d.remindAfter = union(d.remindAfter, o.remindAfter)
	d.remindAfter = d.remindAfter[:min(len(d.remindAfter), maxReminders)]
	return d
}

// reminders are those that come while there is still time to decide.
func (d demand) reminders() []time.Duration {
	var before []time.Duration
	for _, at := range d.remindAfter {
		if at < d.decideWithin {
			before = append(before, at)
		}
	}
	return before
}

// String says for people what is asked.
func (d demand) String() string {
	if d.nobody {
		return "nobody"
	}
	text := strings.Join(d.quorumTexts(), " and ")
	if d.proof == approvals.BySignature {
		text += ", signature"
	}
	if d.confirm {
		text += ", a word before it is sent"
	}
	return text
}

// quorumTexts are the quorums as a file has them, by group.
func (d demand) quorumTexts() []string {
	texts := make([]string, 0, len(d.quorums))
	for _, group := range slices.Sorted(maps.Keys(d.quorums)) {
		texts = append(texts, fmt.Sprintf("%d of %s", d.quorums[group], group))
	}
	return texts
}

// union merges two sorted lists into one of different values.
func union[T ~string | ~int64](a, b []T) []T {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return slices.Compact(both)
}
