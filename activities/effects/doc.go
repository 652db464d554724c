// Package effects is the effect protocol: how one approved action takes effect
// once, although its attempts may crash, hang, overlap and lose their answers.
// It is at least once, deduplicated by key; who deduplicates is what the
// tool's delivery class says.
//
// A [Ledger] keeps one row a key. A [Protocol] takes an action through the
// row's states:
//
//	state      event                                 next state
//	---------  ------------------------------------  --------------------------------------
//	no row     Begin                                 STARTED, token 1
//	no row     Begin, after an attempt that may have STARTED, token 1; its row was lost: recover
//	           claimed the key
//	no row     Settle: a person says it happened     COMPLETED
//	STARTED    Complete                              COMPLETED, with the receipt, for good
//	STARTED    Release: nothing left this machine,   RELEASED
//	           or the effect is surely absent
//	STARTED    Park: the outcome is unknown          STARTED, without a lease: in doubt
//	STARTED    Begin, the lease runs                 as it was; come back when it ends
//	STARTED    Begin, a call may be under way that   as it was; come back when it has ended
//	           must not be made beside another
//	STARTED    Begin, the lease is over or parked    STARTED, next token; the outcome of the
//	                                                 claim before is unknown: recover
//	STARTED    the same, under another declaration   STARTED, next token, and the declaration as
//	           of the tool                           it was: a person is asked
//	STARTED    the same, with other parameters       as it was; in doubt, to be settled first
//	STARTED    Settle: a person says what happened   RELEASED or COMPLETED
//	RELEASED   Begin                                 STARTED, next token
//	RELEASED   Settle: a person says it happened     COMPLETED, her word is the receipt
//	COMPLETED  Begin                                 as it was; its receipt is the answer
//	COMPLETED  Begin, with other parameters          as it was; a conflict
//
// A claim, and a person's word, is for one ledger. One of another identity
// refuses it, for what it does not know may well have happened.
//
// Four things keep a second effect away:
//
//   - The lease. While it runs nobody else gets the key. The one who holds it
//     renews it for as long as the tool is at work, and stops the tool when
//     that fails; but not when nobody else could make or find the effect anyway,
//     for then the tool's answer is all that will ever be known.
//   - The fencing token, which rises with each claim. Whoever was suspended
//     for longer than the lease comes back with an old token: the ledger
//     refuses its receipt, its result does not count, and no further write of
//     it begins (tools.Call.Allowed).
//   - The end of a call. It is fixed when the claim is made, and the ledger
//     knows it, together with the time that the target needs to show an effect
//     (Claim.Quiet). Whoever was suspended right before the call comes back to
//     a context that has ended. Nothing is concluded from an effect's absence,
//     and nothing is sent that the target does not deduplicate, before then.
//   - The target. A lease and a token cannot reach into a call that is already
//     under way, so a claim that follows an unsettled one never just sends
//     again: it recovers as the delivery class allows, or stops and leaves the
//     question to a person.
//
// What recovery means, by delivery class:
//
//	class                        who deduplicates     when the outcome is unknown
//	---------------------------  -------------------  ---------------------------------------
//	transactional, conditional   the target           the same call again, at once
//	keyed, inside its window     the target, by key   the same call again, at once
//	keyed, after it, and lookup  we, by looking       when no call is under way, Find:
//	                                                    found: its receipt is the answer
//	                                                    absent: a fresh claim, and the call
//	                                                    not proven: a person is asked
//	keyed, after it, and cannot  nobody               when no call is under way, a person is
//	find; once                                        asked; nothing is sent
//
// All of it only for a call that was made under the same declaration of the
// tool. A class is a promise about the calls made under it, and says nothing of
// one that another declaration sent, perhaps without a key or to another place:
// then, too, a person is asked when no call is under way. So the ledger keeps
// the declaration of a call for as long as its outcome is unknown, also for the
// runs that come after. A declaration without a digest is compared with nothing.
//
// The window of a key counts from the first call, and ends a call's time early:
// what is sent inside it must also arrive inside it. A look that fails settles
// nothing, whatever its error: only a call's error, and only one that says so
// ([tools.ErrAbsent], [tools.ErrDrift]), ends a doubt.
//
// A crash can happen at three points, named for drills:
//
//	point      what the ledger holds     what the next attempt does
//	---------  ------------------------  ----------------------------------------
//	begun      STARTED, nothing sent     recovers; the effect is absent
//	effect     STARTED, effect made      recovers; the effect is there
//	recorded   COMPLETED                 takes the receipt from the ledger
//
// An action that goes well costs two calls of the ledger: Begin and Complete.
package effects
