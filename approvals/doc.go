// Package approvals says what may be done, and who allowed it. It judges the
// decisions that people send on a plan, and makes the grant that an accepted
// approval opens. It does no I/O, reads no clock and knows no Temporal: time
// and lateness are facts that its caller brings.
//
// A decision arrives as bytes that anyone may have typed by hand. [Judge] reads
// it strictly and answers with one [Verdict]; refusals change nothing:
//
//	situation                                                       code
//	--------------------------------------------------------------  ---------------
//	no JSON object, ambiguous, unknown or missing members           malformed
//	plan_hash in another form than sha256: and 64 lower-case digits malformed
//	no plan has been made, or a new one is being made               no_plan_yet
//	the plan is not the run's current one                           stale_plan
//	the decide-by timer fired before the decision arrived           expired
//	approver is the requester, and the decision is not reject       self_approval
//	approver is not on the policy's list, or is no valid name       not_an_approver
//	the same approver's same decision on this plan was accepted     duplicate
//	valid, but the plan was decided on before, or the run has ended too_late
//	valid, and the gate is open                                     accepted
//
// The first row that applies, from the top, is the verdict. The first valid
// decision in order of arrival wins, in one batch as in two. A run that has
// ended without any plan answers too_late instead of no_plan_yet.
//
// Names: "Ann.Wu" and "ann.wu" are one person. A name with blanks around it, or
// with letters beyond ASCII, is nobody's, see [NormalizeIdentity]; such a
// decision is well-formed and is recorded as not_an_approver.
//
// The approver in a decision is a claim. This version verifies no signatures
// and records nothing as verified: who may signal the namespace may claim any
// name, and that right, or a gateway before it, is the proof.
package approvals
