package policy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// document is the policy file that Canonical writes.
type document struct {
	AllowedSigners string                   `json:"allowed_signers,omitempty"`
	Default        demandDocument           `json:"default"`
	Groups         map[string]groupDocument `json:"groups"`
	Label          string                   `json:"label"`
	Rules          []any                    `json:"rules,omitempty"`
}

type groupDocument struct {
	Members []string `json:"members"`
	Tenants []string `json:"tenants,omitempty"`
}

type demandDocument struct {
	Quorums             []string        `json:"quorums"`
	Shared              bool            `json:"shared"`
	DecideWithin        string          `json:"decide_within"`
	GrantLife           string          `json:"grant_life"`
	Proof               approvals.Proof `json:"proof"`
	RequesterMayApprove bool            `json:"requester_may_approve"`
	Confirm             bool            `json:"confirm"`
	AskAgain            int             `json:"ask_again"`
	RemindAfter         []string        `json:"remind_after"`
	Resolvers           string          `json:"resolvers,omitempty"`
}

// askingRule is a rule that asks people, silentRule one that asks nobody.
type askingRule struct {
	Name  string `json:"name"`
	Match string `json:"match"`
	demandDocument
}

type silentRule struct {
	Name      string `json:"name"`
	Match     string `json:"match"`
	Approval  string `json:"approval"`
	GrantLife string `json:"grant_life"`
	Resolvers string `json:"resolvers,omitempty"`
}

// sealed fixes the policy's canonical bytes, when all else is read.
func (p *Policy) sealed() (*Policy, error) {
	written := document{
		AllowedSigners: p.signerLines(),
		Default:        p.fallback.document(),
		Groups:         map[string]groupDocument{},
		Label:          p.label,
	}
	for name, g := range p.groups {
		written.Groups[name] = groupDocument{Members: g.members, Tenants: g.tenants}
	}
	for _, r := range p.rules {
		written.Rules = append(written.Rules, r.document())
	}
	marshaled, err := json.Marshal(written)
	if err != nil {
		return nil, err
	}
	if p.canonical, err = plan.Canonicalize(marshaled); err != nil {
		return nil, err
	}
	if len(p.canonical) > maxCanonicalBytes {
		return nil, fmt.Errorf("the policy has %d bytes in its canonical form; at most %d are allowed", len(p.canonical), maxCanonicalBytes)
	}
	return p, nil
}

func (r rule) document() any {
	if r.nobody {
		return silentRule{
			Name: r.name, Match: r.match.source, Approval: "none",
			GrantLife: r.grantLife.String(), Resolvers: strings.Join(r.resolvers, ""),
		}
	}
	return askingRule{Name: r.name, Match: r.match.source, demandDocument: r.demand.document()}
}

// document writes the demand of one rule, which names at most one group of
// resolvers.
func (d demand) document() demandDocument {
	after := []string{}
	for _, at := range d.remindAfter {
		after = append(after, at.String())
	}
	return demandDocument{
		Quorums:             d.quorumTexts(),
		Shared:              d.shared,
		DecideWithin:        d.decideWithin.String(),
		GrantLife:           d.grantLife.String(),
		Proof:               d.proof,
		RequesterMayApprove: d.selfApproval,
		Confirm:             d.confirm,
		AskAgain:            d.askAgain,
		RemindAfter:         after,
		Resolvers:           strings.Join(d.resolvers, ""),
	}
}

// signerLines writes the members' keys as an allowed_signers file, by name, and
// then under which other names these keys stand.
func (p *Policy) signerLines() string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.keys)) {
		for _, key := range p.keys[name] {
			writeSigner(&lines, name, key)
		}
	}
	for _, a := range p.aliases {
		writeSigner(&lines, aliasNames(a), a.Key)
	}
	return lines.String()
}

// writeSigner writes one line. Of a key that is listed elsewhere it matters only
// that it is not listed here.
func writeSigner(lines *strings.Builder, names string, key signature.Key) {
	namespaces := signature.Namespace
	if key.Elsewhere {
		namespaces = "!" + signature.Namespace
	}
	fmt.Fprintf(lines, "%s namespaces=%q", names, namespaces)
	writeBound(lines, "valid-after", key.ValidAfter)
	writeBound(lines, "valid-before", key.ValidBefore)
	fmt.Fprintf(lines, " %s\n", key.Public)
}

// aliasNames are an alias's names as a line begins with them: in double quotes
// where the line would be read otherwise without. A name in a list may hold blanks,
// and after a # at its beginning a line is a comment.
func aliasNames(a signature.Alias) string {
	names := a.Names()
	if !strings.ContainsAny(names, " \t\r") && !strings.HasPrefix(names, "#") {
		return names
	}
	return `"` + names + `"`
}

// sortedAliases are different aliases in an order that the file's does not change.
func sortedAliases(aliases []signature.Alias) []signature.Alias {
	compare := func(a, b signature.Alias) int {
		return cmp.Or(strings.Compare(a.Names(), b.Names()), compareKeys(a.Key, b.Key))
	}
	slices.SortFunc(aliases, compare)
	return slices.CompactFunc(aliases, func(a, b signature.Alias) bool { return compare(a, b) == 0 })
}

func writeBound(line *strings.Builder, option string, at time.Time) {
	if !at.IsZero() {
		fmt.Fprintf(line, ",%s=%q", option, at.UTC().Format("20060102150405Z"))
	}
}

// sortedKeys are one person's keys in an order that the file's does not change.
func sortedKeys(keys []signature.Key) []signature.Key {
	return slices.SortedFunc(slices.Values(keys), compareKeys)
}

func compareKeys(a, b signature.Key) int {
	elsewhere := func(k signature.Key) int {
		if k.Elsewhere {
			return 1
		}
		return 0
	}
	return cmp.Or(strings.Compare(a.Public, b.Public), a.ValidAfter.Compare(b.ValidAfter), a.ValidBefore.Compare(b.ValidBefore),
		cmp.Compare(elsewhere(a), elsewhere(b)))
}

// checked refuses a policy whose canonical bytes do not say what it says: no one
// who has only those could evaluate it, or verify what was decided under it.
func (p *Policy) checked() error {
	again, err := FromCanonical(p.canonical)
	switch {
	case err != nil:
		return fmt.Errorf("the policy cannot be read again from its canonical form (%w); write it another way, "+
			"for example the names of the allowed signers without quotes", err)
	case again.Version() != p.Version():
		return errors.New("the policy read again from its canonical form is another one; write the names of the allowed signers another way")
	default:
		return nil
	}
}

// FromCanonical reads what Canonical wrote, as strictly as any policy file, and
// refuses bytes that are not the canonical form of what they say. So the policy
// has the Version that the bytes have.
func FromCanonical(raw []byte) (*Policy, error) {
	p, err := parse(raw, source{name: "policy"}, maxCanonicalBytes, nil)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(p.canonical, raw) {
		return nil, errors.New("the bytes are not a policy in its canonical form")
	}
	return p, nil
}
