// Command chaos is the fire test: many approved runs of mixed tools, on real
// systems behind a proxy that breaks connections, carried out by two workers
// that are killed, stopped and started again, on a Temporal server and a
// PostgreSQL that restart. At the end it counts at the targets: every approved
// action is there once.
//
//	make chaos                       # 1,000 runs, at least 300 kills
//	make chaos ARGS='-runs 50 -seed 7'
//
// A campaign is a row of phases, one for each [fault]. A phase starts its
// share of the runs and makes its fault again and again until they have ended,
// so that the table at the end can say for each kind, class and fault what
// became of the actions. An action of unknown outcome is resolved as a person
// would: by a look at the target.
//
// # The dangerous moment
//
// What a fault must hit is the time between an effect and its answer, and on
// this machine that is a millisecond. So the road to each target holds the
// answer to every write for a while, and faults wait for such a moment:
//
//	worker ── door ── toxiproxy ── passage ── target
//
// The passage sees a write go by, lets the target make its effect, and keeps
// the answer for 50 to 500 ms. Toxiproxy cuts, loses or delays what the passage
// then lets go. The door resets connections, which toxiproxy can do only from a
// connection's beginning on. When a client is gone before the answer is let go,
// the passage notes the write as unheard: an action of class once that was left
// so and is done without anybody having been asked fails the campaign.
//
// A fault that hit no action proves nothing, and fails it too: hit is an action
// that needed a second attempt or a person.
//
// Kills are kill -9 by the harness, counted by the wait status of processes that
// had begun to work. At the named points a worker stops itself (the drill's
// --stop-at, which is SIGSTOP), and is then killed as it stands there.
//
// The same seed makes the same plans and the same order of faults; when what
// meets what is up to the machine.
package main
