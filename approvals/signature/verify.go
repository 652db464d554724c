package signature

import (
	"bytes"
	"crypto/rsa"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
)

// maxArmoredBytes bounds a signature; one with an RSA key of 8192 bits has some
// 3 KiB.
const maxArmoredBytes = 16 << 10

// Why a signature does not count, for callers to tell apart with errors.Is. The
// text around them is for whoever sent it; of what the signature brought it has
// printable ASCII only.
var (
	ErrMalformed  = errors.New("there is no readable signature")
	ErrUnknownKey = errors.New("the signature names a key that may not sign here")
	errWrong      = errors.New("the signature does not fit this text")
	ErrOutOfTime  = errors.New("the signature was made with a key that is not valid at this time")
)

// Verify returns which of the keys signed this message, by an armored signature
// of at most 16 KiB with SHA-512 or SHA-256 in Namespace, if that key is valid
// at this time. The keys are those of one name, as KeysOf returns them.
//
// The error is, in the order of the checks:
//
//   - ErrMalformed: it cannot be read, or is one by RSA with SHA-1
//   - ErrUnknownKey, with the key's fingerprint: its key is none of these, or
//     could never be listed, such as a certificate
//   - one of no name: it was made for another text or namespace, by another key
//     than it names, or by a security key that nobody touched
//   - ErrOutOfTime: it is good, and its key is not valid yet or any more
//
// A signature that names an unknown key is not verified: anybody can send one,
// and with a key of a stranger's choice that would cost milliseconds each.
func Verify(message []byte, armored string, keys []Key, at time.Time) (Key, error) {
	made, err := read(armored)
	if err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if err := acceptable(made.PublicKey); err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrUnknownKey, err)
	}
	signer := Key{Public: canonical(made.PublicKey)}
	listed := slices.DeleteFunc(slices.Clone(keys), func(k Key) bool { return k.Public != signer.Public || k.Elsewhere })
	if len(listed) == 0 {
		return Key{}, fmt.Errorf("%w: %s", ErrUnknownKey, Fingerprint(signer))
	}
	if made.Namespace != Namespace {
		return Key{}, fmt.Errorf("%w: it was made for the namespace %q; sign with -n %s", errWrong, brief(made.Namespace), Namespace)
	}
	if err := sshsig.Verify(bytes.NewReader(message), made, made.PublicKey, made.HashAlgorithm, Namespace); err != nil {
		return Key{}, wrong(err)
	}
	// One key may be listed for several spans of time.
	if i := slices.IndexFunc(listed, func(k Key) bool { return k.ValidAt(at) }); i >= 0 {
		return listed[i], nil
	}
	return Key{}, fmt.Errorf("%w: %s, %s; it is %s", ErrOutOfTime, Fingerprint(signer), listed[len(listed)-1].span(), stamp(at))
}

// wrong says what does not fit, where the library has more to say than that.
func wrong(err error) error {
	reason := strings.TrimPrefix(err.Error(), "ssh: ")
	if errors.Is(err, rsa.ErrVerification) || reason == "signature did not verify" {
		return errWrong
	}
	return fmt.Errorf("%w: %s", errWrong, brief(reason))
}

// read parses an armored signature.
func read(armored string) (*sshsig.Signature, error) {
	if len(armored) > maxArmoredBytes {
		return nil, fmt.Errorf("it has %d bytes; at most %d are allowed", len(armored), maxArmoredBytes)
	}
	blob, err := dearmor(armored)
	if err != nil {
		return nil, err
	}
	made, err := sshsig.ParseSignature(blob)
	if err != nil {
		return nil, errors.New(brief(err.Error()))
	}
	// Only security keys put something after the signature proper: their flags
	// and counter (PROTOCOL.u2f). Elsewhere x/crypto would not look at it.
	if len(made.Signature.Rest) > 0 && !strings.HasPrefix(made.PublicKey.Type(), "sk-") {
		return nil, errors.New("bytes follow the signature within it")
	}
	return made, nil
}

// span says for people when the key is valid.
func (k Key) span() string {
	switch {
	case k.ValidBefore.IsZero():
		return "valid from " + stamp(k.ValidAfter)
	case k.ValidAfter.IsZero():
		return "valid until " + stamp(k.ValidBefore)
	default:
		return "valid from " + stamp(k.ValidAfter) + " until " + stamp(k.ValidBefore)
	}
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
