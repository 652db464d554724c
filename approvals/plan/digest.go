package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

const digestPrefix = "sha256:"

// Digest is a SHA-256. Its one written form is "sha256:" followed by 64
// lower-case hexadecimal digits; no shorter, upper-case or bare form is
// accepted, so that one text can never stand for two plans. The zero Digest
// stands for "none" and never equals the digest of any content.
type Digest [sha256.Size]byte

// Sum returns the digest of b.
func Sum(b []byte) Digest { return sha256.Sum256(b) }

// ParseDigest reads the written form of a digest. The error says which part of
// the form is missed.
func ParseDigest(s string) (Digest, error) {
	if err := checkForm(s); err != nil {
		return Digest{}, fmt.Errorf("digest %+q %w; the one form is %q and 64 lower-case hex digits", clip(s, 80), err, digestPrefix)
	}
	var d Digest
	_, err := hex.Decode(d[:], []byte(s[len(digestPrefix):]))
	return d, err
}

// checkForm names the first departure from the written form.
func checkForm(s string) error {
	digits, prefixed := strings.CutPrefix(s, digestPrefix)
	switch {
	case s == "":
		return errors.New("is empty")
	case strings.TrimSpace(s) != s:
		return errors.New("has blanks or line ends around it")
	case !prefixed:
		return fmt.Errorf("does not begin with %q", digestPrefix)
	case strings.Trim(digits, "0123456789abcdef") == "":
	case strings.Trim(digits, "0123456789abcdefABCDEF") == "":
		return errors.New("has upper-case digits")
	default:
		return errors.New("has letters that are no hex digits")
	}
	if want := hex.EncodedLen(sha256.Size); len(digits) != want {
		return fmt.Errorf("has %d digits, not %d", len(digits), want)
	}
	return nil
}

// String returns the written form.
func (d Digest) String() string { return digestPrefix + hex.EncodeToString(d[:]) }

// Hex returns the 64 digits alone, for file names and sha256sum.
func (d Digest) Hex() string { return hex.EncodeToString(d[:]) }

// IsZero reports whether d is the zero Digest.
func (d Digest) IsZero() bool { return d == Digest{} }

// MarshalText writes the zero Digest as the empty text.
func (d Digest) MarshalText() ([]byte, error) {
	if d.IsZero() {
		return nil, nil
	}
	return []byte(d.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*d = Digest{}
		return nil
	}
	parsed, err := ParseDigest(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// clip shortens a text for an error message and says that it did.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
