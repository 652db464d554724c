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
//	STARTED    Complete                              COMPLETED, with the receipt, for good
//	STARTED    Release: nothing left this machine,   RELEASED
//	           or the target surely refused
//	STARTED    Park: the outcome is unknown          STARTED, without a lease
//	STARTED    Begin, the lease runs                 as it was; come back when it ends
//	STARTED    Begin, the lease is over or parked    STARTED, next token; the outcome of the
//	                                                 claim before is unknown
//	STARTED    the same, with other parameters       as it was; in doubt, to be settled first
//	RELEASED   Begin                                 STARTED, next token
//	COMPLETED  Begin                                 as it was; its receipt is the answer
//	COMPLETED  Begin, with other parameters          as it was; a conflict
//
// Three things keep a second effect away:
//
//   - The lease. While it runs nobody else gets the key. The one who holds it
//     renews it for as long as the tool is at work, and stops the tool when
//     that fails.
//   - The fencing token, which rises with each claim. Whoever was suspended
//     for longer than the lease comes back with an old token: the ledger
//     refuses its receipt, and its result does not count.
//   - The target. A lease and a token cannot reach into a call that is already
//     under way, so a claim that follows an unsettled one never just sends
//     again: it recovers as the delivery class allows, or stops and leaves the
//     question to a person.
//
// A crash can happen at three points, named for drills:
//
//	point      what the ledger holds     what the next attempt does
//	---------  ------------------------  -------------------------------
//	begun      STARTED, nothing sent     recovers; the effect is absent
//	effect     STARTED, effect made      recovers; the effect is found
//	recorded   COMPLETED                 takes the receipt from the ledger
package effects
