package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// aliased is a policy whose one key stands on these lines.
func aliased(t *testing.T, lines ...string) *Policy {
	t.Helper()
	text := "label: x\ngroups: {editors: {members: [bo.lin, cy.ma]}, others: {members: [dan.xu]}}\nallowed_signers: |\n"
	for _, line := range lines {
		text += "  " + strings.NewReplacer("KEY1", publicKey(1), "KEY2", publicKey(2)).Replace(line) + "\n"
	}
	p, err := Parse([]byte(text+"default: {quorums: [1 of editors], decide_within: 1h, grant_life: 1h}\n"), "p.yaml", nil)
	require.NoError(t, err)
	return p
}

// The requester's keys are known where they are also those of somebody who may
// approve or resolve, whether she is in a group or not: the judge compares them.
func TestKeysOfARequesterInNoGroup(t *testing.T) {
	for name, tc := range map[string]struct {
		lines     []string
		requester string
		keys      []string // hers, by the Public
	}{
		"a key of her own is no part of it": {[]string{"bo.lin KEY1", "ann.wu KEY2"}, "ann.wu", nil},
		"the line of an approver":           {[]string{"ann.wu,bo.lin KEY1"}, "ann.wu", []string{publicKey(1)}},
		"another line of the same key":      {[]string{"bo.lin KEY1", "ann.wu KEY1"}, "ann.wu", []string{publicKey(1)}},
		"a wildcard":                        {[]string{"bo.lin,ann.* KEY1"}, "ann.wu", []string{publicKey(1)}},
		"a wildcard that leaves her out":    {[]string{"bo.lin,*.wu,!ann.wu KEY1"}, "ann.wu", nil},
		"a member of another group":         {[]string{"bo.lin KEY1", "dan.xu KEY2"}, "dan.xu", []string{publicKey(2)}},
		"an approver herself":               {[]string{"bo.lin,* KEY1"}, "bo.lin", []string{publicKey(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			p := aliased(t, tc.lines...)
			again, err := FromCanonical(p.Canonical())
			require.NoError(t, err)
			for _, p := range []*Policy{p, again} {
				terms, err := p.Evaluate(planOf(action("a1", "pay", "bank/x", `{}`)), tc.requester)
				require.NoError(t, err)
				var hers []string
				for _, k := range terms.Signers {
					if k.Name == tc.requester {
						hers = append(hers, k.Public)
					}
				}
				require.Equal(t, tc.keys, hers)
			}
		})
	}
}

// Two policies that differ in who else has an approver's key are two, and the
// order of a file does not matter.
func TestAliasesArePartOfAPolicy(t *testing.T) {
	alone, among := aliased(t, "bo.lin KEY1"), aliased(t, "bo.lin KEY1", "zoe.ng,ann.* KEY1")
	require.NotEqual(t, alone.Version(), among.Version())
	require.Equal(t, among.Version(), aliased(t, "Ann.*,zoe.ng KEY1", "bo.lin KEY1", "ann.*,zoe.ng KEY1").Version())
	require.Equal(t, aliased(t, "bo.lin,cy.ma KEY1").Version(), aliased(t, "cy.ma KEY1", "bo.lin KEY1").Version(), "these are all known")
	require.Empty(t, among.UnusedKeys())
	require.Equal(t, []SharedKey{{
		Fingerprint: signature.Fingerprint(signature.Key{Public: publicKey(1)}), People: []string{"bo.lin", "ann.*,zoe.ng"},
	}}, among.SharedKeys())
}

// A time that bounds an approver's key bounds it under the other name as well.
func TestAliasesKeepTheTimesOfAKey(t *testing.T) {
	p := aliased(t, `*.lin,ann.wu valid-before="20300101Z" KEY1`)
	again, err := FromCanonical(p.Canonical())
	require.NoError(t, err)
	terms, err := again.Evaluate(planOf(action("a1", "pay", "bank/x", `{}`)), "ann.wu")
	require.NoError(t, err)
	require.Len(t, terms.Signers, 2)
	for _, k := range terms.Signers {
		require.Equal(t, 2030, k.ValidBefore.Year(), k.Name)
	}
	require.Equal(t, approvals.ByClaim, terms.Proof)
}
