// Package evidence is the record of one run that stands alone: a document that
// anyone can check without Temporal, without the blob store, and without
// trusting whoever made it more than the signatures in it deserve. It is pure:
// package gather makes the content from a run's histories, and the programs read
// and write the files.
//
// [Verify] decides everything anew that can be decided from the document: plans
// and policies by their digests, what the policy asks for each plan, what the
// judge says of each decision, in the order in which they came, and what grant
// follows. Signatures count by the allowed signers of whoever verifies.
//
// How far a member of the document can be trusted:
//
//	proved    bytes under a digest that somebody signed: a plan, a decision,
//	          what was commented on it, until when, by whom
//	derived   what follows from those and the policy: terms, verdicts, grants
//	recorded  what the exporter saw in the history: times, attempts, receipts,
//	          notices. It is as good as the seal on the document, or as a
//	          history that the verifier has from elsewhere
//
// A decision that was given by claim is derived from a claim: it is reported as
// such, and never as proved.
package evidence
