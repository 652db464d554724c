// Package rehearsal finds out whether a tool's delivery class is true of its
// target, by trying it: one approved action, whose receipt is lost on purpose,
// on its way through the real effect protocol to a sandbox. What is read from
// a vendor's manual can be wrong, and an operator wants to know before a night
// with lost answers shows it.
//
// The steps, in their order:
//
//	step            what is done                                  what must come of it
//	--------------  --------------------------------------------  ----------------------------------------
//	new key         count                                         no effect yet
//	lost receipt    one attempt, abandoned as by a crash after    one effect
//	                its call and before its receipt is recorded
//	recovery        a second attempt with the same key            the first receipt, one effect; of class
//	                                                              lookup without another call; of class
//	                                                              once a stop: a person is asked
//	same call       the call once more, past the ledger           the first receipt, one effect; of class
//	                                                              lookup a look that finds it; of class
//	                                                              once nothing is sent
//	other payload   an attempt with other parameters and the      refused by the ledger, nothing is sent
//	                same key
//	other payload   the same, past the ledger, where the target   refused, or the first receipt; one effect
//	at the target   deduplicates
//	two at once     another key, sent twice at the same time,     one receipt, one effect
//	                past the ledger, where the target
//	                deduplicates
//	last count      count, after the tool's settle time           one effect
//
// A target that cannot be counted leaves its counts to a person, who is told
// what to look for. Two receipts with two references are two effects all the
// same.
package rehearsal
