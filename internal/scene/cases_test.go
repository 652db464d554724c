package scene_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/scene"
	"github.com/holdpoint/holdpoint/workflows"
)

// Temporal's reset goes back to before make_plan, and the new plan is another,
// because the account has changed. An approval of the old one is worth nothing,
// whether it comes after the reset or is told to the run again by it.
func TestC005_ApprovalOfThePlanBeforeAReset(t *testing.T) {
	stage := open(t, simple)
	bo := stage.Person("bo.lin").By(scene.Signal)
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	before := run.Waits()
	stale := approvals.Decision{Decision: approvals.Approve, PlanHash: before.PlanHash, Approver: "bo.lin"}
	stage.WorkerStops()
	bo.Says(run, stale) // nobody has judged it when the run is reset
	stage.Bank.Changes("a1")
	run.IsReset()
	stage.WorkerStarts()

	after := run.WaitsForNewPlan(before)
	run.Answered(approvals.NoPlanYet)
	stage.Effects(0)
	bo.Says(run, stale).Is(approvals.StalePlan).Because(after.PlanHash.String())
	require.Equal(t, workflows.WaitingApproval, run.Status().Status)
	stage.Effects(0)
	bo.Approves(run).Is(approvals.Accepted)
	done := run.Completes()
	stage.Effects(1)
	require.Equal(t, after.PlanHash, stage.Bank.Effects()[0].PlanHash)
	require.Equal(t, after.PlanHash, done.Approval.PlanHash)
}

// An approval that was accepted before the reset is told again to the run, and
// is one of a plan that is not made yet: it opens nothing.
func TestC005_AcceptedApprovalIsToldAgainByAReset(t *testing.T) {
	stage := open(t, guarded)
	mei, bo, cy := stage.Person("mei.chen"), stage.Person("bo.lin"), stage.Person("cy.ma")
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	before := run.Waits()
	bo.By(scene.Signal).Approves(run).Is(approvals.Accepted)
	cy.By(scene.Update).Approves(run).Is(approvals.Accepted)
	run.WaitsFor("1 of editors")
	stage.Bank.Changes("a1")
	run.IsReset()

	after := run.WaitsForNewPlan(before)
	require.Equal(t, "1 of editors and 2 of security", after.Missing)
	mei.Approves(run).Is(approvals.Accepted)
	run.WaitsFor("2 of security")
	stage.Effects(0)
	bo.Approves(run).Is(approvals.Accepted)
	cy.Approves(run).Is(approvals.Accepted)
	run.Completes()
	stage.Effects(1)
}

// Somebody who may reset runs takes back a rejection, and repeats the approval
// that was too late then: its signature stands in the history. The run asks
// everybody anew, and what was signed for the request before opens nothing.
func TestResetThatTakesBackARejectionLetsNothingGo(t *testing.T) {
	stage := open(t, guardedBySignature)
	mei, bo, cy := stage.Person("mei.chen").By(scene.Signal), stage.Person("bo.lin").By(scene.Signal), stage.Person("cy.ma").By(scene.Signal)
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	before := run.Waits()
	mei.Signs(run).Is(approvals.Accepted)
	late := approvals.Decision{Decision: approvals.Approve, PlanHash: before.PlanHash, Approver: "bo.lin"}
	late.Signature = bo.Signing().Signature(run, late)
	cy.Signing().Rejects(run, "not this week").Is(approvals.Accepted)
	run.IsRejected()
	run.IsResetToBeforeSignal(2)

	after := run.WaitsForAnotherRequest(before)
	run.Answered(approvals.AskedAnew) // what mei said is judged once more, and opens nothing
	require.Equal(t, before.PlanHash, after.PlanHash)
	require.Equal(t, "1 of editors and 1 of security", after.Missing, "what mei said is void too")
	run.Hears(scene.Signal, late).Is(approvals.BadSignature)
	stage.Effects(0)

	mei.Signs(run).Is(approvals.Accepted)
	bo.Signs(run).Is(approvals.Accepted)
	run.Completes()
	stage.Effects(1)
}

// A revision is the other way to another plan; both decisions are on their way
// when the worker wakes up.
func TestC005_ApprovalOfThePlanBeforeARevision(t *testing.T) {
	stage := open(t, simple)
	bo, cy := stage.Person("bo.lin"), stage.Person("cy.ma")
	run := stage.Person("ann.wu").StartsPlans([]scene.Step{scene.Pay("a1", 820_000)}, []scene.Step{scene.Pay("a1", 82_000)})
	before := run.Waits()
	stage.WorkerStops()
	cy.By(scene.Signal).Revises(run, "one zero less")
	bo.By(scene.Signal).Approves(run)
	stage.WorkerStarts()

	after := run.WaitsForNewPlan(before)
	run.Answered(approvals.Accepted, approvals.TooLate)
	bo.Says(run, approvals.Decision{Decision: approvals.Approve, PlanHash: before.PlanHash, Approver: "bo.lin"}).Is(approvals.StalePlan)
	stage.Effects(0)
	bo.Approves(run).Is(approvals.Accepted)
	run.Completes()
	stage.Effects(1)
	require.Equal(t, 82_000, stage.Bank.Effects()[0].Amount)
	require.Equal(t, after.PlanHash, stage.Bank.Effects()[0].PlanHash)
}

// tampered are the ways to change what is stored between approval and
// execution, from 82,000 to 820,000. Each is prepared while a worker is there,
// and done by what it returns.
var tampered = map[string]func(t *testing.T, stage *scene.Stage, run *scene.Run) (tamper func()){
	"the file": func(t *testing.T, stage *scene.Stage, run *scene.Run) func() {
		return func() { replace(t, stage.PlanFile(run), "82000", "820000") }
	},
	"the file, with its old length": func(t *testing.T, stage *scene.Stage, run *scene.Run) func() {
		return func() { replace(t, stage.PlanFile(run), "82000", "92000") }
	},
	"the object, through the blob store": func(t *testing.T, stage *scene.Stage, run *scene.Run) func() {
		return func() {
			file := stage.PlanFile(run)
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			changed := []byte(strings.ReplaceAll(string(raw), "82000", "820000"))
			// The store has one address for it, which is another one. Whoever can
			// write there can put it in the old one's place.
			other := stage.Stores(run, changed)
			require.NotEqual(t, run.Hash(), other)
			require.NoError(t, os.Rename(stage.BlobFile(run, other), file))
		}
	},
	"the object is another run's plan": func(t *testing.T, stage *scene.Stage, run *scene.Run) func() {
		other := stage.Person("ann.wu").Starts(scene.Pay("a1", 820_000))
		other.Waits()
		return func() {
			raw, err := os.ReadFile(stage.PlanFile(other))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(stage.PlanFile(run), raw, 0o600))
		}
	},
}

func replace(t *testing.T, file, old, by string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(raw), old)
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(raw), old, by)), 0o600))
}

// Approve A, execute B: never. The approval is with the server when the plan is
// changed, and no worker has begun anything.
func TestC014_StoredPlanIsChangedAfterTheApproval(t *testing.T) {
	for name, prepare := range tampered {
		t.Run(name, func(t *testing.T) {
			stage := open(t, simple)
			run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
			run.Waits()
			tamper := prepare(t, stage, run)
			stage.WorkerStops()
			stage.Person("bo.lin").By(scene.Signal).Approves(run)
			tamper()
			stage.WorkerStarts()

			failed := run.Fails()
			run.Answered(approvals.Accepted)
			require.Contains(t, failed.Reason, "plan changed after approval")
			require.Equal(t, 1, run.TimesPlanned(), "the planner is not asked again")
			stage.Effects(0)
			require.Zero(t, stage.Bank.Requests(), "nothing gets to the bank")
			require.Equal(t, 1, failed.Actions[0].Attempts, "not retried")
		})
	}
}

// The first attempt is turned away by the bank; before the next one the stored
// plan is changed. The planner is not asked, and what runs is never the changed
// one, by the same worker or by another.
func TestC014_ActionIsRetriedAndThePlanHasChanged(t *testing.T) {
	for name, deploys := range map[string]bool{"the same worker": false, "another worker": true} {
		t.Run(name, func(t *testing.T) {
			stage := open(t, simple)
			run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
			run.Waits()
			stage.Bank.Refuses(1_000_000)
			stage.Person("bo.lin").Approves(run).Is(approvals.Accepted)
			stage.Eventually("an attempt is turned away", func() bool { return stage.Bank.Requests() > 0 })
			replace(t, stage.PlanFile(run), "82000", "820000")
			if deploys {
				stage.WorkerStops()
				stage.WorkerStarts()
			}
			stage.Bank.Refuses(0)

			failed := run.Fails()
			require.Contains(t, failed.Reason, "plan changed after approval")
			require.Equal(t, 1, run.TimesPlanned())
			stage.Effects(0)
		})
	}
}

// Between two actions.
func TestC014_StoredPlanIsChangedBetweenTwoActions(t *testing.T) {
	stage := open(t, simple)
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000), scene.Pay("a2", 82_000).After("a1"))
	run.Waits()
	opens := stage.Bank.Closes()
	t.Cleanup(opens)
	stage.Person("bo.lin").Approves(run).Is(approvals.Accepted)
	stage.Eventually("the first payment is at the counter", func() bool { return stage.Bank.Waiting() == 1 })
	replace(t, stage.PlanFile(run), "82000", "820000")
	opens()

	failed := run.Fails()
	require.Contains(t, failed.Reason, "a2: ")
	require.Contains(t, failed.Reason, "plan changed after approval")
	require.Equal(t, []string{"a1"}, accounts(stage))
	require.Equal(t, 82_000, stage.Bank.Effects()[0].Amount)
	require.Equal(t, 1, run.TimesPlanned())
}

// The row of the ledger says that the key is of other parameters, by the hand
// of somebody who can write there: nothing is sent under that key.
func TestC014_LedgersRowIsOfAnotherPayment(t *testing.T) {
	stage := open(t, simple)
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	waiting := run.Waits()
	begun, err := stage.Ledger().Begin(t.Context(), effects.Claim{
		Key: waiting.Actions[0].Key, Fingerprint: plan.Sum([]byte(`{"account":"a1","amount":820000}`)), Tenant: "acme", RunID: run.ID,
		ActionID: "a1", Tool: scene.ToolName, Target: "bank/a1", Attempt: 1, Owner: "somebody", Lease: time.Millisecond,
	})
	require.NoError(t, err)
	require.NoError(t, stage.Ledger().Complete(t.Context(), waiting.Actions[0].Key, begun.Token, plan.Receipt{
		IdempotencyKey: waiting.Actions[0].Key, Tool: scene.ToolName, Target: "bank/a1", Ref: "payment-0", At: time.Now().UTC().Truncate(time.Second),
	}))
	stage.Person("bo.lin").Approves(run).Is(approvals.Accepted)

	failed := run.Fails()
	require.Contains(t, failed.Reason, "a1: key_conflict: the idempotency key was used for other parameters")
	require.Equal(t, 1, run.TimesPlanned())
	require.Zero(t, failed.Counts.Done, "another payment's receipt is not this one's")
	require.Zero(t, stage.Bank.Requests(), "nothing gets to the bank")
	stage.Effects(0)
}
