package plan

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func (id Identity) preimageText() string {
	var b bytes.Buffer
	id.preimage(&b)
	return b.String()
}

func TestKeyIsTheHashOfTheExactPreimage(t *testing.T) {
	id := Identity{Tenant: "acme", BusinessID: "demo-001", Tool: "gitpages", Target: "kb/weekly/2026-W48.md", SemanticVersion: "v1"}
	require.Equal(t, "4:acme,8:demo-001,8:gitpages,21:kb/weekly/2026-W48.md,0:,2:v1,", id.preimageText())
	require.Equal(t, "aa37c162a43c48b35689535add582331ee211a38", id.Key()) // printf … | sha256sum | cut -c-40

	id = Identity{Tenant: "租户", BusinessID: "b", Tool: "t", Target: "x", SemanticVersion: "v1"}
	require.Equal(t, "6:租户,1:b,1:t,1:x,0:,2:v1,", id.preimageText(), "lengths are bytes, not letters")
	require.Equal(t, "7b7d2813293a7796a78c08a3321de65df2c1eadc", id.Key())
}

func TestNoTwoIdentitiesShareAPreimage(t *testing.T) {
	// Few letters, and those of the encoding itself, make near misses likely.
	text := rapid.StringOfN(rapid.SampledFrom([]rune("01:,a")), 0, 4, -1)
	identity := rapid.Custom(func(t *rapid.T) Identity {
		return Identity{
			Tenant: text.Draw(t, "tenant"), BusinessID: text.Draw(t, "business_id"), Tool: text.Draw(t, "tool"),
			Target: text.Draw(t, "target"), Item: text.Draw(t, "item"), SemanticVersion: text.Draw(t, "semantic_version"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a := identity.Draw(t, "a")
		b := identity.Draw(t, "b")
		if rapid.Bool().Draw(t, "shift a boundary") {
			b = a
			b.Item, b.SemanticVersion = "", a.Item+a.SemanticVersion
		}
		require.Equal(t, a == b, a.preimageText() == b.preimageText())
		require.Equal(t, a == b, a.Key() == b.Key())
	})
}
