package signature

import (
	"bytes"
	"crypto/rand"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hiddeco/sshsig"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

func TestSignAndVerify(t *testing.T) {
	for _, kind := range keyKinds {
		t.Run(kind.name, func(t *testing.T) {
			signer := kind.make(t)
			keys := keysOf(t, mei+" "+line(ed25519Signer(t))+"\n"+mei+" "+line(signer)+"\n", mei)
			armored := sign(t, statement, signer)
			key, err := Verify(statement, armored, keys, noon)
			require.NoError(t, err)
			require.Equal(t, Key{Name: mei, Public: line(signer)}, key)
			require.Equal(t, ssh.FingerprintSHA256(signer.PublicKey()), Fingerprint(key))

			_, err = Verify(append(bytes.Clone(statement), '\n'), armored, keys, noon)
			require.ErrorIs(t, err, errWrong)
			require.NotErrorIs(t, err, ErrUnknownKey)
			require.EqualError(t, err, "the signature does not fit this text", "whatever the library calls it")
			_, err = Verify(statement, armored, keys[:1], noon)
			require.ErrorIs(t, err, ErrUnknownKey)
			require.ErrorContains(t, err, ssh.FingerprintSHA256(signer.PublicKey()))
			_, err = Verify(statement, armored, nil, noon)
			require.ErrorIs(t, err, ErrUnknownKey)
		})
	}
}

func TestEmptyAndLargeMessages(t *testing.T) {
	signer := ed25519Signer(t)
	keys := []Key{{Public: line(signer)}}
	for _, message := range [][]byte{nil, make([]byte, 1<<20)} {
		_, err := Verify(message, sign(t, message, signer), keys, noon)
		require.NoError(t, err)
	}
}

// made builds signatures that Sign would not make.
func made(t *testing.T, signer ssh.Signer, hash sshsig.HashAlgorithm, namespace string, change func(*sshsig.Signature)) string {
	t.Helper()
	s, err := sshsig.Sign(bytes.NewReader(statement), signer, hash, namespace)
	require.NoError(t, err)
	if change != nil {
		change(s)
	}
	return string(sshsig.Armor(s))
}

func TestHashes(t *testing.T) {
	signer := ed25519Signer(t)
	keys := []Key{{Public: line(signer)}}
	for _, hash := range []sshsig.HashAlgorithm{sshsig.HashSHA256, sshsig.HashSHA512} {
		_, err := Verify(statement, made(t, signer, hash, Namespace, nil), keys, noon)
		require.NoError(t, err)
	}
	_, err := Verify(statement, made(t, signer, sshsig.HashSHA512, Namespace, func(s *sshsig.Signature) { s.HashAlgorithm = "sha1" }), keys, noon)
	require.ErrorIs(t, err, ErrMalformed)
	_, err = Verify(statement, made(t, signer, sshsig.HashSHA512, Namespace, func(s *sshsig.Signature) { s.HashAlgorithm = "sha256" }), keys, noon)
	require.ErrorIs(t, err, errWrong)
}

func TestNamespaces(t *testing.T) {
	signer := ed25519Signer(t)
	keys := []Key{{Public: line(signer)}}
	for _, namespace := range []string{"git", "file", "Holdpoint", "holdpoint2", "holdpoin", "holdpoint\x00", " holdpoint"} {
		_, err := Verify(statement, made(t, signer, sshsig.HashSHA512, namespace, nil), keys, noon)
		require.ErrorIs(t, err, errWrong, "%q", namespace)
		require.ErrorContains(t, err, "sign with -n holdpoint")
		require.NotContains(t, err.Error(), "\x00")
		_, err = Verify(statement, made(t, signer, sshsig.HashSHA512, namespace, func(s *sshsig.Signature) { s.Namespace = Namespace }), keys, noon)
		require.ErrorIs(t, err, errWrong, "%q, renamed", namespace)
	}
}

func TestAnotherKeyPutIn(t *testing.T) {
	signer, other := ed25519Signer(t), ed25519Signer(t)
	keys := []Key{{Public: line(signer)}, {Public: line(other)}}
	_, err := Verify(statement, made(t, signer, sshsig.HashSHA512, Namespace, func(s *sshsig.Signature) { s.PublicKey = other.PublicKey() }), keys, noon)
	require.ErrorIs(t, err, errWrong)
}

// wrap armors bytes that may be no signature.
func wrap(blob []byte) string {
	return armorBegin + "\n" + base64.StdEncoding.EncodeToString(blob) + "\n" + armorEnd + "\n"
}

func TestMalformed(t *testing.T) {
	signer := ed25519Signer(t)
	keys := []Key{{Public: line(signer)}}
	good := sign(t, statement, signer)
	body := strings.TrimSuffix(strings.TrimPrefix(good, armorBegin), armorEnd+"\n")
	blob, err := dearmor(good)
	require.NoError(t, err)
	// The last character before the padding carries two bits that mean nothing.
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	before, after, padded := strings.Cut(good, "=\n")
	require.True(t, padded)
	last := len(before) - 1
	spare := before[:last] + string(alphabet[strings.IndexByte(alphabet, before[last])+1]) + "=\n" + after

	version2 := bytes.Clone(blob)
	version2[9] = 2 // after the preamble, a big-endian uint32
	preamble := bytes.Clone(blob)
	preamble[0] = 'X'

	for name, armored := range map[string]string{
		"empty":               "",
		"blank":               " \n\t ",
		"text":                "I approve.",
		"no first line":       body + armorEnd,
		"no last line":        armorBegin + body,
		"text before":         "approve\n" + good,
		"text after":          good + "approve",
		"two":                 good + good,
		"headers":             armorBegin + "\nVersion: 1\n" + body + armorEnd,
		"another armor":       strings.ReplaceAll(good, "SSH SIGNATURE", "PGP SIGNATURE"),
		"first line goes on":  armorBegin + strings.TrimPrefix(body, "\n") + armorEnd,
		"no body":             armorBegin + "\n" + armorEnd,
		"empty body":          armorBegin + "\n\n" + armorEnd,
		"garbled":             strings.Replace(good, "U1NI", "U1N!", 1),
		"spare bits":          spare,
		"cut":                 wrap(blob[:len(blob)-1]),
		"cut in the middle":   wrap(blob[:len(blob)/2]),
		"bytes after":         wrap(append(bytes.Clone(blob), 0)),
		"version 2":           wrap(version2),
		"preamble":            wrap(preamble),
		"long":                good + strings.Repeat("\n", maxArmoredBytes),
		"bytes within":        made(t, signer, sshsig.HashSHA512, Namespace, func(s *sshsig.Signature) { s.Signature.Rest = []byte{0} }),
		"armor in one line":   strings.ReplaceAll(good, "\n", " "),
		"JSON's own newlines": strings.ReplaceAll(good, "\n", `\n`),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Verify(statement, armored, keys, noon)
			require.ErrorIs(t, err, ErrMalformed)
			for _, other := range []error{errWrong, ErrUnknownKey, ErrOutOfTime} {
				require.NotErrorIs(t, err, other)
			}
		})
	}
	for name, armored := range map[string]string{
		"as is":         good,
		"CR LF":         strings.ReplaceAll(good, "\n", "\r\n"),
		"blanks around": "\n " + good + " \r\n\n",
		"no last LF":    strings.TrimSuffix(good, "\n"),
		"one line":      wrap(blob),
	} {
		_, err := Verify(statement, armored, keys, noon)
		require.NoError(t, err, name)
	}
	_, err = Verify(statement, good+strings.Repeat("\n", maxArmoredBytes-len(good)), keys, noon)
	require.NoError(t, err, "16 KiB")
}

// Each bit of a signature matters: with one changed it is refused.
func TestEveryBitCounts(t *testing.T) {
	signer := ed25519Signer(t)
	keys := []Key{{Public: line(signer)}}
	blob, err := dearmor(sign(t, statement, signer))
	require.NoError(t, err)
	for i := range len(blob) * 8 {
		changed := bytes.Clone(blob)
		changed[i/8] ^= 1 << (i % 8)
		_, err := Verify(statement, wrap(changed), keys, noon)
		require.Error(t, err, "bit %d", i)
	}
}

func TestValidity(t *testing.T) {
	signer := ed25519Signer(t)
	armored := sign(t, statement, signer)
	key := func(after, before time.Time) Key {
		return Key{Name: mei, Public: line(signer), ValidAfter: after, ValidBefore: before}
	}
	hour := time.Hour
	for name, tc := range map[string]struct {
		keys []Key
		want int // which, or -1
	}{
		"no bounds":                  {[]Key{key(time.Time{}, time.Time{})}, 0},
		"within":                     {[]Key{key(noon.Add(-hour), noon.Add(hour))}, 0},
		"at valid-after":             {[]Key{key(noon, time.Time{})}, 0},
		"a second before it":         {[]Key{key(noon.Add(time.Second), time.Time{})}, -1},
		"at valid-before":            {[]Key{key(time.Time{}, noon)}, 0},
		"a second past it":           {[]Key{key(time.Time{}, noon.Add(-time.Second))}, -1},
		"first over, second running": {[]Key{key(time.Time{}, noon.Add(-hour)), key(noon.Add(-hour), time.Time{})}, 1},
		"first over, second to come": {[]Key{key(time.Time{}, noon.Add(-hour)), key(noon.Add(hour), noon.Add(2*hour))}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Verify(statement, armored, tc.keys, noon)
			if tc.want >= 0 {
				require.NoError(t, err)
				require.Equal(t, tc.keys[tc.want], got)
				return
			}
			require.ErrorIs(t, err, ErrOutOfTime)
			require.NotErrorIs(t, err, ErrUnknownKey)
			require.ErrorContains(t, err, "it is 2026-12-01T12:00:00Z")
			require.Zero(t, got)
		})
	}
	_, err := Verify(statement, armored, []Key{key(time.Time{}, noon)}, noon.Add(999*time.Millisecond))
	require.NoError(t, err, "the last second is included whole")
	_, err = Verify(statement, armored, []Key{key(noon, time.Time{})}, noon.Add(-time.Nanosecond))
	require.ErrorIs(t, err, ErrOutOfTime)
	_, err = Verify(statement, armored, []Key{key(noon, time.Time{})}, noon.In(time.FixedZone("", 9*3600)))
	require.NoError(t, err, "a time is the same in every zone")
	_, err = Verify([]byte("another text"), armored, []Key{key(time.Time{}, noon.Add(-hour))}, noon)
	require.ErrorIs(t, err, errWrong, "a wrong signature is worse than a late one")
}

// Keys that can never be listed sign for nobody, also when a caller lists them.
func TestUnacceptableSigners(t *testing.T) {
	short := rsaSigner(t, 1024)
	_, err := Sign(statement, short)
	require.ErrorContains(t, err, "RSA key of 1024 bits")
	_, err = Verify(statement, made(t, short, sshsig.HashSHA512, Namespace, nil), []Key{{Public: line(short)}}, noon)
	require.ErrorIs(t, err, ErrUnknownKey)
	require.ErrorContains(t, err, ssh.FingerprintSHA256(short.PublicKey()))

	plain, authority := ed25519Signer(t), ed25519Signer(t)
	certificate := &ssh.Certificate{Key: plain.PublicKey(), CertType: ssh.UserCert, ValidPrincipals: []string{mei}, ValidBefore: ssh.CertTimeInfinity}
	require.NoError(t, certificate.SignCert(rand.Reader, authority))
	certified, err := ssh.NewCertSigner(certificate, plain)
	require.NoError(t, err)
	_, err = Sign(statement, certified)
	require.ErrorContains(t, err, "comes in a certificate")
	armored := made(t, plain, sshsig.HashSHA512, Namespace, func(s *sshsig.Signature) { s.PublicKey = certificate })
	for _, public := range []string{line(plain), line(authority), line(certified)} {
		_, err = Verify(statement, armored, []Key{{Public: public}}, noon)
		require.ErrorIs(t, err, ErrUnknownKey)
		require.ErrorContains(t, err, ssh.FingerprintSHA256(plain.PublicKey()), "that of the key, as ssh-keygen -l prints it")
	}
}

func TestUntouchedSecurityKey(t *testing.T) {
	for _, kind := range []string{ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256} {
		signer := newSecurityKey(t, kind, 0)
		_, err := Sign(statement, signer)
		require.ErrorContains(t, err, "user presence")
		_, err = Verify(statement, made(t, signer, sshsig.HashSHA512, Namespace, nil), []Key{{Public: line(signer)}}, noon)
		require.ErrorIs(t, err, errWrong)
	}
}

// stubborn signs with its own algorithm whatever it is asked for, as agents do
// that know of no newer one than SHA-1 (OpenSSH before 7.2).
type stubborn struct {
	ssh.AlgorithmSigner
	algorithm string
}

func (s stubborn) SignWithAlgorithm(random io.Reader, data []byte, _ string) (*ssh.Signature, error) {
	return s.AlgorithmSigner.SignWithAlgorithm(random, data, s.algorithm)
}

func TestSHA1IsRefused(t *testing.T) {
	signer := stubborn{rsaSigner(t, 2048).(ssh.AlgorithmSigner), ssh.KeyAlgoRSA}
	_, err := Sign(statement, signer)
	require.ErrorContains(t, err, "does not verify")

	// The signature itself is good: it is the algorithm that is refused.
	hash := sha512.Sum512(statement)
	signed := append([]byte("SSHSIG"), ssh.Marshal(struct{ Namespace, Reserved, Hash, Digest string }{Namespace, "", "sha512", string(hash[:])})...)
	armored := made(t, signer, sshsig.HashSHA512, Namespace, func(s *sshsig.Signature) {
		require.Equal(t, ssh.KeyAlgoRSA, s.Signature.Format)
		require.NoError(t, signer.PublicKey().Verify(signed, s.Signature))
	})
	_, err = Verify(statement, armored, []Key{{Public: line(signer)}}, noon)
	require.ErrorIs(t, err, ErrMalformed)
	require.ErrorContains(t, err, "rsa-sha2-512")
}

func TestRSASignsWithSHA2(t *testing.T) {
	signer := rsaSigner(t, 2048)
	read, err := sshsig.Unarmor([]byte(sign(t, statement, signer)))
	require.NoError(t, err)
	require.Equal(t, ssh.KeyAlgoRSASHA512, read.Signature.Format)
	require.Equal(t, sshsig.HashSHA512, read.HashAlgorithm)

	other := made(t, stubborn{signer.(ssh.AlgorithmSigner), ssh.KeyAlgoRSASHA256}, sshsig.HashSHA512, Namespace, func(s *sshsig.Signature) {
		require.Equal(t, ssh.KeyAlgoRSASHA256, s.Signature.Format)
	})
	_, err = Verify(statement, other, []Key{{Public: line(signer)}}, noon)
	require.NoError(t, err, "PROTOCOL.sshsig allows both")
}

type deafSigner struct{ ssh.Signer }

func (deafSigner) Sign(io.Reader, []byte) (*ssh.Signature, error) {
	return nil, errors.New("the person said no")
}

func TestSignerThatRefuses(t *testing.T) {
	signer := ed25519Signer(t)
	_, err := Sign(statement, deafSigner{signer})
	require.ErrorContains(t, err, "the person said no")
	require.ErrorContains(t, err, ssh.FingerprintSHA256(signer.PublicKey()))
}

// An agent's keys are another type than those of key files: bytes alone.
func TestAgentsKeysAreRefusedAlike(t *testing.T) {
	require.ErrorContains(t, acceptable(&agent.Key{Format: "ssh-dss"}), "not supported")
	require.ErrorContains(t, acceptable(&agent.Key{Format: ssh.KeyAlgoRSA}), "0 bits")
}

func TestFingerprintOfNoKey(t *testing.T) {
	for _, public := range []string{"", "ssh-ed25519", "ssh-ed25519 ", "ssh-ed25519 !", "ssh-ed25519 AAAA comment"} {
		require.Empty(t, Fingerprint(Key{Public: public}), public)
	}
}

// What a stranger put into a signature comes out of the error text harmless.
func TestErrorTextIsPrintable(t *testing.T) {
	signer := ed25519Signer(t)
	nasty := "\x1b[2J\u202e\n" + strings.Repeat("x", 5000)
	for _, armored := range []string{
		made(t, signer, sshsig.HashSHA512, nasty, nil),
		made(t, signer, sshsig.HashSHA512, Namespace, func(s *sshsig.Signature) { s.HashAlgorithm = sshsig.HashAlgorithm(nasty) }),
		made(t, signer, sshsig.HashSHA512, Namespace, func(s *sshsig.Signature) { s.Signature.Format = nasty }),
		made(t, signer, sshsig.HashSHA512, Namespace, func(s *sshsig.Signature) {
			s.PublicKey = &agent.Key{Format: nasty, Blob: ssh.Marshal(struct{ Kind string }{nasty})}
		}),
	} {
		_, err := Verify(statement, armored, []Key{{Public: line(signer)}}, noon)
		require.Error(t, err)
		require.Less(t, len(err.Error()), 400)
		for _, r := range strings.ReplaceAll(err.Error(), "…", "") {
			require.True(t, ' ' <= r && r <= '~', "%q", err.Error())
		}
	}
}
