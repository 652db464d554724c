package runs

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// teller tells a fold what happened to the actions of a run, event by event.
type teller struct {
	t    *testing.T
	fold *fold
	next int64
}

// tellExecution begins in the middle: two independent actions of a tool of
// that class are approved.
func tellExecution(t *testing.T, class plan.DeliveryClass) *teller {
	t.Helper()
	f := newFold("acme/x")
	f.task = workflows.Task{Tenant: "acme", BusinessID: "x", Requester: "ann.wu"}.WithDefaults()
	f.state = workflows.NewState(f.task)
	f.state.NewPlan(&workflows.MakePlanResult{
		Actions: []workflows.PlannedAction{{ID: "a", Tool: "pages"}, {ID: "b", Tool: "pages"}},
		Limits:  []workflows.ToolLimits{{Tool: "pages", Class: class}},
	})
	return &teller{t: t, fold: f, next: 1}
}

func (l *teller) event(e *historypb.HistoryEvent) {
	l.t.Helper()
	e.EventId = l.next
	l.next++
	require.NoError(l.t, l.fold.event(e))
}

// begins schedules an action and returns the event that did.
func (l *teller) begins(action string) int64 {
	l.t.Helper()
	raw, err := json.Marshal(workflows.ExecuteActionInput{ActionID: action})
	require.NoError(l.t, err)
	id := l.next
	l.event(&historypb.HistoryEvent{
		EventType: enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
		Attributes: &historypb.HistoryEvent_ActivityTaskScheduledEventAttributes{
			ActivityTaskScheduledEventAttributes: &historypb.ActivityTaskScheduledEventAttributes{
				ActivityType: &commonpb.ActivityType{Name: string(workflows.ExecuteAction)}, Input: asPayloads(raw),
			},
		},
	})
	return id
}

func (l *teller) completes(scheduled int64) {
	l.t.Helper()
	raw, err := json.Marshal(workflows.ExecuteActionResult{Outcome: workflows.OutcomeDone, Receipt: &plan.Receipt{Ref: "r"}, Attempt: 1})
	require.NoError(l.t, err)
	l.event(&historypb.HistoryEvent{
		EventType: enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED,
		Attributes: &historypb.HistoryEvent_ActivityTaskCompletedEventAttributes{
			ActivityTaskCompletedEventAttributes: &historypb.ActivityTaskCompletedEventAttributes{
				ScheduledEventId: scheduled, Result: asPayloads(raw),
			},
		},
	})
}

func (l *teller) fails(scheduled int64) {
	l.t.Helper()
	l.event(&historypb.HistoryEvent{
		EventType: enums.EVENT_TYPE_ACTIVITY_TASK_FAILED,
		Attributes: &historypb.HistoryEvent_ActivityTaskFailedEventAttributes{
			ActivityTaskFailedEventAttributes: &historypb.ActivityTaskFailedEventAttributes{
				ScheduledEventId: scheduled,
				Failure: &failurepb.Failure{Message: "refused", FailureInfo: &failurepb.Failure_ApplicationFailureInfo{
					ApplicationFailureInfo: &failurepb.ApplicationFailureInfo{Type: "permanent"},
				}},
			},
		},
	})
}

func (l *teller) step() workflows.Step {
	l.t.Helper()
	return stepRow(l.t, l.fold.view(), workflows.ExecuteAction)
}

func asPayloads(raw []byte) *commonpb.Payloads {
	return &commonpb.Payloads{Payloads: []*commonpb.Payload{
		{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: raw},
	}}
}

func failedWithoutResult() *historypb.HistoryEvent {
	return &historypb.HistoryEvent{
		EventType: enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
		Attributes: &historypb.HistoryEvent_WorkflowExecutionFailedEventAttributes{
			WorkflowExecutionFailedEventAttributes: &historypb.WorkflowExecutionFailedEventAttributes{
				Failure: &failurepb.Failure{Message: "panic"},
			},
		},
	}
}

// An end that did not wait for what was in flight leaves it in doubt.
func TestAnEndFromOutsideLeavesDoubt(t *testing.T) {
	ends := map[string]func() *historypb.HistoryEvent{
		"terminated": func() *historypb.HistoryEvent {
			return &historypb.HistoryEvent{EventType: enums.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED}
		},
		"timed out": func() *historypb.HistoryEvent {
			return &historypb.HistoryEvent{EventType: enums.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT}
		},
		"failed without a result": failedWithoutResult,
	}
	for name, end := range ends {
		for class, recoverable := range map[plan.DeliveryClass]bool{plan.Conditional: true, plan.Once: false} {
			t.Run(name+", "+string(class), func(t *testing.T) {
				l := tellExecution(t, class)
				l.begins("a")
				l.event(end())
				status := l.fold.view()
				require.Equal(t, workflows.Failed, status.Status)
				require.Equal(t, workflows.ActionCounts{Total: 2, InDoubt: 1, Pending: 1}, status.Counts)
				require.Equal(t, workflows.StepInDoubt, status.Actions[0].Status)
				require.Equal(t, recoverable, status.Actions[0].Recoverable)
				require.Equal(t, workflows.StepFailed, l.step().Status)
				require.NotEmpty(t, l.step().Error)
			})
		}
	}
}

func TestTheStepWaitsForWhatIsInFlight(t *testing.T) {
	for _, failsFirst := range []bool{true, false} {
		l := tellExecution(t, plan.Conditional)
		backs := []func(int64){l.fails, l.completes}
		if !failsFirst {
			slices.Reverse(backs)
		}
		a, b := l.begins("a"), l.begins("b")
		backs[0](a)
		require.Equal(t, workflows.StepRunning, l.step().Status, "the other is in flight")
		backs[1](b)
		require.Equal(t, workflows.StepFailed, l.step().Status, "one failed, whichever came back last")
		failed := map[bool]string{true: "a", false: "b"}[failsFirst]
		require.Equal(t, failed+": refused", l.step().Error)
	}
	l := tellExecution(t, plan.Conditional)
	a, b := l.begins("a"), l.begins("b")
	l.completes(b)
	require.Equal(t, workflows.StepRunning, l.step().Status)
	l.completes(a)
	require.Equal(t, workflows.StepCompleted, l.step().Status)
}

// The judge saw the gate as it was when it began. Of two that it accepts, the
// first decides.
func TestAnAcceptedDecisionMayBeTooLate(t *testing.T) {
	f := newFold("acme/x")
	hash := plan.Sum([]byte("plan"))
	f.state.Gate = approvals.Request{Phase: approvals.PhaseOpen, PlanHash: hash}
	judged := func(v ...approvals.Verdict) *historypb.HistoryEvent {
		raw, err := json.Marshal(workflows.JudgeDecisionsResult{Verdicts: v})
		require.NoError(t, err)
		return &historypb.HistoryEvent{
			EventType: enums.EVENT_TYPE_MARKER_RECORDED,
			Attributes: &historypb.HistoryEvent_MarkerRecordedEventAttributes{
				MarkerRecordedEventAttributes: &historypb.MarkerRecordedEventAttributes{
					MarkerName: "LocalActivity", Details: map[string]*commonpb.Payloads{"result": asPayloads(raw)},
				},
			},
		}
	}
	reject := approvals.Verdict{Code: approvals.Accepted, Decision: approvals.Reject, PlanHash: hash.String(), Approver: "bo.lin"}
	approve := approvals.Verdict{Code: approvals.Accepted, Decision: approvals.Approve, PlanHash: hash.String(), Approver: "cy.ma"}
	require.NoError(t, f.event(judged(reject)))
	require.NoError(t, f.event(judged(approve)))

	recent := f.view().Decisions.Recent
	require.Equal(t, approvals.Accepted, recent[0].Code)
	require.Equal(t, approvals.TooLate, recent[1].Code)
	require.Nil(t, f.state.Grant, "nothing was granted")
}

// What continues as new carries only what the rest does not follow from.
func TestACarriedStateFoldsWhole(t *testing.T) {
	l := tellExecution(t, plan.Conditional)
	before := l.fold.state
	at := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	before.DecideBy = &at
	before.Request = &workflows.RequestApprovalResult{RequestID: "req", Terms: approvals.Terms{
		Label: "test", Version: "test@sha256:01", Proof: approvals.ByClaim, DecideWithin: time.Hour, GrantLife: time.Hour,
		Quorums: []approvals.Quorum{{Group: "approvers", Need: 1, Members: []string{"ann.wu", "bo.lin"}}},
	}}
	task, err := json.Marshal(l.fold.task)
	require.NoError(t, err)
	carried, err := json.Marshal(before.Carried())
	require.NoError(t, err)

	f := newFold("acme/x")
	input := asPayloads(task)
	input.Payloads = append(input.Payloads, asPayloads(carried).GetPayloads()...)
	require.NoError(t, f.event(&historypb.HistoryEvent{
		EventType: enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
		Attributes: &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
			WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{Input: input},
		},
	}))
	require.Equal(t, []string{"a", "b"}, []string{f.state.Actions[0].ID, f.state.Actions[1].ID})
	require.Equal(t, approvals.PhaseOpen, f.state.Gate.Phase)
	require.Equal(t, "ann.wu", f.state.Gate.Requester, "so that the command that is shown names another")
}
