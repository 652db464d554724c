package signature

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

const (
	mei = "mei.chen@example.com"
	bob = "bob@example.com"
)

var (
	statement = []byte("holdpoint decision v1\nrun: acme/weekly-report-2026-W48\ndecision: approve\n")
	noon      = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
)

// keyKinds make a new key of each kind whose signatures count.
var keyKinds = []struct {
	name string
	make func(tb testing.TB) ssh.Signer
}{
	{"ed25519", ed25519Signer},
	{"ecdsa-256", func(tb testing.TB) ssh.Signer { return ecdsaSigner(tb, elliptic.P256()) }},
	{"ecdsa-384", func(tb testing.TB) ssh.Signer { return ecdsaSigner(tb, elliptic.P384()) }},
	{"ecdsa-521", func(tb testing.TB) ssh.Signer { return ecdsaSigner(tb, elliptic.P521()) }},
	{"rsa-2048", func(tb testing.TB) ssh.Signer { return rsaSigner(tb, 2048) }},
	{"rsa-3072", func(tb testing.TB) ssh.Signer { return rsaSigner(tb, 3072) }},
	{"sk-ed25519", func(tb testing.TB) ssh.Signer { return newSecurityKey(tb, ssh.KeyAlgoSKED25519, touched) }},
	{"sk-ecdsa", func(tb testing.TB) ssh.Signer { return newSecurityKey(tb, ssh.KeyAlgoSKECDSA256, touched) }},
}

func ed25519Signer(tb testing.TB) ssh.Signer {
	tb.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	require.NoError(tb, err)
	return signerOf(tb, private)
}

func ecdsaSigner(tb testing.TB, curve elliptic.Curve) ssh.Signer {
	tb.Helper()
	private, err := ecdsa.GenerateKey(curve, rand.Reader)
	require.NoError(tb, err)
	return signerOf(tb, private)
}

func rsaSigner(tb testing.TB, bits int) ssh.Signer {
	tb.Helper()
	private, err := rsa.GenerateKey(rand.Reader, bits)
	require.NoError(tb, err)
	return signerOf(tb, private)
}

func signerOf(tb testing.TB, private any) ssh.Signer {
	tb.Helper()
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(tb, err)
	return signer
}

// line is the signer's public key as files have it.
func line(signer ssh.Signer) string {
	return strings.TrimSuffix(string(ssh.MarshalAuthorizedKey(signer.PublicKey())), "\n")
}

func keysOf(tb testing.TB, file, name string) []Key {
	tb.Helper()
	allowed, err := ParseAllowedSigners([]byte(file))
	require.NoError(tb, err)
	return allowed.KeysOf(name)
}

func sign(tb testing.TB, message []byte, signer ssh.Signer) string {
	tb.Helper()
	armored, err := Sign(message, signer)
	require.NoError(tb, err)
	return armored
}

// touched is the flag of a security key's signature that says that a person
// was present (PROTOCOL.u2f, "flags").
const touched = 1

// securityKey is a FIDO authenticator in software.
type securityKey struct {
	kind   string
	flags  byte
	public ssh.PublicKey
	sign   func(data []byte) []byte
}

func newSecurityKey(tb testing.TB, kind string, flags byte) ssh.Signer {
	tb.Helper()
	k := &securityKey{kind: kind, flags: flags}
	var blob []byte
	switch kind {
	case ssh.KeyAlgoSKED25519:
		public, private, err := ed25519.GenerateKey(nil)
		require.NoError(tb, err)
		blob = ssh.Marshal(struct{ Kind, Public, Application string }{kind, string(public), "ssh:"})
		k.sign = func(data []byte) []byte { return ed25519.Sign(private, data) }
	case ssh.KeyAlgoSKECDSA256:
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(tb, err)
		point, err := private.PublicKey.Bytes()
		require.NoError(tb, err)
		blob = ssh.Marshal(struct{ Kind, Curve, Point, Application string }{kind, "nistp256", string(point), "ssh:"})
		k.sign = func(data []byte) []byte {
			digest := sha256.Sum256(data)
			r, s, err := ecdsa.Sign(rand.Reader, private, digest[:])
			require.NoError(tb, err)
			return ssh.Marshal(struct{ R, S *big.Int }{r, s})
		}
	}
	var err error
	k.public, err = ssh.ParsePublicKey(blob)
	require.NoError(tb, err)
	return k
}

func (k *securityKey) PublicKey() ssh.PublicKey { return k.public }

// Sign signs as PROTOCOL.u2f says, "SSH U2F Signatures".
func (k *securityKey) Sign(_ io.Reader, data []byte) (*ssh.Signature, error) {
	application, message := sha256.Sum256([]byte("ssh:")), sha256.Sum256(data)
	flagsAndCounter := binary.BigEndian.AppendUint32([]byte{k.flags}, 7)
	signed := append(append(application[:], flagsAndCounter...), message[:]...)
	return &ssh.Signature{Format: k.kind, Blob: k.sign(signed), Rest: flagsAndCounter}, nil
}
