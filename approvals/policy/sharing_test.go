package policy

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Two who share a key count for one, whatever they sign: a quorum that needs both
// can never be met, and is refused when it is read.
func TestQuorumOfPeopleWhoShareTheirKeys(t *testing.T) {
	const impossible = "proof: signature can never be met"
	for name, tc := range map[string]struct {
		quorums string
		keys    []string
		says    string // "" when it can be met
	}{
		"one key of two":                  {"2 of a", []string{"a1,a2 KEY1"}, impossible},
		"one key, on two lines":           {"2 of a", []string{"a1 KEY1", "a2 KEY1"}, impossible},
		"one of them has another too":     {"2 of a", []string{"a1,a2 KEY1", "a2 KEY2"}, impossible},
		"each has another too":            {"2 of a", []string{"a1,a2 KEY1", "a1 KEY2", "a2 KEY3"}, ""},
		"a third has a key of her own":    {"2 of a", []string{"a1,a2 KEY1", "a3 KEY2"}, ""},
		"one is enough":                   {"1 of a", []string{"a1,a2 KEY1"}, ""},
		"a wildcard":                      {"2 of a", []string{"a* KEY1"}, impossible},
		"of two groups":                   {"1 of a, 1 of b", []string{"a1,b1 KEY1"}, impossible},
		"of two groups, and one who fits": {"1 of a, 1 of b", []string{"a1,b1 KEY1", "b2 KEY2"}, ""},
		"a chain, of whom two fit":        {"2 of a", []string{"a1,a2 KEY1", "a2,a3 KEY2"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := "label: x\ngroups:\n  a: {members: [a1, a2, a3]}\n  b: {members: [b1, b2]}\nallowed_signers: |\n  " +
				strings.NewReplacer("KEY1", publicKey(1), "KEY2", publicKey(2), "KEY3", publicKey(3)).Replace(strings.Join(tc.keys, "\n  ")) +
				"\ndefault: {quorums: [" + tc.quorums + "], proof: signature, decide_within: 1h, grant_life: 1h}\n"
			p, err := Parse([]byte(text), "p.yaml", nil)
			if tc.says != "" {
				require.ErrorContains(t, err, tc.says)
				require.ErrorContains(t, err, "people who share their keys count for one")
				return
			}
			require.NoError(t, err)
			require.Empty(t, p.UnmetAt(time.Now()))
		})
	}
}

// Of two who share one key only one counts, and of those whose keys the requester
// has too, none: then the gate does not open.
func TestGateOfPeopleWhoShareTheirKeysDoesNotOpen(t *testing.T) {
	policy := func(keys string) *Policy {
		return read(t, "label: x\ngroups: {a: {members: [a1, a2, a3]}}\nallowed_signers: |\n  "+
			strings.NewReplacer("KEY1", publicKey(1), "KEY2", publicKey(2)).Replace(keys)+
			"\ndefault: {quorums: [2 of a], proof: signature, decide_within: 1h, grant_life: 1h}\n")
	}
	shared := policy("a1,a2 KEY1\n  a3 KEY2")
	_, err := shared.Evaluate(planOf(page), "ann.wu")
	require.NoError(t, err)
	_, err = shared.Evaluate(planOf(page), "a3")
	require.ErrorContains(t, err, "too few may approve this plan")
	_, err = policy("a1,ann.wu KEY1\n  a2 KEY2\n  a3 KEY2\n  a3 "+publicKey(3)).Evaluate(planOf(page), "ann.wu")
	require.ErrorContains(t, err, "too few may approve this plan")
}

// A key that is not valid any more may leave two with the one that they share.
func TestSharedKeysOfADay(t *testing.T) {
	p := read(t, "label: x\ngroups: {a: {members: [a1, a2]}}\nallowed_signers: |\n  a1,a2 "+publicKey(1)+
		"\n  a1 "+publicKey(2)+"\n  a2 valid-before=\"20300101Z\" "+publicKey(3)+
		"\ndefault: {quorums: [2 of a], proof: signature, decide_within: 1h, grant_life: 1h}\n")
	require.Empty(t, p.UnmetAt(time.Date(2029, 1, 1, 0, 0, 0, 0, time.UTC)))
	require.Equal(t, []Unmet{{Missing: "1 of a"}}, p.UnmetAt(time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)))
}
