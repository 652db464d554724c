package runs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/replay"
	"github.com/holdpoint/holdpoint/workflows"
)

// recorded returns the recorded histories that a build must be able to read,
// by name.
func recorded(t *testing.T) map[string][]*historypb.HistoryEvent {
	t.Helper()
	files, err := filepath.Glob("../../workflows/testdata/histories/*.json")
	require.NoError(t, err)
	all := map[string][]*historypb.HistoryEvent{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if strings.HasPrefix(name, "bad-") {
			continue
		}
		in, err := os.Open(file)
		require.NoError(t, err)
		history, err := replay.Read(in)
		require.NoError(t, err)
		require.NoError(t, in.Close())
		all[name] = history.GetEvents()
	}
	require.GreaterOrEqual(t, len(all), 10)
	return all
}

func folded(t *testing.T, events []*historypb.HistoryEvent) *fold {
	t.Helper()
	f := newFold("")
	for _, event := range events {
		if f.runID = f.task.RunID(); f.task.BusinessID == "" {
			f.runID = "acme/x"
		}
		require.NoError(t, f.event(event), "event %d, %s", event.GetEventId(), event.GetEventType())
	}
	return f
}

// asWritten leaves out of a grant what versions from before quorums did not
// write, if the recorded one is of such a version.
func asWritten(recorded, got *approvals.Grant) *approvals.Grant {
	if recorded == nil || got == nil || recorded.RunID != "" {
		return got
	}
	old := *got
	old.RunID, old.DecideBy = "", time.Time{}
	for i := range old.Approvals {
		old.Approvals[i].Groups, old.Approvals[i].Text, old.Approvals[i].Proven = "", plan.Digest{}, approvals.Proven{}
	}
	return &old
}

// closes reports whether an event ends the execution.
func closes(event *historypb.HistoryEvent) bool {
	switch event.GetEventType() {
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
		enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
		return true
	default:
		return false
	}
}

// A run's end is the status that the workflow itself recorded.
func TestAFoldedRunEndsAsRecorded(t *testing.T) {
	ends := map[string]workflows.RunStatus{
		"canceled": workflows.Canceled, "completed": workflows.Completed, "crashed-and-resumed": workflows.Completed,
		"expired": workflows.Expired, "failed": workflows.Failed, "new-plan-after-drift": workflows.Completed,
		"nothing-left-to-do": workflows.Completed, "rejected": workflows.Rejected, "revised-by-update": workflows.Completed,
		"twelve-actions": workflows.Completed, "waiting": workflows.WaitingApproval,
	}
	for name, events := range recorded(t) {
		want, ok := ends[name]
		if !ok {
			continue // recorded later; the tests below read it
		}
		require.Equal(t, want, folded(t, events).view().Status, name)
	}
}

// Up to its end, a run is folded from what its steps answered: that must come
// to what the workflow recorded in the end. A fold that only read the result
// would show nothing of a run that is under way.
func TestAFoldComesToWhatTheWorkflowRecorded(t *testing.T) {
	for name, events := range recorded(t) {
		last := events[len(events)-1]
		if !closes(last) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f := folded(t, events[:len(events)-1])
			require.Nil(t, f.result)
			want := *folded(t, events).result
			got := f.view()

			require.Equal(t, rowsOf(want.Steps), rowsOf(got.Steps))
			require.Equal(t, want.Actions, got.Actions)
			// The oldest histories wrote the names of the counts in another way;
			// the rows, of which they are the sums, tell the same.
			require.Equal(t, want.Counts.Total, got.Counts.Total)
			require.Equal(t, want.Counts.Done, got.Counts.Done)
			already := 0
			for _, a := range want.Actions {
				if a.Already {
					already++
				}
			}
			require.Equal(t, already, got.Counts.AlreadyDone)
			require.Equal(t, want.PlanHash, got.PlanHash)
			require.Equal(t, want.Plan, got.Plan)
			require.Equal(t, want.ContextDigest, got.ContextDigest)
			require.Equal(t, want.Revision, got.Revision)
			require.Equal(t, want.RequestID, got.RequestID)
			require.Equal(t, want.PolicyVersion, got.PolicyVersion)
			require.Equal(t, want.DecideBy, got.DecideBy)
			require.Equal(t, want.Approval, asWritten(want.Approval, got.Approval))
			require.Equal(t, want.Decisions, got.Decisions)
			require.Equal(t, want.EffectCount, got.EffectCount)
			require.Equal(t, want.Report, got.Report)
		})
	}
}

// rowsOf are the step table without its times: a fold takes those of the
// events, the workflow those of its own tasks.
func rowsOf(steps []workflows.Step) []workflows.Step {
	rows := make([]workflows.Step, len(steps))
	for i, step := range steps {
		step.StartedAt, step.EndedAt = nil, nil
		rows[i] = step
	}
	return rows
}

// Whenever one looks, there is an answer, and no end before the end.
func TestEachBeginningOfAHistoryFolds(t *testing.T) {
	for name, events := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			done := 0
			for n := range events {
				if closes(events[n]) {
					require.Equal(t, len(events)-1, n)
				}
				f := folded(t, events[:n])
				status := f.view()
				require.False(t, status.Status.Ended(), "%s after %d of %d events", status.Status, n, len(events))
				if n == 0 {
					continue
				}
				require.Len(t, status.Steps, len(workflows.StepNames()))
				require.NotEmpty(t, status.Status)
				completed := 0
				for _, step := range status.Steps {
					if step.Status == workflows.StepCompleted {
						completed++
						require.Positive(t, step.Attempts, step.Name)
						require.False(t, step.EndedAt.Before(*step.StartedAt), step.Name)
					}
				}
				if status.Revision == 0 && stepRow(t, status, workflows.RequestApproval).Runs <= 1 {
					require.GreaterOrEqual(t, completed, done, "a completed step stays completed")
					done = completed
				}
				require.Equal(t, len(status.Actions), status.Counts.Total)
			}
		})
	}
}

func TestAWaitingRunFolds(t *testing.T) {
	events := recorded(t)["waiting"]
	f := folded(t, events)
	status := f.view()
	require.Equal(t, workflows.WaitingApproval, status.Status)
	require.Equal(t, []string{"bo.lin", "cy.ma"}, status.Approvers)
	require.False(t, status.PlanHash.IsZero())
	require.NotEmpty(t, status.RequestID)
	require.Nil(t, status.Approval)
	require.NotNil(t, status.DecideBy)
	asked := stepRow(t, status, workflows.RequestApproval)
	require.Equal(t, workflows.StepCompleted, asked.Status)
	within := f.state.Request.Terms.DecideWithin
	require.InDelta(t, within.Seconds(), status.DecideBy.Sub(*asked.EndedAt).Seconds(), 60, "from when the gate was opened")
	require.Equal(t, workflows.StepPending, stepRow(t, status, workflows.ExecuteAction).Status)
	require.Equal(t, status.Counts.Total, status.Counts.Pending+status.Counts.AlreadyDone)
	require.Equal(t, "ann.wu", f.task.Requester)
}

func stepRow(t *testing.T, s workflows.Status, name workflows.StepName) workflows.Step {
	t.Helper()
	for _, step := range s.Steps {
		if step.Name == name {
			return step
		}
	}
	require.Fail(t, "no step", name)
	return workflows.Step{}
}

// Ends that the workflow did not come to itself have no result.
func TestEndsFromOutside(t *testing.T) {
	waiting := recorded(t)["waiting"]
	for name, tc := range map[string]struct {
		end    *historypb.HistoryEvent
		reason string
	}{
		"terminated": {&historypb.HistoryEvent{
			EventType: enums.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
			Attributes: &historypb.HistoryEvent_WorkflowExecutionTerminatedEventAttributes{
				WorkflowExecutionTerminatedEventAttributes: &historypb.WorkflowExecutionTerminatedEventAttributes{Reason: "cleaning up"},
			},
		}, "terminated by an operator: cleaning up"},
		"ended by the server": {&historypb.HistoryEvent{
			EventType: enums.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED,
			Attributes: &historypb.HistoryEvent_WorkflowExecutionTerminatedEventAttributes{
				WorkflowExecutionTerminatedEventAttributes: &historypb.WorkflowExecutionTerminatedEventAttributes{
					Identity: "history-service", Reason: "Workflow history size exceeds limit.",
				},
			},
		}, "terminated by the Temporal server: Workflow history size exceeds limit."},
		"timed out": {&historypb.HistoryEvent{EventType: enums.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT}, "time limit"},
	} {
		t.Run(name, func(t *testing.T) {
			status := folded(t, append(slices.Clip(waiting), tc.end)).view()
			require.Equal(t, workflows.Failed, status.Status)
			require.Contains(t, status.Reason, tc.reason)
			require.False(t, status.PlanHash.IsZero(), "what it had come to stays visible")
		})
	}
}

// A history that is not ours is an error, and no panic.
func TestAFoldOfRubbish(t *testing.T) {
	rubbish := &commonpb.Payloads{Payloads: []*commonpb.Payload{{
		Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte("{"),
	}}}
	for name, event := range map[string]*historypb.HistoryEvent{
		"input": {
			EventType: enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
			Attributes: &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
				WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{Input: rubbish},
			},
		},
		"result": {
			EventType: enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
			Attributes: &historypb.HistoryEvent_WorkflowExecutionCompletedEventAttributes{
				WorkflowExecutionCompletedEventAttributes: &historypb.WorkflowExecutionCompletedEventAttributes{Result: rubbish},
			},
		},
		"no result": {
			EventType: enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
			Attributes: &historypb.HistoryEvent_WorkflowExecutionCompletedEventAttributes{
				WorkflowExecutionCompletedEventAttributes: &historypb.WorkflowExecutionCompletedEventAttributes{},
			},
		},
	} {
		require.Error(t, newFold("acme/x").event(event), name)
	}
}

// How far a collection is stands in its heartbeats, and nowhere in the history.
func TestPendingShowsHowFarACollectionIs(t *testing.T) {
	details := func(value any) *commonpb.Payloads {
		return &commonpb.Payloads{Payloads: []*commonpb.Payload{attribute(t, value)}}
	}
	collect := &commonpb.ActivityType{Name: string(workflows.CollectContext)}
	at := workflows.CollectProgress{Listing: workflows.BlobRef{Digest: plan.Sum(nil), Size: 9}, Entries: 5000, Done: 1200, Read: 1197, Skipped: 3, Bytes: 12e6}
	pending := newFold("acme/x").pending([]*workflowpb.PendingActivityInfo{
		{ActivityType: collect, Attempt: 2, HeartbeatDetails: details(at)},
		{ActivityType: collect},
		{ActivityType: collect, HeartbeatDetails: details("not of our making")},
		{ActivityType: collect, HeartbeatDetails: &commonpb.Payloads{Payloads: []*commonpb.Payload{attribute(t, nil), attribute(t, map[string]int{"waited": 3})}}},
		{ActivityType: &commonpb.ActivityType{Name: string(workflows.ExecuteAction)}, HeartbeatDetails: details(at)},
	})
	require.Equal(t, &at, pending[0].Progress)
	for _, p := range pending[1:] {
		require.Nil(t, p.Progress)
	}
}
