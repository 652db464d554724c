package runs

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// While an action waits to be sent again, a run says so from outside too, and
// nothing of it looks as if it had failed.
func TestARunThatWaitsToSendAgainFolds(t *testing.T) {
	events := recorded(t)["waiting-to-send-again"]
	status := folded(t, events).view()
	require.Equal(t, workflows.WaitingResolution, status.Status)
	require.Regexp(t, `^action order is sent again after 20\d\d-\S+Z unless somebody says that it happened, or aborts$`, status.Reason)
	require.Equal(t, workflows.StepInDoubt, status.Actions[0].Status)
	require.True(t, status.Actions[0].Resolvable())
	require.True(t, status.Actions[0].Resolution.Applied)
	require.Equal(t, "bo.lin", status.Resolver)
	for n := range events {
		step := stepRow(t, folded(t, events[:n+1]).view(), workflows.ExecuteAction)
		require.NotEqual(t, workflows.StepFailed, step.Status, "after event %d", n+1)
	}
}

// An answer to a word that was taken back changes nothing.
func TestAWordThatWasTakenBackFolds(t *testing.T) {
	events := recorded(t)["not-happened-taken-back"]
	for n := range events {
		status := folded(t, events[:n+1]).view()
		for _, a := range status.Actions {
			if a.ID == "order" && a.Resolution != nil {
				require.NotEqual(t, workflows.StepPending, a.Status, "after event %d", n+1)
			}
		}
	}
	end := folded(t, events).view()
	require.Equal(t, approvals.Happened, end.Actions[0].Resolution.Outcome)
	require.Equal(t, 3, stepRow(t, end, workflows.ExecuteAction).Runs, "each action was begun once")
}

// asks schedules a settle_action and returns the event that did.
func (l *teller) asks(in workflows.SettleActionInput) int64 {
	l.t.Helper()
	raw, err := json.Marshal(in)
	require.NoError(l.t, err)
	id := l.next
	l.event(&historypb.HistoryEvent{
		EventType: enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
		Attributes: &historypb.HistoryEvent_ActivityTaskScheduledEventAttributes{
			ActivityTaskScheduledEventAttributes: &historypb.ActivityTaskScheduledEventAttributes{
				ActivityType: &commonpb.ActivityType{Name: workflows.SettleAction}, Input: asPayloads(raw),
			},
		},
	})
	return id
}

func (l *teller) answers(scheduled int64, out workflows.SettleActionResult) {
	l.t.Helper()
	raw, err := json.Marshal(out)
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

func (l *teller) judges(v approvals.Verdict) {
	l.t.Helper()
	raw, err := json.Marshal(workflows.JudgeDecisionsResult{Verdicts: []approvals.Verdict{v}})
	require.NoError(l.t, err)
	l.event(&historypb.HistoryEvent{
		EventType: enums.EVENT_TYPE_MARKER_RECORDED,
		Attributes: &historypb.HistoryEvent_MarkerRecordedEventAttributes{
			MarkerRecordedEventAttributes: &historypb.MarkerRecordedEventAttributes{
				MarkerName: "LocalActivity", Details: map[string]*commonpb.Payloads{"result": asPayloads(raw)},
			},
		},
	})
}

// An abort ends a run when the policy of the day takes it. Until then, and when it
// does not, the run waits; of the day's policy alone a run can hear as well.
func TestAnAbortThatIsComparedWithThePolicyFolds(t *testing.T) {
	for name, refused := range map[string]string{"taken": "", "refused": "the word of bo.lin was not recorded: not_a_resolver"} {
		t.Run(name, func(t *testing.T) {
			l := tellExecution(t, plan.Once)
			state := &l.fold.state
			state.Status, state.Gate.Execution = workflows.WaitingResolution, "e"
			state.Request = &workflows.RequestApprovalResult{}
			state.Actions[0].Status, state.Actions[0].Doubt = workflows.StepInDoubt, &workflows.Doubt{Token: 1, Detail: "killed"}
			today := &approvals.Resolving{Label: "new", Version: "new@sha256:01"}
			l.answers(l.asks(workflows.SettleActionInput{ActionID: "a", Hears: true}), workflows.SettleActionResult{Today: today})
			require.Equal(t, today, state.Resolving)
			require.Equal(t, workflows.StepInDoubt, state.Actions[0].Status, "nothing was said of it")

			l.judges(approvals.Verdict{Code: approvals.Accepted, ActionID: "a", PlanHash: state.Plan.PlanHash.String(),
				Outcome: approvals.Abort, Approver: "bo.lin", Claim: "1"})
			word := *state.Actions[0].Resolution
			asked := l.asks(workflows.SettleActionInput{ActionID: "a", Resolution: &word})
			require.Equal(t, workflows.StepRunning, l.step().Status)
			require.Equal(t, "action a is given up, says bo.lin; that is being compared with the policy of the day", l.fold.view().Reason)
			require.Equal(t, workflows.StepPending, state.Actions[1].Status)
			l.answers(asked, workflows.SettleActionResult{Standing: workflows.StandingInDoubt, Doubt: state.Actions[0].Doubt, Refused: refused})
			require.Equal(t, workflows.StepInDoubt, state.Actions[0].Status)
			if refused == "" {
				require.Equal(t, workflows.StepFailed, l.step().Status)
				require.Equal(t, "a: its outcome stays unknown; aborted by bo.lin", l.step().Error)
				require.Equal(t, workflows.StepSkipped, state.Actions[1].Status)
				return
			}
			require.Equal(t, workflows.StepRunning, l.step().Status)
			require.Nil(t, state.Actions[0].Resolution)
			require.Equal(t, refused+"; before that: killed", state.Actions[0].Doubt.Detail)
			require.Equal(t, workflows.StepPending, state.Actions[1].Status)
		})
	}
}
