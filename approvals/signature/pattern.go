package signature

import (
	"fmt"
	"strings"
)

// maxPatternBytes is the longest pattern that OpenSSH's match_pattern_list
// looks at; with a longer one it lets nothing match.
const maxPatternBytes = 1022

// patterns is a pattern-list, see PATTERNS in ssh_config(5). The empty list
// matches nothing.
type patterns []pattern

type pattern struct {
	glob    string // * is any bytes, ? is any one
	negated bool
}

// parsePatterns reads a comma-separated list, of which an entry after ! is
// negated.
func parsePatterns(list string) (patterns, error) {
	var all patterns
	for entry := range strings.SplitSeq(list, ",") {
		glob, negated := strings.CutPrefix(entry, "!")
		if len(glob) > maxPatternBytes {
			return nil, fmt.Errorf("a pattern has %d bytes; at most %d are allowed", len(glob), maxPatternBytes)
		}
		all = append(all, pattern{glob: glob, negated: negated})
	}
	return all, nil
}

// match reports whether some pattern matches and no negated one does, in
// whatever order they stand. A list of negated ones alone matches nothing.
func (all patterns) match(text string) bool {
	matched := false
	for _, p := range all {
		if !glob(p.glob, text) {
			continue
		}
		if p.negated {
			return false
		}
		matched = true
	}
	return matched
}

// glob matches byte by byte, as OpenSSH does. On a mismatch only the last *
// takes one byte more, so that a*a*a*…b costs no more than len(pattern) ×
// len(text).
func glob(pattern, text string) bool {
	p, t := 0, 0
	star, from := -1, 0 // the last * and where its share of the text ends
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// lower maps A to Z alone: strings.ToLower would make the ASCII letter k of the
// Kelvin sign, and so one name of two.
func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}
