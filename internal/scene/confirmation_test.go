package scene_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/scene"
	"github.com/holdpoint/holdpoint/workflows"
)

// careful wants a word about each large payment right before it is made.
const careful = `
label: careful
groups: {approvers: {members: [bo.lin, cy.ma]}}
default: {quorums: [1 of approvers], decide_within: 1h, grant_life: LIFE}
rules:
  - {name: large, match: parameters.amount > 1000, confirm: true}
`

func carefulFor(life string) string { return strings.Replace(careful, "LIFE", life, 1) }

func TestConfirmationLetsOneActionGo(t *testing.T) {
	stage := open(t, carefulFor("1h"))
	ann, bo, cy := stage.Person("ann.wu"), stage.Person("bo.lin"), stage.Person("cy.ma")
	run := ann.Starts(scene.Pay("small", 10), scene.Pay("large", 82_000), scene.Pay("last", 20).After("large"))
	run.Waits()
	cy.Confirms(run, "large").Is(approvals.NotAsked)
	bo.Approves(run).Is(approvals.Accepted)

	run.WaitsToConfirm("large")
	stage.Eventually("the small one is paid, which needs no word", func() bool { return len(stage.Bank.Effects()) == 1 })
	bo.Approves(run).Is(approvals.Duplicate).Because("The action large waits for a word of its own")
	ann.Confirms(run, "large").Is(approvals.SelfApproval)
	stage.Person("dee.ray").Confirms(run, "large").Is(approvals.NotAnApprover)
	cy.Confirms(run, "small").Is(approvals.NotAsked)
	cy.Confirms(run, "last").Is(approvals.NotAsked)
	stage.Effects(1)

	cy.By(scene.CLI).Confirms(run, "large").Is(approvals.Accepted)
	done := run.Completes()
	stage.Effects(3)
	require.Equal(t, []string{"small", "large", "last"}, accounts(stage))
	require.Len(t, done.Approval.Confirmations, 1)
	require.Equal(t, "cy.ma", done.Approval.Confirmations[0].Approver)
	require.Equal(t, "large", done.Approval.Confirmations[0].ActionID)
}

func accounts(stage *scene.Stage) []string {
	var names []string
	for _, e := range stage.Bank.Effects() {
		names = append(names, e.Account)
	}
	return names
}

func TestConfirmationRefused(t *testing.T) {
	stage := open(t, carefulFor("1h"))
	run := stage.Person("ann.wu").Starts(scene.Pay("small", 10), scene.Pay("large", 82_000).After("small"), scene.Pay("last", 20).After("large"))
	run.Waits()
	stage.Person("bo.lin").Approves(run).Is(approvals.Accepted)
	run.WaitsToConfirm("large")
	stage.Person("cy.ma").Stops(run, "large", "the account looks odd").Is(approvals.Accepted)

	ended := run.IsRejected()
	require.Contains(t, ended.Reason, "large")
	require.Contains(t, ended.Reason, "cy.ma")
	require.Contains(t, ended.Reason, "the account looks odd")
	require.Equal(t, []string{"small"}, accounts(stage), "what is done stays done, and what depends on the rejected one is not")
	require.Equal(t, workflows.ActionCounts{Total: 3, Done: 1, Pending: 2}, ended.Counts)
}

// A word about one action may be asked for long after the time to decide: it is
// signed for as long as the approval holds, and is worth nothing after.
func TestConfirmationIsSignedUntilTheApprovalEnds(t *testing.T) {
	stage := open(t, strings.Replace(signed, "decide_within: 1h", "decide_within: 4s", 1)+"  confirm: true\n")
	bo := stage.Person("bo.lin").Signing()
	run := stage.Person("ann.wu").Starts(scene.Pay("a1", 82_000))
	waiting := run.Waits()
	bo.Approves(run).Is(approvals.Accepted)
	until := run.WaitsToConfirm("a1").Approval.ExpiresAt
	stage.Eventually("the time to decide is over", func() bool { return time.Now().After(*waiting.DecideBy) })

	word := approvals.Decision{Decision: approvals.Approve, PlanHash: run.Hash(), Approver: "bo.lin", ActionID: "a1"}
	var err error
	word.Signature, err = scene.Sign(waiting, "bo.lin", word)
	require.NoError(t, err)
	run.Hears(scene.Update, word).Is(approvals.BadSignature) // of a statement whose time is over
	answer := bo.Confirms(run, "a1").Is(approvals.Accepted)
	require.Equal(t, until, answer.Verdict.Expires)
	done := run.Completes()
	require.Equal(t, until, done.Approval.Confirmations[0].Expires)
	stage.Effects(1)
}

// Nobody says the word while the approval lives: the run expires, by itself,
// also when no worker is there at that moment.
func TestConfirmationNeverComes(t *testing.T) {
	for _, awake := range []bool{true, false} {
		t.Run(map[bool]string{true: "a worker is there", false: "no worker is there"}[awake], func(t *testing.T) {
			stage := open(t, carefulFor("3s"))
			run := stage.Person("ann.wu").Starts(scene.Pay("large", 82_000))
			run.Waits()
			stage.Person("bo.lin").Approves(run).Is(approvals.Accepted)
			run.WaitsToConfirm("large")
			if !awake {
				stage.WorkerStops()
				run.TimerFires()
				stage.Person("cy.ma").By(scene.Signal).Confirms(run, "large")
				stage.WorkerStarts()
			}
			ended := run.Expires()
			require.Contains(t, ended.Reason, "before every action was done")
			stage.Effects(0)
			if !awake {
				run.Answered(approvals.Accepted, approvals.Expired)
			}
		})
	}
}

// The approval's life ends while actions are at the bank: the run goes on when
// they come back. What waits for its own word, or comes too late, is not done.
func TestApprovalExpiresWhileActionsAreInFlight(t *testing.T) {
	for name, tc := range map[string]struct {
		steps     []scene.Step
		confirmed bool // the large one
		atCounter int
	}{
		"one that was confirmed":                {[]scene.Step{scene.Pay("large", 82_000)}, true, 1},
		"as many as may be, and one waits":      {[]scene.Step{scene.Pay("large", 82_000), scene.Pay("a", 1), scene.Pay("b", 2), scene.Pay("c", 3), scene.Pay("d", 4)}, false, 4},
		"one that was confirmed, and one waits": {[]scene.Step{scene.Pay("large", 82_000), scene.Pay("larger", 820_000)}, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			stage := open(t, carefulFor("3s"))
			bo := stage.Person("bo.lin")
			run := stage.Person("ann.wu").Starts(tc.steps...)
			run.Waits()
			opens := stage.Bank.Closes()
			t.Cleanup(opens)
			bo.Approves(run).Is(approvals.Accepted)
			run.WaitsToConfirm("large")
			if tc.confirmed {
				bo.Confirms(run, "large").Is(approvals.Accepted)
			}
			stage.Eventually("actions are at the counter", func() bool {
				return stage.Bank.Waiting() == max(1, len(tc.steps)-1) || len(tc.steps) == 2 && stage.Bank.Waiting() == 1
			})
			run.TimerFires()
			run.PastEveryClock()
			opens()
			ended := run.Expires()
			require.Zero(t, ended.Counts.Done)
			stage.Effects(0)
		})
	}
}
