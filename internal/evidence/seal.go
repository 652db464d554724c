package evidence

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// Seal says that a content is whole, and, when it is signed, who says so.
type Seal struct {
	Content plan.Digest `json:"content_sha256"`      // of the content in the form of RFC 8785
	By      string      `json:"by,omitempty"`        // normalized; only of a signed one
	Sign    string      `json:"signature,omitempty"` // over SealStatement
}

// SealStatement is what whoever seals a bundle signs, in the namespace of the
// decisions.
func SealStatement(runID string, content plan.Digest) []byte {
	return fmt.Appendf(nil, "holdpoint evidence v1\nrun: %s\ncontent-sha256: %s\n", plan.Escape(runID), content.Hex())
}

// New makes the bundle of a content, not signed.
func New(c Content) (Bundle, error) {
	sum, err := digestOf(c)
	if err != nil {
		return Bundle{}, err
	}
	return Bundle{Format: Format, Content: c, Seal: Seal{Content: sum}}, nil
}

// SealedBy returns the bundle with a seal in somebody's name. sign signs a
// SealStatement as signature.Sign does.
func (b Bundle) SealedBy(name string, sign func(statement []byte) (armored string, err error)) (Bundle, error) {
	normal, err := approvals.NormalizeIdentity(name)
	if err != nil {
		return Bundle{}, err
	}
	armored, err := sign(SealStatement(b.Content.RunID, b.Seal.Content))
	if err != nil {
		return Bundle{}, err
	}
	b.Seal.By, b.Seal.Sign = normal, armored
	return b, nil
}

// SignedBy names, each once, those whose signatures the bundle has and Verify
// checks: the one who sealed it, and those whose signed words were accepted.
// Without any of them the verifier needs no keys.
func (b Bundle) SignedBy() []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if b.Seal.By != "" && b.Seal.Sign != "" {
		add(b.Seal.By)
	}
	for _, j := range b.Content.Judgements {
		for _, w := range j.Words {
			if w.Verdict.Code == approvals.Accepted && w.Verdict.Proof == approvals.BySignature {
				add(w.Verdict.Approver)
			}
		}
	}
	return names
}

// checkSeal returns who sealed the bundle, "" when nobody did, and with which
// key.
func (b Bundle) checkSeal(o Options) (by, key string, err error) {
	sum, err := digestOf(b.Content)
	if err != nil {
		return "", "", err
	}
	return b.checkSealOf(sum, o)
}

// checkSealOf is checkSeal for a content of that digest.
func (b Bundle) checkSealOf(sum plan.Digest, o Options) (by, key string, err error) {
	switch {
	case sum != b.Seal.Content:
		return "", "", fmt.Errorf("the content has the digest %s, the seal says %s: something was changed", sum, b.Seal.Content)
	case b.Seal.By == "" && b.Seal.Sign == "" && o.SealedBy == "":
		return "", "", nil
	case b.Seal.By == "" || b.Seal.Sign == "":
		return "", "", fmt.Errorf("no signed seal is on it%s", wanted(o.SealedBy))
	case o.SealedBy != "" && o.SealedBy != b.Seal.By:
		return "", "", fmt.Errorf("it was sealed by %s%s", plan.Escape(b.Seal.By), wanted(o.SealedBy))
	}
	found, err := o.verify(b.Seal.By, SealStatement(b.Content.RunID, sum), b.Seal.Sign, b.Content.ExportedAt)
	if err != nil {
		return "", "", fmt.Errorf("the seal of %s: %w", plan.Escape(b.Seal.By), err)
	}
	return b.Seal.By, found, nil
}

func wanted(by string) string {
	if by == "" {
		return ""
	}
	return "; one of " + by + " is wanted"
}

// keepRetired is what to do about a key that is not used any more.
const keepRetired = "; a key that signed then and was retired since belongs into your allowed signers, with valid-before"

// verify checks a signature with the verifier's own keys and returns the key's
// fingerprint.
func (o Options) verify(name string, statement []byte, armored string, at time.Time) (string, error) {
	keys := o.Signers.KeysOf(name)
	if len(keys) == 0 {
		return "", fmt.Errorf("your allowed signers have no key of %s%s", plan.Escape(name), keepRetired)
	}
	key, err := signature.Verify(statement, armored, keys, at)
	switch {
	case errors.Is(err, signature.ErrUnknownKey):
		return "", fmt.Errorf("%w%s", err, keepRetired)
	case err != nil:
		return "", err
	}
	return signature.Fingerprint(key), nil
}
