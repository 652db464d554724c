// Package plan is the leaf of Holdpoint: what a plan is, byte for byte, and
// the three values that are derived from it.
//
//   - [Digest], the SHA-256 of a plan's canonical bytes (RFC 8785). It is the
//     plan_hash that people approve and that every later reader verifies.
//   - [Identity.Key], an action's idempotency key: who is meant, not who asks or when.
//   - [Fingerprint], the digest of an action's parameters: what is meant.
//
// A plan is a value. It is made once, kept at the address of its own digest,
// and never edited; a change of mind is a new plan with a new digest. Who makes
// one calls [Plan.Validate] and [Plan.Canonical]; who is given one calls [Load]
// with the digest that was approved, and believes nothing else. People read it
// through [Render] and [Summary], which show what a screen would hide.
//
// Canonical form is more than tidiness: an approver's own script, a database
// and this program must get one digest from one document, and no document may
// mean two things to two readers. See [Canonicalize] for what is refused.
//
//	situation                                                     error
//	------------------------------------------------------------  -----------------
//	stored or delivered bytes are another document                ErrDigestMismatch
//	no strict JSON; numbers, text or names with loss or doubt     ErrMalformed
//	a member unknown, missing, null or in other letter case       ErrMalformed
//	a time in another form than 2006-01-02T15:04:05Z              ErrMalformed
//	keys not derived or not unique, dependencies without end      ErrMalformed
//
// This package imports nothing of Holdpoint, does no I/O, and reads no clock.
package plan
