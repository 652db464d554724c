package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"
)

// keyDigits is the length of an idempotency key: 160 bits are beyond
// collision by chance, and 40 hex digits fit every header and ref name.
const keyDigits = 40

// Identity is what an idempotency key stands for: one business effect. It
// holds no run id, attempt, time or random number, so that every attempt, and
// every later run for the same business id, derives the same key.
type Identity struct {
	Tenant, BusinessID, Tool, Target, Item, SemanticVersion string
}

// Key returns the idempotency key: the first 40 hex digits of the SHA-256 of
// the preimage.
func (id Identity) Key() string {
	h := sha256.New()
	id.preimage(h)
	return hex.EncodeToString(h.Sum(nil))[:keyDigits]
}

// preimage writes each field as a netstring ("4:acme,"), so that no two
// identities share one preimage and a shell can rebuild it with printf.
func (id Identity) preimage(w io.Writer) {
	for _, field := range []string{id.Tenant, id.BusinessID, id.Tool, id.Target, id.Item, id.SemanticVersion} {
		io.WriteString(w, strconv.Itoa(len(field))+":"+field+",") //nolint:errcheck // a hash never fails
	}
}
