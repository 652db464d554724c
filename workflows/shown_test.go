package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// The search attribute is what lists go by: a run that has ended must not be
// listed as one that waits.
func TestEveryEndIsShownInTheSearchAttribute(t *testing.T) {
	for end, reach := range map[workflows.RunStatus]func(w *world){
		workflows.Completed: func(w *world) { w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") }) },
		workflows.Rejected:  func(w *world) { w.at(time.Minute, func() { w.send("reject", w.hash(0), "bo.lin") }) },
		workflows.Expired:   func(*world) {}, // nobody decides
		workflows.Canceled:  func(w *world) { w.at(time.Minute, w.env.CancelWorkflow) },
		workflows.Failed:    func(w *world) { w.collect = temporal.NewNonRetryableApplicationError("no", "permanent", nil) },
	} {
		t.Run(string(end), func(t *testing.T) {
			w := newWorld(t, actionsNamed("a")...)
			var shown []string
			w.env.OnUpsertTypedSearchAttributes(mock.Anything).Run(func(args mock.Arguments) {
				status := temporal.NewSearchAttributeKeyKeyword(workflows.StatusAttribute)
				if value, ok := args.Get(0).(temporal.SearchAttributes).GetKeyword(status); ok {
					shown = append(shown, value)
				}
			}).Return(nil)
			reach(w)
			require.Equal(t, end, w.run().Status)
			require.Equal(t, string(end), shown[len(shown)-1])
			require.Equal(t, string(workflows.Running), shown[0])
		})
	}
}

// An approval that runs out while actions are left ends the run too.
func TestExpiryDuringExecutionIsShown(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.act = func(workflows.ExecuteActionInput) (workflows.ExecuteActionResult, error) {
		return workflows.ExecuteActionResult{Attempt: 1, Outcome: workflows.OutcomeExpired, Detail: "the approval has expired"}, nil
	}
	var last string
	w.env.OnUpsertTypedSearchAttributes(mock.Anything).Run(func(args mock.Arguments) {
		status := temporal.NewSearchAttributeKeyKeyword(workflows.StatusAttribute)
		if value, ok := args.Get(0).(temporal.SearchAttributes).GetKeyword(status); ok {
			last = value
		}
	}).Return(nil)
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	require.Equal(t, workflows.Expired, w.run().Status)
	require.Equal(t, string(workflows.Expired), last)
}

// details are what the Web UI shows of the run.
func (w *world) details() string {
	w.t.Helper()
	answer, err := w.env.QueryWorkflow("__temporal_workflow_metadata")
	require.NoError(w.t, err)
	var metadata sdkpb.WorkflowMetadata
	require.NoError(w.t, answer.Get(&metadata))
	return metadata.GetCurrentDetails()
}

// Where several must approve, the page says after each word who is missing, and
// its command is that of one whose word would count now.
func TestTheDetailsFollowEveryVerdict(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.terms = twoGroups
	says := func(wanted, approver string) {
		t.Helper()
		require.Contains(t, w.details(), "\n\n"+wanted+".\n\n")
		require.Contains(t, w.details(), `"approver":"`+approver+`"}'`)
	}
	w.at(1*time.Minute, func() {
		says("Wanted: `1 of editors and 2 of security`", "bo.lin")
		w.send("approve", w.hash(0), "bo.lin")
	})
	w.at(2*time.Minute, func() {
		says("Wanted: `1 of editors and 2 of security`; still missing: `2 of security`", "eve.li")
		w.send("approve", w.hash(0), "eve.li")
	})
	w.at(3*time.Minute, func() {
		says("Wanted: `1 of editors and 2 of security`; still missing: `1 of security`", "fay.ng")
	})
	require.Equal(t, workflows.Expired, w.run().Status)
}

// So is the one that signs.
func TestTheDetailsNameWhoSigns(t *testing.T) {
	w := newWorld(t, actionsNamed("a")...)
	w.terms = func(t *approvals.Terms) { t.Proof = approvals.BySignature }
	w.at(time.Minute, func() {
		require.Contains(t, w.details(), "\napprover approve tenant-a/weekly-2025-w40 --as bo.lin\n")
	})
	require.Equal(t, workflows.Expired, w.run().Status)
}
