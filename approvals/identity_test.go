package approvals

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNormalizeIdentity(t *testing.T) {
	for _, tc := range []struct{ name, want, says string }{
		{"ann.wu", "ann.wu", ""},
		{"Ann.Wu", "ann.wu", ""},
		{"Mei.Chen+kb@Example.COM", "mei.chen+kb@example.com", ""},
		{"spiffe://example.com/ns/a", "", ""},
		{"7", "7", ""},
		{strings.Repeat("a", 254), strings.Repeat("a", 254), ""},
		{"", "", "empty"},
		{"ann.wu ", "", "begins or ends with a blank"},
		{"\tann.wu", "", "begins or ends with a blank"},
		{"ann.wu\n", "", "begins or ends with a blank"},
		{"ann wu", "", `' '`},
		{"\u0430nn.wu", "", "U+0430"},
		{"ann\u200b.wu", "", "U+200B"},
		{"ANN.WU\u212a", "", "U+212A"}, // the Kelvin sign folds to k
		{"ann\x00", "", `'\x00'`},
		{"ann\x7f", "", "U+007F"},
		{"*@example.com", "", `'*'`},
		{"ann,bo", "", `','`},
		{"!ann", "", `'!'`},
		{"-ann", "", "does not begin with"},
		{"@", "", "does not begin with"},
		{strings.Repeat("a", 255), "", "255 bytes"},
		{"ann\xff", "", "beyond ASCII"},
	} {
		got, err := NormalizeIdentity(tc.name)
		if tc.says != "" {
			require.ErrorContains(t, err, tc.says, "%q", tc.name)
			require.Empty(t, got)
			continue
		}
		require.NoError(t, err, "%q", tc.name)
		if tc.want == "" {
			tc.want = tc.name
		}
		require.Equal(t, tc.want, got)
	}
}
