package signature

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"
)

// Namespace separates these signatures from all others of the same key, see
// ssh-keygen(1), -Y sign -n.
const Namespace = "holdpoint"

// Key is one public key that may sign in a person's name.
type Key struct {
	Name string `json:"name"` // whose it is, normalized as identities are
	// Public is the key as an authorized_keys line has it, without options and
	// comment: "ssh-ed25519 AAAA…". It is canonical: equal keys are equal texts.
	Public string `json:"public"`
	// ValidAfter and ValidBefore bound when it may sign, both included; zero: no
	// bound.
	ValidAfter  time.Time `json:"valid_after,omitzero"`
	ValidBefore time.Time `json:"valid_before,omitzero"`
	// Elsewhere says that it is listed for that name in other namespaces only: it
	// signs nothing here. Whoever holds it is that person all the same.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// Fingerprint returns the key's SHA-256 fingerprint as ssh-keygen -l prints it,
// "SHA256:…", for people to compare. It is "" if key.Public is no public key.
func Fingerprint(key Key) string {
	_, encoded, _ := strings.Cut(key.Public, " ")
	blob, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || len(blob) == 0 {
		return ""
	}
	sum := sha256.Sum256(blob)
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// ValidAt reports whether the key may sign at this time. Like OpenSSH, which
// counts whole seconds and refuses only what is before valid-after or past
// valid-before (check_allowed_keys_line in sshsig.c; ssh-keygen(1): "at or
// after", "at or before"), it includes both bounds, the last second whole.
func (k Key) ValidAt(at time.Time) bool {
	early := !k.ValidAfter.IsZero() && at.Unix() < k.ValidAfter.Unix()
	late := !k.ValidBefore.IsZero() && at.Unix() > k.ValidBefore.Unix()
	return !early && !late
}
