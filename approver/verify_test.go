package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/evidence"
)

// recorded is the file of a recorded document; unsealed, nobody has sealed it.
func recorded(t *testing.T, name string, unsealed bool) string {
	t.Helper()
	path := filepath.Join("..", "internal", "evidence", "testdata", name)
	if !unsealed {
		return path
	}
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	bundle, err := evidence.Parse(raw)
	require.NoError(t, err)
	bundle.Seal.By, bundle.Seal.Sign = "", ""
	raw, err = json.Marshal(bundle)
	require.NoError(t, err)
	return write(t, name, string(raw))
}

// A document in which nobody signed anything is verified without a file of keys.
// Where there is a signature, whose count is the verifier's to say.
func TestVerifyAsksForKeysWhereThereAreSignatures(t *testing.T) {
	verify := func(path string, v verification) (string, error) {
		var out bytes.Buffer
		err := v.run(path, &out)
		return out.String(), err
	}
	out, err := verify(recorded(t, "by-policy.json", true), verification{})
	require.NoError(t, err, out)
	require.Contains(t, out, "OK         everything that can be checked fits\n")
	require.Contains(t, out, "not sealed")

	for name, tt := range map[string]struct {
		path, sealedBy, says string
	}{
		"sealed": {
			path: recorded(t, "by-policy.json", false),
			says: "verify needs --allowed-signers FILE: the document has signatures of ann.wu, and whose count is yours to say",
		},
		"signed": {
			path: recorded(t, "signed.json", true),
			says: "verify needs --allowed-signers FILE: the document has signatures of bo.lin, cy.ma, dee.ray, and whose count is yours to say",
		},
		"a seal is wanted": {
			path: recorded(t, "by-policy.json", true), sealedBy: "ann.wu", says: "--sealed-by needs --allowed-signers FILE, with the key of ann.wu",
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := verify(tt.path, verification{sealedBy: tt.sealedBy})
			require.EqualError(t, err, tt.says)
			require.ErrorAs(t, err, new(cli.UsageError))
			require.Empty(t, out)
			_, err = verify(tt.path, verification{sealedBy: tt.sealedBy, signers: write(t, "nobody", "# nobody\n")})
			require.ErrorContains(t, err, "do not fit", "the keys of nobody prove nothing")
		})
	}
}
