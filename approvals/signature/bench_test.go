package signature

import (
	"crypto/elliptic"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/hiddeco/sshsig"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// BenchmarkVerify is what judging one signed decision costs, with ten keys
// listed of which the last has signed.
func BenchmarkVerify(b *testing.B) {
	others := make([]Key, 9)
	for i := range others {
		others[i] = Key{Name: mei, Public: line(ed25519Signer(b))}
	}
	for _, kind := range keyKinds {
		b.Run(kind.name, func(b *testing.B) { benchmarkListed(b, kind.make(b), others) })
	}
	b.Run("rsa-4096", func(b *testing.B) { benchmarkListed(b, rsaSigner(b, 4096), others) })

	b.Run("stranger's ecdsa-521", func(b *testing.B) {
		benchmarkStranger(b, sign(b, statement, ecdsaSigner(b, elliptic.P521())), others)
	})
	b.Run("stranger's rsa-8192", func(b *testing.B) { benchmarkStranger(b, hugeSignature(b), others) })
}

func benchmarkListed(b *testing.B, signer ssh.Signer, others []Key) {
	b.Helper()
	armored := sign(b, statement, signer)
	keys := slices.Concat(others, []Key{{Name: mei, Public: line(signer)}})
	b.ReportAllocs()
	for b.Loop() {
		_, err := Verify(statement, armored, keys, noon)
		require.NoError(b, err)
	}
}

func benchmarkStranger(b *testing.B, armored string, keys []Key) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		_, err := Verify(statement, armored, keys, noon)
		require.ErrorIs(b, err, ErrUnknownKey)
	}
}

// hugeSignature names a key of the largest size that may be listed.
func hugeSignature(b *testing.B) string {
	b.Helper()
	_, encoded, _ := strings.Cut(rsaLine(b, maxRSABits), " ")
	blob, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(b, err)
	public, err := ssh.ParsePublicKey(blob)
	require.NoError(b, err)
	return string(sshsig.Armor(&sshsig.Signature{
		Version: 1, PublicKey: public, Namespace: Namespace, HashAlgorithm: sshsig.HashSHA512,
		Signature: &ssh.Signature{Format: ssh.KeyAlgoRSASHA512, Blob: make([]byte, maxRSABits/8)},
	}))
}
