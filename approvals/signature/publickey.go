package signature

import (
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// Bounds of an RSA modulus, in bits. Shorter ones are disallowed for signatures
// (NIST SP 800-131A Rev. 2, table 2). Longer ones cost whoever verifies more
// than they protect, and anybody may send one in a signature.
const (
	minRSABits = 2048
	maxRSABits = 8192
)

// typeDSA is known to be refused by name; x/crypto does not read such keys.
const typeDSA = "ssh-dss"

// keyTypes are the kinds of keys whose signatures count.
var keyTypes = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519,
	ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoSKECDSA256,
	ssh.KeyAlgoRSA,
}

// isKeyType reports whether a word of an allowed_signers line is a key's type,
// be it one that is accepted or not.
func isKeyType(word string) bool {
	return slices.Contains(keyTypes, word) || word == typeDSA || isCertificateType(word)
}

func isCertificateType(word string) bool {
	return strings.HasSuffix(word, "-cert-v01@openssh.com")
}

// parsePublic reads a public key from its two words in a line, and refuses it
// unless its signatures count.
func parsePublic(kind, encoded string) (ssh.PublicKey, error) {
	if kind == typeDSA {
		return nil, errors.New("the key is an ssh-dss key; DSA is unsafe and was withdrawn (FIPS 186-5)")
	}
	blob, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return nil, errors.New("the key is not valid base64")
	}
	public, err := ssh.ParsePublicKey(blob)
	if err != nil {
		return nil, fmt.Errorf("the key cannot be read: %s", brief(err.Error()))
	}
	if public.Type() != kind {
		return nil, fmt.Errorf("the key is called %s and is %s", kind, public.Type())
	}
	return public, acceptable(public)
}

// acceptable returns why signatures of this key never count, with the key's
// fingerprint, or nil. It needs what ssh.ParsePublicKey returned: an agent's
// key does not know its numbers.
func acceptable(public ssh.PublicKey) error {
	if certificate, ok := public.(*ssh.Certificate); ok {
		return fmt.Errorf("%s comes in a certificate; sign with the key itself", ssh.FingerprintSHA256(certificate.Key))
	}
	if !slices.Contains(keyTypes, public.Type()) {
		return fmt.Errorf("%s is of type %s, which is not supported", ssh.FingerprintSHA256(public), public.Type())
	}
	if public.Type() != ssh.KeyAlgoRSA {
		return nil
	}
	if bits := rsaBits(public); bits < minRSABits || bits > maxRSABits {
		return fmt.Errorf("%s is an RSA key of %d bits; %d to %d are accepted", ssh.FingerprintSHA256(public), bits, minRSABits, maxRSABits)
	}
	return nil
}

// rsaBits returns the size of the key's modulus, or 0 if it is not known.
func rsaBits(public ssh.PublicKey) int {
	known, ok := public.(ssh.CryptoPublicKey)
	if !ok {
		return 0
	}
	numbers, ok := known.CryptoPublicKey().(*rsa.PublicKey)
	if !ok {
		return 0
	}
	return numbers.N.BitLen()
}

// canonical returns the text that Key.Public has for this key.
func canonical(public ssh.PublicKey) string {
	return public.Type() + " " + base64.StdEncoding.EncodeToString(public.Marshal())
}

// brief makes text that may hold a stranger's bytes fit for an error message:
// printable ASCII, and not long.
func brief(text string) string {
	const limit = 120
	cut := text[:min(len(text), limit)]
	cut = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, cut)
	if len(text) > limit {
		cut += "…"
	}
	return cut
}
