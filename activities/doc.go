// Package activities is everything of a run that touches the world: one file
// for each step, and a package below for each kind of thing it touches
// (sources, planners, tools, the ledger).
//
// The inputs and results are declared in package workflows, beside the
// workflow that orders them. Every error is a *faults.Fault on its way out;
// the interceptor of this package turns it into what the server acts upon,
// sends heartbeats, and logs each attempt.
package activities
