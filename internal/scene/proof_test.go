package scene_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/scene"
)

// ways are those on which a signature must prove the same.
var ways = map[string]scene.Way{"update": scene.Update, "signal": scene.Signal}

func TestSignatureIsRequired(t *testing.T) {
	for name, way := range map[string]scene.Way{
		"update": scene.Update, "signal": scene.Signal, "temporal signal": scene.CLI, "temporal update": scene.CLIUpdate,
	} {
		t.Run(name, func(t *testing.T) {
			stage := open(t, signed)
			bo := stage.Person("bo.lin").By(way)
			run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
			run.Waits()
			bo.Approves(run).Is(approvals.SignatureRequired)
			bo.SigningAs("cy.ma").Approves(run).Is(approvals.BadSignature)
			stage.Person("ann.wu").By(way).Signs(run).Is(approvals.SelfApproval)
			stage.Effects(0)

			bo.Signs(run).Is(approvals.Accepted)
			done := run.Completes()
			stage.Effects(1)
			require.Equal(t, approvals.BySignature, done.Approval.Approvals[0].Proof)
			require.True(t, strings.HasPrefix(done.Approval.Approvals[0].Key, "SHA256:"))
		})
	}
}

// A signature is of one run. Sent to another it proves nothing there, whether
// with the plan that was signed or with that run's own.
func TestSignatureIsReplayedOnAnotherRun(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			stage := open(t, signed)
			ann := stage.Person("ann.wu")
			one, other := ann.Starts(scene.Pay("a1", 82_000)), ann.Starts(scene.Pay("a2", 82_000))
			said := approvals.Decision{Decision: approvals.Approve, PlanHash: one.Waits().PlanHash, Approver: "bo.lin"}
			said.Signature = stage.Person("bo.lin").Signing().Signature(one, said)
			other.Waits()

			other.Hears(way, said).Is(approvals.StalePlan)
			moved := said
			moved.PlanHash = other.Hash()
			other.Hears(way, moved).Is(approvals.BadSignature).Because("another text")
			stage.Effects(0)
			one.Hears(way, said).Is(approvals.Accepted)
			one.Completes()
			stage.Effects(1)
			other.Effects(0)
		})
	}
}

// A signature is of one text, one decision and one person.
func TestSignatureIsReplayedOnAnotherText(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			stage := open(t, signed)
			run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
			said := approvals.Decision{Decision: approvals.Approve, PlanHash: run.Waits().PlanHash, Approver: "bo.lin", Comment: "only if Dee agrees"}
			said.Signature = stage.Person("bo.lin").Signing().Signature(run, said)

			for what, change := range map[string]func(*approvals.Decision){
				"the comment":          func(d *approvals.Decision) { d.Comment = "checked" },
				"no comment":           func(d *approvals.Decision) { d.Comment = "" },
				"the decision":         func(d *approvals.Decision) { d.Decision = approvals.Reject },
				"the person":           func(d *approvals.Decision) { d.Approver = "cy.ma" },
				"one byte of the text": func(d *approvals.Decision) { d.Comment += " " },
				"half a signature":     func(d *approvals.Decision) { d.Signature = d.Signature[:len(d.Signature)/2] },
			} {
				changed := said
				change(&changed)
				require.Equal(t, approvals.BadSignature, run.Hears(way, changed).Verdict.Code, what)
			}
			stage.Effects(0)
			run.Hears(way, said).Is(approvals.Accepted)
			run.Completes()
			stage.Effects(1)
		})
	}
}

// A word about one action is no word about the plan, nor about another action.
func TestSignatureOfAConfirmationIsOfOneAction(t *testing.T) {
	stage := open(t, signed+"  confirm: true\n")
	bo := stage.Person("bo.lin").Signing()
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 1), scene.Pay("a2", 2))
	run.Waits()
	approve := approvals.Decision{Decision: approvals.Approve, PlanHash: run.Hash(), Approver: "bo.lin"}
	ofPlan := bo.Signature(run, approve)
	approve.Signature = ofPlan
	run.Hears(scene.Update, approve).Is(approvals.Accepted)
	run.WaitsToConfirm("a1")
	run.WaitsToConfirm("a2")

	first := approvals.Decision{Decision: approvals.Approve, PlanHash: run.Hash(), Approver: "bo.lin", ActionID: "a1"}
	second := first
	second.ActionID = "a2"
	first.Signature = ofPlan
	run.Hears(scene.Update, first).Is(approvals.BadSignature)
	first.Signature = bo.Signature(run, first)
	second.Signature = first.Signature
	run.Hears(scene.Update, second).Is(approvals.BadSignature)
	stage.Effects(0)

	run.Hears(scene.Signal, first).Is(approvals.Accepted)
	bo.Confirms(run, "a2").Is(approvals.Accepted)
	run.Completes()
	stage.Effects(2)
}

// The same plan, asked about again, is another request: what was signed for the
// first is worth nothing for the second.
func TestSignatureIsReplayedOnAnotherRequest(t *testing.T) {
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			stage := open(t, strings.Replace(signed, "decide_within: 1h", "decide_within: 3s\n  ask_again: 1", 1))
			run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
			first := run.Waits()
			said := approvals.Decision{Decision: approvals.Approve, PlanHash: first.PlanHash, Approver: "bo.lin"}
			signed, err := scene.Sign(first, "bo.lin", said)
			require.NoError(t, err)
			said.Signature = signed
			second := run.WaitsForAnotherRequest(first)
			require.Equal(t, first.PlanHash, second.PlanHash)

			run.Hears(way, said).Is(approvals.BadSignature)
			run.Expires()
			stage.Effects(0)
		})
	}
}
