package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/policy"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// policyOutput is the JSON form of a policy: its version, the canonical policy
// that the version is of, the keys that were left out, those that stand under
// several names, and the rules that nobody can meet now.
type policyOutput struct {
	Version string             `json:"approval_policy_version"`
	Policy  json.RawMessage    `json:"policy"`
	Unused  []policy.UnusedKey `json:"unused_keys,omitempty"`
	Shared  []policy.SharedKey `json:"shared_keys,omitempty"`
	Unmet   []policy.Unmet     `json:"unmet_now,omitempty"`
}

// canonicalPolicy is what policy.Canonical writes, as far as it is explained.
type canonicalPolicy struct {
	Signers string                    `json:"allowed_signers"`
	Default canonicalRule             `json:"default"`
	Groups  map[string]canonicalGroup `json:"groups"`
	Label   string                    `json:"label"`
	Rules   []canonicalRule           `json:"rules"`
}

type canonicalGroup struct {
	Members []string `json:"members"`
	Tenants []string `json:"tenants"`
}

type canonicalRule struct {
	Name                string          `json:"name"`
	Match               string          `json:"match"`
	Approval            string          `json:"approval"`
	Quorums             []string        `json:"quorums"`
	Shared              bool            `json:"shared"`
	DecideWithin        string          `json:"decide_within"`
	GrantLife           string          `json:"grant_life"`
	Proof               approvals.Proof `json:"proof"`
	RequesterMayApprove bool            `json:"requester_may_approve"`
	Confirm             bool            `json:"confirm"`
	AskAgain            int             `json:"ask_again"`
	RemindAfter         []string        `json:"remind_after"`
	Resolvers           string          `json:"resolvers"`
}

// explain says what a policy means, with everything that its rules take from
// the default, and which of them cannot be met now.
func explain(out io.Writer, p *policy.Policy, now time.Time) error {
	var read canonicalPolicy
	if err := json.Unmarshal(p.Canonical(), &read); err != nil {
		return err
	}
	signers, err := signature.ParseAllowedSigners([]byte(read.Signers))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Policy %s\nversion %s\n", plan.Show(read.Label), p.Version())
	sheet := fields{out}
	for _, name := range slices.Sorted(maps.Keys(read.Groups)) {
		group := read.Groups[name]
		fmt.Fprintf(out, "\nGroup %s\n", plan.Show(name))
		for _, member := range group.Members {
			sheet.whole("member", member+keysText(signers.KeysOf(member)))
		}
		sheet.whole("counts for", tenantsText(group.Tenants))
	}
	for _, r := range read.Rules {
		fmt.Fprintf(out, "\nRule %s\n", plan.Show(r.Name))
		sheet.whole("matches", r.Match)
		explainRule(sheet, r)
	}
	fmt.Fprint(out, "\nDefault, for every action that no rule matches\n")
	explainRule(sheet, read.Default)
	_, err = fmt.Fprint(out, "\nOf rules that match one plan, the strictest counts, aspect by aspect.\n")
	explainUnused(sheet, p.UnusedKeys())
	explainShared(sheet, p.SharedKeys())
	explainUnmet(sheet, p.UnmetAt(now))
	return err
}

// explainUnmet names the rules whose runs would wait for nobody.
func explainUnmet(sheet fields, unmet []policy.Unmet) {
	if len(unmet) == 0 {
		return
	}
	fmt.Fprint(sheet.out, "\nCannot be met now: too few have a key whose time has come and is not over\n")
	for _, u := range unmet {
		sheet.whole("short of", map[bool]string{true: "the default", false: "rule " + u.Rule}[u.Rule == ""]+": "+u.Missing)
	}
}

// explainShared names the keys that do not tell one person from another.
func explainShared(sheet fields, shared []policy.SharedKey) {
	if len(shared) == 0 {
		return
	}
	fmt.Fprint(sheet.out, "\nOne key for several people: a signature with it counts once\n")
	for _, key := range shared {
		sheet.whole("shared", key.Fingerprint+": "+strings.Join(key.People, ", "))
	}
}

// explainUnused names the keys of the file that sign nothing here.
func explainUnused(sheet fields, unused []policy.UnusedKey) {
	if len(unused) == 0 {
		return
	}
	fmt.Fprint(sheet.out, "\nKeys that sign nothing under this policy\n")
	for _, key := range unused {
		sheet.whole("left out", key.Place+": "+key.Reason)
	}
}

func explainRule(sheet fields, r canonicalRule) {
	if r.Approval == "none" {
		sheet.whole("asks", "nobody, unless another rule does, or the action replaces what an earlier version of it did")
		sheet.whole("grant life", periodText(r.GrantLife))
		sheet.whole("resolvers", resolversText(r.Resolvers, "whoever the default asks"))
		return
	}
	sheet.whole("asks", strings.Join(r.Quorums, " and "))
	if len(r.Quorums) > 1 {
		sheet.whole("one person", map[bool]string{true: "may count for several groups", false: "counts for one group"}[r.Shared])
	}
	sheet.whole("proof", string(r.Proof))
	sheet.whole("requester", map[bool]string{true: "may approve, if in a group", false: "may only reject"}[r.RequesterMayApprove])
	if r.Confirm {
		sheet.whole("confirm", "each action needs a word of its own right before it is sent")
	}
	sheet.whole("to decide", periodText(r.DecideWithin)+expiryText(r.AskAgain))
	var reminders []string
	for _, after := range r.RemindAfter {
		reminders = append(reminders, periodText(after))
	}
	sheet.whole("reminded", strings.Join(reminders, ", "))
	sheet.whole("grant life", periodText(r.GrantLife))
	sheet.whole("resolvers", resolversText(r.Resolvers, "whoever it asks"))
}

func keysText(keys []signature.Key) string {
	if len(keys) == 0 {
		return ", without a key"
	}
	var all []string
	for _, k := range keys {
		text := signature.Fingerprint(k)
		if !k.ValidAfter.IsZero() {
			text += " from " + k.ValidAfter.UTC().Format(time.RFC3339)
		}
		if !k.ValidBefore.IsZero() {
			text += " until " + k.ValidBefore.UTC().Format(time.RFC3339)
		}
		all = append(all, text)
	}
	return ", " + strings.Join(all, ", ")
}

func tenantsText(tenants []string) string {
	if len(tenants) == 0 {
		return "runs of every tenant"
	}
	return "runs of " + strings.Join(tenants, ", ")
}

func resolversText(group, otherwise string) string {
	if group == "" {
		return otherwise
	}
	return group
}

func expiryText(askAgain int) string {
	switch askAgain {
	case 0:
		return ", then the run expires"
	case 1:
		return ", then it is asked once more"
	default:
		return fmt.Sprintf(", then it is asked again, up to %d times", askAgain)
	}
}

// periodText writes a canonical period as people do.
func periodText(text string) string {
	d, err := time.ParseDuration(text)
	if err != nil {
		return text
	}
	return span(d)
}
