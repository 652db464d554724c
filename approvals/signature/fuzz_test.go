package signature

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fuzzKey is the same in every process, as the corpus needs it.
var fuzzKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

func FuzzParseAllowedSigners(f *testing.F) {
	a := line(signerOf(f, fuzzKey))
	for _, seed := range []string{
		"", "#\n", mei + " " + a, "*,!" + bob + " " + a + "\r\n", `"a b" ` + a,
		mei + ` namespaces="hold*,!x",valid-after="20260101Z",valid-before="202701010000" ` + a + " laptop",
		"* cert-authority " + a, mei + ` namespaces="a\"b" ` + a, mei + ` namespaces=" ` + a, mei + " cert-authority," + a,
	} {
		f.Add([]byte(seed), mei)
	}
	f.Fuzz(func(t *testing.T, file []byte, name string) {
		allowed, err := ParseAllowedSigners(file)
		if err != nil {
			require.Contains(t, err.Error(), "line ")
			require.Empty(t, allowed.KeysOf(name))
			return
		}
		lines := bytes.Count(file, []byte("\n")) + 1
		require.LessOrEqual(t, len(allowed.Skipped), lines)
		keys := allowed.KeysOf(name)
		require.LessOrEqual(t, len(keys), lines-len(allowed.Skipped))
		for _, key := range keys {
			require.Equal(t, name, key.Name)
			kind, encoded, _ := strings.Cut(key.Public, " ")
			public, err := parsePublic(kind, encoded)
			require.NoError(t, err)
			require.Equal(t, key.Public, canonical(public))
			require.True(t, key.ValidBefore.IsZero() || key.ValidBefore.After(key.ValidAfter))
		}
	})
}

// Whatever the bytes, in armor of their own or in ours, nothing but the
// statement that was signed is accepted.
func FuzzVerify(f *testing.F) {
	signer := signerOf(f, fuzzKey)
	keys := []Key{{Name: mei, Public: line(signer)}}
	seed := func(message []byte, armored string) {
		blob, err := dearmor(armored)
		require.NoError(f, err)
		f.Add(message, blob)
		f.Add(message, []byte(armored))
	}
	seed(statement, sign(f, statement, signer))
	seed([]byte("another text"), sign(f, statement, signer))
	for _, kind := range keyKinds {
		seed(statement, sign(f, statement, kind.make(f)))
	}
	f.Fuzz(func(t *testing.T, message, signature []byte) {
		for _, armored := range []string{string(signature), wrap(signature)} {
			key, err := Verify(message, armored, keys, noon)
			if err == nil {
				require.Equal(t, keys[0], key)
				require.Equal(t, statement, message)
				continue
			}
			require.Zero(t, key)
			require.True(t, errors.Is(err, ErrMalformed) || errors.Is(err, errWrong) || errors.Is(err, ErrUnknownKey), err.Error())
			require.Less(t, len(err.Error()), 400)
		}
	})
}
