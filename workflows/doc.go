// Package workflows is the deterministic heart of Holdpoint: the order of the
// steps and the durability of every decision, and nothing else. It knows no
// clock but the workflow's and no I/O, and ranges over no map. No workflow code
// reads what people sent: [Arrival] does that for the activities that judge it.
//
// A run is one execution of [AgentRun], from RUNNING to an end:
//
//	RUNNING ── collect_context ── make_plan ──┬── every action was done before ──▶ summarize ──▶ COMPLETED
//	                                 ▲        │
//	                                 │   request_approval ◀────────┐ asks again, where the policy says so
//	                                 │        │   ▼                │
//	                                 │ nobody │  WAITING_APPROVAL ─┴─ decide_by passed ────▶ EXPIRED
//	                                 │ need be│   │       └────────── one rejection ───────▶ REJECTED
//	          revise: new plan ──────┤ asked  │   │ every quorum is met
//	          target or policy       │        ▼   ▼
//	          changed, what is left ─┤
//	                                 └── execute_action, one for each action
//	                                          ├── one wants a word of its own: WAITING_APPROVAL,
//	                                          │   until an approver lets it go, or ───▶ REJECTED
//	                                          ├── every action has a receipt ────▶ summarize ──▶ COMPLETED
//	                                          ├── expires_at passed ─────────────▶ EXPIRED
//	                                          ├── an action failed ──────────────▶ FAILED
//	                                          └── nobody knows what became of one
//	                                               ▼
//	                                         WAITING_RESOLUTION, until a person says
//	                                               ├── happened ──── on, with her word as receipt
//	                                               ├── not_happened ─ on: it is sent again, same key
//	                                               └── abort ─────────────────────▶ FAILED
//
// From every state a cancellation leads to CANCELED, after the actions in
// flight have come back. REJECTED and EXPIRED complete the workflow, with that
// status in its result; only a fault fails it.
//
// # Decisions
//
// Decisions arrive as signal or update [ApprovalName]. They are taken
// undecoded ([NewInterceptor]), kept in order of arrival, and judged in
// batches by the local activity [JudgeDecisions], against the terms that
// request_approval returned. Its verdicts stand in the history; a replay never
// parses a decision, nor verifies a signature, again. A decision counts when the
// server took it before decide_by passed, whether or not a worker was there to
// read it.
//
// Terms, deadlines and the channels of notices are data of the history: a
// deploy with another policy changes no waiting run. Before each effect
// execute_action asks the policy of its own day, and what it refuses leads back
// to the gate.
//
// # Notices
//
// People are told of what waits for them by the activity [Notify], beside
// everything else: a channel that fails is seen in the status, and stops
// nothing.
//
// # Resolutions
//
// An action whose outcome nobody knows stops nothing but what depends on it.
// When its attempts are used up, [SettleAction] asks the ledger; if that does not
// know either, the run waits for signal or update [ResolutionName], which is
// judged like a decision. A word is bound to one claim of the action, by its
// fencing token: what it says cannot be applied to a later attempt. The wait
// has no deadline. What did not happen is sent again only while the approval is
// alive.
//
//	in doubt, and                     event                 what follows
//	--------------------------------  --------------------  ----------------------------------
//	nothing was said                  happened              it is recorded as the receipt
//	nothing was said                  not_happened          when no call can be under way any
//	                                                        more it is recorded; then the
//	                                                        action is PENDING, and sent again
//	nothing was said                  abort                 when the policy of the day takes
//	                                                        it the run ends, with the doubt
//	not_happened, not recorded yet    happened, abort       as above: the cautious word wins
//	what was said is recorded         another word          refused: it contradicts
//	any                               a cancellation        the run ends, with the doubt
//
// Until what was said is recorded, the run is WAITING_RESOLUTION. A run that is
// ending waits for that no longer than a ledger takes that is there.
//
// Words are judged by the policy of the day, as far as the run has heard of it: with
// each look and each word that is told to the ledger, and, once a minute at most,
// because the judge refused a word by another policy than that of the day.
//
// # Rules for a change
//
// Recorded histories must replay: a change to the sequence of commands needs
// workflow.GetVersion. Time limits and retry budgets are no commands and may
// change; what shapes the sequence (the bound of parallel actions, deadlines)
// is fixed in the history when the plan is made.
package workflows
