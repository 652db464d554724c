// Package interleave is one property test: whatever people, the policy, the
// target and the machines do, and in whatever order,
//
//   - there is no effect without a grant that covers it: for each payment that
//     the bank has counted, people had by then decided, in the history, on exactly
//     the plan that it is of; their decisions meet the terms under which they were
//     asked, and the policy of the worker that paid; they prove who they are
//     where either wants it; nobody had rejected; and the time was not over;
//   - no payment is made twice, and none that is in no plan;
//   - every run ends, and COMPLETED only with every payment of its last plan;
//   - every history replays.
//
// Many runs live side by side on one development server. In each, a seeded
// sequence of moves is made by its people: approvals of this plan and of older
// ones, with and without signatures, also stolen ones; rejections, revisions,
// confirmations, rubbish; by signal and by update. Somebody changes accounts.
// Meanwhile an operator stops workers, cuts them off in the middle of what they
// do, starts others with another policy, and lets two policies work side by
// side; the bank turns calls away and loses answers. Times to decide, and the
// lives of approvals, are a few seconds, so that they run out all the time.
//
// What is allowed is decided by a model of its own, which takes no judgement from
// the product: it reads what was sent from the history with types of its own,
// tries every way to seat people in groups, and verifies signatures, by another
// library, over a statement written by hand. What it shares are the scene with
// its people's keys, and Temporal's client.
//
// `go test` plays one story of a fixed seed. More of them:
//
//	HOLDPOINT_INTERLEAVE_STORIES=50 go test -timeout 2h ./internal/interleave
//	HOLDPOINT_INTERLEAVE_SEED=7     go test -v ./internal/interleave   # that story
//	HOLDPOINT_INTERLEAVE_RUNS=40    go test ./internal/interleave      # runs in each
//
// A story's moves follow from its seed; how they fall among the work of the
// server and the workers does not. A failure prints its seed, and what happened
// to the run.
package interleave
