package policy

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Bo's key ends with 2029, Cy's begins with 2028: two of both can sign in 2028 and
// 2029 alone.
func TestUnmetAtIsWhatNobodyCanMeetThen(t *testing.T) {
	p, err := Parse([]byte(strings.NewReplacer("KEY1", publicKey(1), "KEY2", publicKey(2)).Replace(`label: x
groups: {editors: {members: [bo.lin, cy.ma]}}
allowed_signers: |
  bo.lin valid-before="20291231235959Z" KEY1
  cy.ma valid-after="20280101000000Z" KEY2
default: {quorums: [1 of editors], decide_within: 1h, grant_life: 1h, proof: signature}
rules:
  - {name: both, match: tool == "pay", quorums: [2 of editors]}
  - {name: claimed, match: tool == "note", quorums: [2 of editors], proof: claim}
  - {name: free, match: tool == "read", approval: none}
`)), "p.yaml", nil)
	require.NoError(t, err)
	short := []Unmet{{Rule: "both", Missing: "1 of editors"}}
	for at, want := range map[string][]Unmet{
		"2027-12-31T23:59:59Z": short,
		"2028-01-01T00:00:00Z": nil,
		"2029-12-31T23:59:59Z": nil,
		"2030-01-01T00:00:00Z": short,
	} {
		when, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		require.Equal(t, want, p.UnmetAt(when), at)
	}
}

func TestUnmetAtNamesTheDefault(t *testing.T) {
	p, err := Parse([]byte(strings.ReplaceAll(`label: x
groups: {editors: {members: [bo.lin]}}
allowed_signers: |
  bo.lin valid-before="20291231Z" KEY
default: {quorums: [1 of editors], decide_within: 1h, grant_life: 1h, proof: signature}
`, "KEY", publicKey(1))), "p.yaml", nil)
	require.NoError(t, err)
	require.Equal(t, []Unmet{{Missing: "1 of editors"}}, p.UnmetAt(time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)))
}
