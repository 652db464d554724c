package policy

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// signer is somebody who can sign, as far as keys tell people apart.
type signer struct {
	name  string
	signs []string // fingerprints of the keys with which she can now
	has   []string // of all her keys
}

// one reports whether two people count for one whichever keys they sign with: every
// key of one is also the other's. See approvals.Judge.
func (s signer) one(o signer) bool { return within(s.signs, o.has) || within(o.signs, s.has) }

// missing says, as Terms.Missing does, who would still be missing if all these
// people did what they can to meet the terms. Where they sign, those who share
// their keys count for one. at leaves out keys that are not valid then; nil leaves
// out none.
func (p *Policy) missing(t approvals.Terms, names []string, proof approvals.Proof, at *time.Time) string {
	everybody := t.Missing(names)
	if proof != approvals.BySignature || everybody != "" {
		return everybody
	}
	var alone []string // who shares nothing that matters
	var among []signer // who does
	seen := []string{} // the keys and groups of those
	all := p.signers(names, at)
	for i, s := range all {
		if !slices.ContainsFunc(all, func(o signer) bool { return o.name != s.name && s.one(o) }) {
			alone = append(alone, s.name)
			continue
		}
		// Those with the same keys and groups stand for each other.
		kind := strings.Join(s.signs, " ") + "/" + strings.Join(s.has, " ") + "/" + placesOf(t, s.name)
		if !slices.Contains(seen, kind) {
			seen, among = append(seen, kind), append(among, all[i])
		}
	}
	if len(among) > maxSharing {
		return "" // not known to be impossible
	}
	return least(t, alone, among)
}

// maxSharing bounds the search among people who share keys. Beyond it a policy is
// taken for one that can be met, and its runs wait if it cannot.
const maxSharing = 12

// least is what is missing when those of among sign who fit best: no two of them
// who count for one.
func least(t approvals.Terms, chosen []string, among []signer) string {
	missing := t.Missing(chosen)
	if missing == "" || len(among) == 0 {
		return missing
	}
	first, rest := among[0], among[1:]
	others := slices.DeleteFunc(slices.Clone(rest), first.one)
	with := least(t, append(slices.Clone(chosen), first.name), others)
	if with == "" || len(others) == len(rest) {
		return with // one more who bars nobody spoils nothing
	}
	if without := least(t, chosen, rest); without == "" {
		return ""
	}
	return with
}

func (p *Policy) signers(names []string, at *time.Time) []signer {
	all := make([]signer, 0, len(names))
	for _, name := range names {
		valid := p.keys[name]
		if at != nil {
			valid = slices.DeleteFunc(slices.Clone(valid), func(k signature.Key) bool { return !k.ValidAt(*at) })
		}
		all = append(all, signer{name: name, signs: fingerprints(valid), has: fingerprints(p.keysOf(name))})
	}
	return all
}

// placesOf names the quorums whose group somebody is in.
func placesOf(t approvals.Terms, name string) string {
	var places []string
	for i, q := range t.Quorums {
		if slices.Contains(q.Members, name) {
			places = append(places, strconv.Itoa(i))
		}
	}
	return strings.Join(places, " ")
}

// fingerprints are those of keys, sorted and different.
func fingerprints(keys []signature.Key) []string {
	prints := make([]string, 0, len(keys))
	for _, k := range keys {
		prints = append(prints, signature.Fingerprint(k))
	}
	slices.Sort(prints)
	return slices.Compact(prints)
}

// within reports whether all of some are among the others.
func within(some, others []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(others, s) })
}
