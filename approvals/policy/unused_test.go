package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/signature"
)

// Keys that sign nothing are no part of the policy, and whoever misses one finds
// out why.
func TestUnusedKeysAreNamedAndChangeNothing(t *testing.T) {
	const file = `label: x
groups: {editors: {members: [bo.lin, cy.ma]}}
allowed_signers: |
  bo.lin KEY1
default: {quorums: [1 of editors], decide_within: 1h, grant_life: 1h}
`
	const others = `  # people of another house
  ann.wu,dee.* KEY2
  cy.ma namespaces="git" KEY3
`
	keys := strings.NewReplacer("KEY1", publicKey(1), "KEY2", publicKey(2), "KEY3", publicKey(3))
	alone, err := Parse([]byte(keys.Replace(file)), "p.yaml", nil)
	require.NoError(t, err)
	require.Empty(t, alone.UnusedKeys())
	among, err := Parse([]byte(keys.Replace(strings.Replace(file, "default:", others+"default:", 1))), "p.yaml", nil)
	require.NoError(t, err)
	require.Equal(t, alone.Version(), among.Version())
	require.Equal(t, []UnusedKey{
		{Place: "p.yaml:6", Reason: "its names are in no group"},
		{Place: "p.yaml:7", Reason: `its namespaces leave out "holdpoint"`},
	}, among.UnusedKeys())
}

func TestSharedKeysAreNamed(t *testing.T) {
	p, err := Parse([]byte(sampleFile), "policy.yaml", reading("keys/allowed_signers",
		sampleSigners()+cy+",Mei.Chen@example.com "+publicKey(3)+"\n"+eve+" "+publicKey(5)+"\n"))
	require.NoError(t, err)
	require.Equal(t, []SharedKey{
		{Fingerprint: signature.Fingerprint(signature.Key{Public: publicKey(3)}), People: []string{cy, mei}},
	}, p.SharedKeys())
}
