package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

var sameInput, otherInput = plan.Sum([]byte("same")), plan.Sum([]byte("other"))

func endedRun(status workflows.RunStatus, actions ...workflows.Action) *runs.Run {
	run := &runs.Run{ID: "acme/x", TaskDigest: sameInput, Closed: true}
	run.Status = workflows.Status{RunID: "acme/x", Status: status, Reason: "the reason", Actions: actions}
	for _, a := range actions {
		if a.Status == workflows.StepInDoubt {
			run.Status.Counts.InDoubt++
		}
	}
	return run
}

func inDoubt(id string, recoverable bool) workflows.Action {
	return workflows.Action{ID: id, Status: workflows.StepInDoubt, Recoverable: recoverable}
}

// The table of start's documentation.
func TestMayAttach(t *testing.T) {
	const again, once = true, false
	cases := []struct {
		name   string
		run    *runs.Run
		input  plan.Digest
		again  bool
		attach bool
		says   string // of the error; "" for none
	}{
		{"runs", endedRun(workflows.Running), sameInput, once, true, ""},
		{"waits", endedRun(workflows.WaitingApproval), sameInput, again, true, ""},
		{"completed", endedRun(workflows.Completed), sameInput, again, true, ""},
		{"runs, other input", endedRun(workflows.Running), otherInput, once, false, "other input"},
		{"completed, other input", endedRun(workflows.Completed), otherInput, again, false, "other input"},
		{"failed, other input", endedRun(workflows.Failed), otherInput, again, false, "choose another business id"},
		{"failed", endedRun(workflows.Failed), sameInput, once, false, "the reason\nStart it once more with --again"},
		{"failed, again", endedRun(workflows.Failed), sameInput, again, false, ""},
		{"rejected, again", endedRun(workflows.Rejected), sameInput, again, false, ""},
		{"in doubt", endedRun(workflows.Failed, inDoubt("mail", false), inDoubt("page", true)), sameInput, again, false, ""},
		{"in doubt, canceled", endedRun(workflows.Canceled, inDoubt("mail", false)), sameInput, again, false, ""},
		{"in doubt, once", endedRun(workflows.Failed, inDoubt("mail", false)), sameInput, once, false, "with --again; of what it left in doubt (1) nothing is sent again before"},
		{"in doubt, completed", endedRun(workflows.Completed, inDoubt("mail", false)), sameInput, again, true, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			attach, err := mayAttach(c.run, c.input, c.again)
			require.Equal(t, c.attach, attach)
			if c.says == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.says)
			}
		})
	}
}

// Of two that start a failed run once more, the second must not repeat what
// the first completed: the server looks at how the newest execution closed.
func TestReuse(t *testing.T) {
	for _, status := range []workflows.RunStatus{workflows.Failed, workflows.Canceled} {
		require.Equal(t, enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY, reuse(status), status)
	}
	for _, status := range []workflows.RunStatus{workflows.Rejected, workflows.Expired} {
		require.Equal(t, enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, reuse(status), "%s is completed for the server", status)
	}
}

func TestTheNextCommandIsOneThatWorks(t *testing.T) {
	require.Equal(t, "starter start --again with the same task", next(endedRun(workflows.Failed)))
	doubt := next(endedRun(workflows.Failed, inDoubt("mail", false)))
	require.Contains(t, doubt, "--again with the same task; of what it left in doubt (1)")
	require.NotContains(t, doubt, "another business id", "whose keys nobody would know")
	require.Empty(t, next(endedRun(workflows.Completed)))
}

func TestAReasonOfManyLinesIsOne(t *testing.T) {
	run := endedRun(workflows.Rejected)
	run.Status.Reason = "rejected by cy.ma: no\nstarter: all is well"
	require.Equal(t, fmt.Sprintf("run %s ended REJECTED: rejected by cy.ma: no starter: all is well", run.ID), errEnded(run).Error())
}

// Whoever names a task queue wants its workers; where it does not matter any
// more, or none was named, a start attaches.
func TestAttachOnAnotherTaskQueue(t *testing.T) {
	run := endedRun(workflows.Running)
	run.Closed, run.TaskQueue = false, "reports"
	require.EqualError(t, taskQueue{"holdpoint", true}.has(run),
		"run acme/x is there already, on task queue reports and not on holdpoint: name that one with -t, or leave -t out")
	require.NoError(t, taskQueue{"reports", true}.has(run))
	require.NoError(t, taskQueue{"holdpoint", false}.has(run))
	run.Closed = true
	require.NoError(t, taskQueue{"holdpoint", true}.has(run))
}

func TestPrintLaunchSaysWhereAnAttachedRunIs(t *testing.T) {
	run := endedRun(workflows.WaitingApproval)
	run.Closed, run.TaskQueue = false, "reports"
	said := func(queue string) string {
		var out bytes.Buffer
		printLaunch(t.Context(), &out, runs.Reader{}, launch{RunID: "acme/x", TaskQueue: "reports", Existing: run}, taskQueue{name: queue})
		return out.String()
	}
	require.Equal(t, "attached to acme/x, which is WAITING_APPROVAL\nit is on task queue reports, where it was started, and not on holdpoint\n"+
		"no worker polls task queue reports yet; start one with 'worker --config FILE -t reports'\nnext: starter watch acme/x\n", said("holdpoint"))
	run.Pollers = 1
	require.Equal(t, "attached to acme/x, which is WAITING_APPROVAL\nnext: starter watch acme/x\n", said("reports"))
}
