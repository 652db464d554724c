// Package approvals says what may be done, and who allowed it. It judges the
// decisions that people send on a plan, and makes the grant that an accepted
// approval opens. It does no I/O, reads no clock and knows no Temporal: time
// and lateness are facts that its caller brings.
//
// A decision arrives as bytes that anyone may have typed by hand. [Judge] reads
// it strictly and answers with one [Verdict]; refusals change nothing:
//
//	situation                                                       code
//	--------------------------------------------------------------  ------------------
//	no JSON object, ambiguous, unknown or missing members           malformed
//	plan_hash in another form than sha256: and 64 lower-case digits malformed
//	no plan has been made, or a new one is being made               no_plan_yet
//	the plan is not the run's current one                           stale_plan
//	the decide-by timer fired before the decision arrived           expired
//	a word about one action, after the plan's approval ended        expired
//	approver is the requester, and may not do more than reject      self_approval
//	approver is in no group that is asked, or is no valid name      not_an_approver
//	the policy wants a signature, and there is none                 signature_required
//	the signature does not fit the statement, the person, the time  bad_signature
//	the key may be that of another who has signed on this request   bad_signature
//	no rejection, by a key that is also one of the requester's      self_approval
//	the same approver's same decision on this plan was accepted     duplicate
//	a word about one action, while the plan itself waits            not_asked
//	a word about one action, and the run has ended or is ending     too_late
//	a word about one action that waits for none                     not_asked
//	the approver's groups have approved already, others have not    not_needed
//	valid, but the plan was decided on before, or the run has ended too_late
//	valid, no rejection, and the run was reset since it was asked    asked_anew
//	valid, and the gate is open                                     accepted
//
// The first row that applies, from the top, is the verdict. Decisions are
// judged in order of arrival, in one batch as in two. A run that has ended
// without any plan answers too_late instead of no_plan_yet.
//
// [Terms] say who must approve: how many different people of which groups, all
// of them. One rejection by anyone who is asked ends the request, and one
// revision makes a new plan, of which nothing has been approved. A person counts
// once, and for one group's quorum only, unless the terms say otherwise; which
// one is found by a matching, so that no order of arrival can spoil it. When
// the last place is taken, the [Grant] begins.
//
// A resolution, a person's word about an action whose outcome nobody knows, is
// judged likewise by [JudgeResolutions], with three codes of its own:
//
//	situation                                                       code
//	--------------------------------------------------------------  ------------------
//	not_happened without a claim                                    malformed
//	the operator is no resolver of this action                      not_a_resolver
//	the action, or this claim of it, is not in doubt                not_in_doubt
//	the same was said before                                        duplicate
//	something else was said before, and it stands                   contradicts
//	not_happened, and the run was reset since it was asked          asked_anew
//	happened or abort, before a not_happened is recorded            accepted, in its place
//
// Names: "Ann.Wu" and "ann.wu" are one person. A name with blanks around it, or
// with letters beyond ASCII, is nobody's, see [NormalizeIdentity]; such a
// decision is well-formed and is recorded as not_an_approver.
//
// The approver in a decision is a claim: who may signal the namespace may claim
// any name. What proves it is an SSH signature over the [Statement], a text
// that names the run, the request, the plan and the decision, so that it is
// worth nothing elsewhere. Where the terms are content with a claim, that right,
// or a gateway before it, is the proof, and the record says so.
package approvals
