// Package budget keeps what runs and tenants spend on models within limits, in
// tokens and in money.
//
//	budgets:
//	  currency: USD
//	  prices:                          # of a million tokens, by the model's name
//	    gpt-x: {input: "2.50", output: "10.00"}
//	  run: {tokens: 2000000, cost: "5.00"}
//	  tenant: {tokens: 50000000, cost: "200.00"}    # of a calendar month, UTC
//	  tenants:
//	    acme: {cost: "500.00"}         # in the place of tenant, the whole of it
//
// # What is counted
//
// Every call is a record in the blob store, under a name that no other call has:
//
//	spend/<yyyy-mm>/<SHA-256 of the run's id>/<request key>-<random>.json
//
// It is written before the call, with the most that the call can use, and
// replaced afterwards by what the provider reported. A worker that dies between
// leaves it, as does an answer that was lost or does not say what it used: such a
// call counts as much as it was reserved, unless its reply is found stored. The
// record says until when its call may be under way. The month is that of the time
// that the caller hands in, and a record stays in it. A run's budget is of all its calls
// in that month and the eleven before, also of an earlier start under the same id.
//
// The records also say how often a request was made: each one but those that
// were given back is a call.
//
// # What is refused
//
// A call is refused, before it is made, when what is spent and reserved and the
// most that it can use are together above a limit. When that is only because of
// calls that are under way, it waits: they may give something back. The fault says
// whose they are: others', or of an earlier attempt of the same run.
//
//	look ─▶ record ─▶ look again ─▶ the call
//	                       └ there is no room by now: give back, wait
//
// Processes that record at the same moment see each other at the second look, since
// the store lists what is written, and none of their calls goes over a limit. A call
// can use more than was estimated; then the record says so, as far as the number can
// be believed. The second look also counts the calls of the question.
//
//	fault               class      when
//	------------------  ---------  ---------------------------------------------------
//	over_budget         Permanent  the call would go over a limit
//	budget_reserved     Transient  only calls under way leave no room: it waits
//	asked_elsewhere     Transient  there are more calls of the question than Tries
//	spend_damaged       Permanent  a record is not what was written
//	spend_currency      Permanent  a limit in money, and records in another currency
//	spend_unreachable   Transient  the store does not work: nothing is spent uncounted
package budget
