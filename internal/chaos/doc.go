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
// The same seed makes the same plans and the same order of faults; when what
// meets what is up to the machine.
package main
