// Package template is how a declared tool says what it sends: texts and JSON
// values with expressions in {{ }} over the parameters that an approver has
// seen. The expressions are CEL (https://cel.dev): they end, have no effect,
// and cannot reach anything but the variables below.
//
//	params        the parameters, as the tool's schema has checked them
//	key           the idempotency key: 40 lower-case hex digits
//	target        the action's target
//	item          the action's item
//	run_id        the run
//	action_id     the action
//	plan_hash     the approved plan
//	approver      who approved it
//	precondition  the target's state that the plan was made for
//	first_sent    when the first call began that may have had the effect (RFC
//	              3339, by the ledger's clock); empty where none is looked for
//
// An expression may name further variables where a tool has an answer of the
// target to judge; its package says which.
package template
