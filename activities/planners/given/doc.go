// Package given is the planner for an agent that has its own plan: it asks no
// model and has no opinion. The plan is a document of the task's context, one
// file named actions.json or actions.yaml, wherever it lies among them; one that
// was handed in with the task, in the source "plan", goes before all others:
//
//	{
//	  "format": "holdpoint.actions/1",
//	  "notes": ["the customer asked for it on the phone"],
//	  "actions": [
//	    {"id": "order", "tool": "open_order", "parameters": {"number": "2026-1188"}},
//	    {"id": "mail", "tool": "send_mail", "parameters": {"to": "…"}, "depends_on": ["order"]}
//	  ]
//	}
//
// Package actions has the whole format. What the file says is a proposal like
// any planner's: the tools check and preview it, and risk, delivery class,
// idempotency keys and approval are not the agent's to say.
//
// The planner is strict, because nobody is there to be asked: two such files, a
// field that is not in the format, one that stands there twice, a byte that
// could not be read, or a character that nobody can see are refused, with their
// place (see package planfile, with which 'starter start --plan' reads too). It cannot revise a plan that it did not make:
// feedback ends the run with a fault that says so. A target that changed
// meanwhile is no feedback; the same actions are then previewed anew.
package given
