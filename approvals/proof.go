package approvals

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/approvals/signature"
)

// Proven says how a person proved who she is.
type Proven struct {
	Proof Proof `json:"proof,omitempty"`
	// Key is the fingerprint of the key that signed, and Signature what it wrote.
	Key       string `json:"key,omitempty"`
	Signature string `json:"signature,omitempty"`
}

// keysOf returns the keys with which a person may sign.
func (t Terms) keysOf(name string) []signature.Key {
	var keys []signature.Key
	for _, k := range t.Signers {
		if k.Name == name && !k.Elsewhere {
			keys = append(keys, k)
		}
	}
	return keys
}

// cannotSign reports a person who could decide and has no way to prove it: the
// requester of a run, who may reject it, when she is in no group and so has no
// key here.
func (t Terms) cannotSign(name string) bool {
	return t.Proof == BySignature && len(t.keysOf(name)) == 0 && !slices.Contains(t.Approvers(), name)
}

// prove checks that name stands behind a statement. A signature that was sent
// is verified also where a claim would do: one that does not fit is never
// passed over. Only a claim's signature by a person whose keys the policy does
// not know is left alone, and proves nothing.
func (t Terms) prove(name string, statement []byte, armored string, at time.Time) (Proven, Code, string) {
	keys := t.keysOf(name)
	switch {
	case armored == "" && t.Proof == ByClaim, t.Proof == ByClaim && len(keys) == 0:
		return Proven{Proof: ByClaim}, Accepted, ""
	case armored == "":
		return Proven{}, SignatureRequired, fmt.Sprintf(
			"The policy %s wants a signature of %s. Use 'approver', or sign the text that 'approver statement' prints with ssh-keygen -Y sign -n %s.",
			t.Label, name, signature.Namespace)
	case len(keys) == 0:
		return Proven{}, BadSignature, fmt.Sprintf("The policy %s has no key of %s. Add it to the policy's allowed signers.", t.Label, name)
	}
	key, err := signature.Verify(statement, armored, keys, at)
	if err != nil {
		return Proven{}, BadSignature, sentence(err) + " " + adviceFor(err)
	}
	return Proven{Proof: BySignature, Key: signature.Fingerprint(key), Signature: armored}, Accepted, ""
}

// adviceFor says what to do about a signature that proves nothing.
func adviceFor(err error) string {
	switch {
	case errors.Is(err, signature.ErrMalformed):
		return "Send what ssh-keygen -Y sign wrote, from BEGIN to END, as one JSON text."
	case errors.Is(err, signature.ErrUnknownKey):
		return "Sign with a key that the policy has for you, or have this one added."
	case errors.Is(err, signature.ErrOutOfTime):
		return "Sign with a key that is valid now."
	default:
		return "It is of another text: look at the run again and sign what it asks for now. A signature is of one run, one request and one plan."
	}
}

// oneKeyOnePerson refuses a signature of somebody who may be one with another who
// has signed on this request already, or by a key which the requester has too:
// people are counted by their keys as well as by their names, for one key may
// stand under several.
func (r Request) oneKeyOnePerson(name string, d Decision, p Proven) (Code, string) {
	if p.Key == "" {
		return Accepted, ""
	}
	for _, t := range r.Taken {
		switch {
		case t.Key == p.Key && t.Approver != name:
			return BadSignature, fmt.Sprintf("The key %s has signed for %s already. Each approver signs with a key of her own.", p.Key, t.Approver)
		case r.Terms.onePerson(t.Approver, t.Key, name, p.Key):
			return BadSignature, fmt.Sprintf("%s has signed already, and shares the key of one of both signatures with %s. "+
				"Each approver signs with a key that nobody else has.", t.Approver, name)
		}
	}
	if d.Decision != Reject && r.Terms.isOf(p.Key, r.Requester, name) {
		return SelfApproval, fmt.Sprintf("The key %s is also one of %s, who requested this run. Ask an approver with a key of her own.", p.Key, r.Requester)
	}
	return Accepted, ""
}

// onePerson reports whether whoever signed as one could have signed as the other
// too: by the same key, or by one that is also the other's. Where one of them did
// not sign, nothing is known of it.
func (t Terms) onePerson(name, key, other, otherKey string) bool {
	return name != other && key != "" && otherKey != "" &&
		(key == otherKey || t.has(name, otherKey) || t.has(other, key))
}

// isOf reports whether a key that signed for somebody is the requester's too.
func (t Terms) isOf(key, requester, name string) bool {
	owner, err := NormalizeIdentity(requester)
	return err == nil && owner != name && t.has(owner, key)
}

// has reports whether a key, by its fingerprint, is one of a person's, also one that
// she signs other things with.
func (t Terms) has(name, key string) bool {
	return key != "" && slices.ContainsFunc(t.Signers, func(k signature.Key) bool { return k.Name == name && signature.Fingerprint(k) == key })
}
