package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// abcHex is printf Abc | sha256sum.
const abcHex = "06d90109c8cce34ec0c776950465421e176f08b831a938b3c6e76cb7bee8790b"

func TestDigestHasOneWrittenForm(t *testing.T) {
	d := Sum([]byte("Abc"))
	require.Equal(t, "sha256:"+abcHex, d.String())
	require.Equal(t, abcHex, d.Hex())
	parsed, err := ParseDigest(d.String())
	require.NoError(t, err)
	require.Equal(t, d, parsed)
}

func TestC012_OtherFormsOfADigestAreRefusedByName(t *testing.T) {
	for name, tc := range map[string]struct{ written, says string }{
		"upper case":        {"sha256:" + strings.ToUpper(abcHex), "upper-case"},
		"upper-case prefix": {"SHA256:" + abcHex, "does not begin with"},
		"bare":              {abcHex, "does not begin with"},
		"twice prefixed":    {"sha256:sha256:" + abcHex, "no hex digits"},
		"first 12":          {"sha256:" + abcHex[:12], "has 12 digits, not 64"},
		"bare first 12":     {abcHex[:12], "does not begin with"},
		"one too many":      {"sha256:" + abcHex + "0", "has 65 digits, not 64"},
		"no digits":         {"sha256:", "has 0 digits, not 64"},
		"line end":          {"sha256:" + abcHex + "\n", "blanks or line ends"},
		"blank before":      {" sha256:" + abcHex, "blanks or line ends"},
		"letters":           {"sha256:" + strings.Repeat("g", 64), "no hex digits"},
		"look-alike":        {"sha256:" + abcHex[:63] + "а", "no hex digits"},
		"empty":             {"", "is empty"},
		"64 bare zeros":     {strings.Repeat("0", 64), "does not begin with"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseDigest(tc.written)
			require.ErrorContains(t, err, tc.says)
		})
	}
}

func TestZeroDigestIsWrittenEmpty(t *testing.T) {
	written, err := json.Marshal(Digest{})
	require.NoError(t, err)
	require.JSONEq(t, `""`, string(written))
	d := Sum(nil)
	require.NoError(t, json.Unmarshal(written, &d))
	require.True(t, d.IsZero())
	require.Error(t, json.Unmarshal([]byte(`"sha256:00"`), &d))
}
