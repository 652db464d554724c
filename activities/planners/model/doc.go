// Package model is the planner that asks a language model. It trusts neither
// what the model reads nor what it answers.
//
// # What the model is told
//
// One prompt, a versioned file in prompts/: the task's goal, the feedback and the
// earlier plan of a revision, the tools that the task allows with their schemas
// and targets, and the documents. Each part stands between two lines with a
// mark that is a digest of all parts, so that no part can end itself or begin
// another. What does not fit into the budget of tokens is left out by the rule
// at [Limits], and the draft's notes say what it was.
//
// # What a call costs is paid for once
//
//	look up the stored reply ─ there ─▶ read, judge
//	        │ not there
//	reserve budget ▸ count the call ▸ ask ▸ store the body ▸ read ▸ settle budget ▸ judge
//
// The key is the SHA-256 of tenant, run, revision, engine, the whole conversation
// and the number of the try. A worker that dies before the body is stored pays
// again, and both calls are counted; one that dies after it does not. A body is stored
// only where none is: an attempt that was overtaken by another while it asked goes on
// with the body that was there first, as all others do.
//
// However answers get lost, on the way, with their worker or before a store that
// does not work: one conversation is bought at most [Limits].Tries times, by all
// attempts together. The records of what is spent say how often it was, since each
// is there before its call. Then the run ends with Permanent "answers_lost". After
// the first lost one the store is probed before each call, and the waits grow. An answer that is too
// large, or has the key in it, ends the run at once.
//
// What the server says that a reply cost is believed within bounds; where it says
// nothing that can be, the call stays at what was reserved. A worker that dies between
// storing and settling leaves that to the attempt that finds the reply.
//
// # What becomes of a reply
//
//	reply                                          outcome
//	---------------------------------------------  ----------------------------------------
//	bare JSON                                      taken
//	one fenced block (```, ```json), and around    taken: the block
//	  it at most prose without a brace
//	a <think>…</think> block before one of those   taken off
//	another wrapping; two objects; two fences;     asked again
//	  comments; a member twice; broken JSON
//	an unknown field, a wrong type, a missing      asked again
//	  field, an unknown or repeated id, a cycle
//	too many actions                               asked again
//	a tool or target outside the task, a document  asked again
//	  that was not shown
//	parameters that the tool's schema or the       asked again
//	  tool itself refuses
//	cut at the limit of tokens, also when what     asked again
//	  there is could be read
//	nothing, blanks, no answer of a model          the next try, with a wait before it
//	  (HTML, an error's words with status 200)
//	a refusal                                      Permanent "refused", after one call
//	filtered by the provider                       Permanent "filtered", after one call
//
// "Asked again" is at most [Limits].Asks times, with the reply and what is wrong
// with it, and then Permanent "bad_reply". What is said to be wrong is the same at
// each attempt: it is part of the next question, and so of its key. "The next try" is at most
// [Limits].Tries for one conversation, and then Permanent "no_reply". Nothing is
// repaired by guessing. A fault of the engine ends the attempt and passes
// through; one of the plan's check is the model's to mend when it is Permanent.
package model
