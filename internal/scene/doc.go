// Package scene lets several people act on real runs in tests, in sentences:
//
//	stage := scene.Open(t, server, policy)
//	ann, bo, cy := stage.Person("ann.wu"), stage.Person("bo.lin"), stage.Person("cy.ma")
//	run := ann.Starts(scene.Pay("a1", 82_000))
//	run.WaitsFor("1 of editors and 1 of security")
//	bo.Approves(run).Is(approvals.Accepted)
//	run.WaitsFor("1 of security")
//	cy.Signs(run).Is(approvals.Accepted)
//	run.Completes()
//	stage.Effects(1)
//
// Everything but the target and the planner is real: a Temporal development
// server, the product's workflow and activities in a worker of this process, its
// SQLite ledger and blob store in a folder of the stage. The target is a [Bank],
// which counts what reached it; effects are never counted in a log of ours.
//
// Workers of one process share the SDK's cache of workflows, and a worker that
// was cut off would go on in it. So a package that uses scenes turns it off, in
// its TestMain: worker.SetStickyWorkflowCacheSize(0). Each workflow task then
// replays its run from the beginning, which is a test of its own.
//
// Whoever waits here waits for a condition, for as long as [Patience]; nothing
// measures time.
package scene

import "time"

// Patience is how long a scene waits for what must come. It bounds a hang.
const Patience = 2 * time.Minute

// pause is between two looks.
const pause = 20 * time.Millisecond
