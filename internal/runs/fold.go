package runs

import (
	"errors"
	"fmt"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// fold replays the events' meaning, not the workflow's code: it keeps the
// state that the workflow would show.
type fold struct {
	task    workflows.Task
	state   workflows.State
	result  *workflows.Status
	running map[int64]scheduled // by the event that scheduled it
}

// scheduled is an activity between its first and its last event.
type scheduled struct {
	id      string // activity ID
	step    workflows.StepName
	action  int // place in the plan; -1 when the step has no actions
	attempt int32
}

func newFold() *fold { return &fold{running: map[int64]scheduled{}} }

func (f *fold) view(runID string) workflows.Status {
	if f.result != nil {
		return *f.result
	}
	return f.state.View(runID)
}

func (f *fold) event(e *historypb.HistoryEvent) error {
	at := e.GetEventTime().AsTime()
	switch e.GetEventType() {
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
		return f.started(e.GetWorkflowExecutionStartedEventAttributes().GetInput())
	case enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
		return f.scheduled(e.GetEventId(), e.GetActivityTaskScheduledEventAttributes(), at)
	case enums.EVENT_TYPE_ACTIVITY_TASK_STARTED:
		a := e.GetActivityTaskStartedEventAttributes()
		s := f.running[a.GetScheduledEventId()]
		s.attempt = a.GetAttempt()
		f.running[a.GetScheduledEventId()] = s
	case enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
		a := e.GetActivityTaskCompletedEventAttributes()
		return f.completed(f.end(a.GetScheduledEventId()), a.GetResult(), at)
	case enums.EVENT_TYPE_ACTIVITY_TASK_FAILED:
		a := e.GetActivityTaskFailedEventAttributes()
		f.failed(f.end(a.GetScheduledEventId()), a.GetFailure(), at)
	case enums.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT:
		a := e.GetActivityTaskTimedOutEventAttributes()
		f.failed(f.end(a.GetScheduledEventId()), a.GetFailure(), at)
	case enums.EVENT_TYPE_MARKER_RECORDED:
		return f.marker(e.GetMarkerRecordedEventAttributes())
	case enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:
		return f.attributes(e.GetUpsertWorkflowSearchAttributesEventAttributes().GetSearchAttributes())
	default:
		return f.closed(e)
	}
	return nil
}

func (f *fold) started(input *commonpb.Payloads) error {
	var carried *workflows.State
	if err := decode(input, &f.task, &carried); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	f.task = f.task.WithDefaults()
	f.state = workflows.NewState(f.task)
	if carried != nil {
		f.state = *carried
	}
	return nil
}

func (f *fold) scheduled(id int64, a *historypb.ActivityTaskScheduledEventAttributes, at time.Time) error {
	s := scheduled{id: a.GetActivityId(), step: workflows.StepName(a.GetActivityType().GetName()), action: -1}
	switch s.step { //nolint:exhaustive // the other steps' inputs say nothing that the fold needs
	case workflows.MakePlan:
		var in workflows.MakePlanInput
		if err := decode(a.GetInput(), &in); err != nil {
			return err
		}
		f.state.Revision = in.Revision
	case workflows.ExecuteAction:
		var in workflows.ExecuteActionInput
		if err := decode(a.GetInput(), &in); err != nil {
			return err
		}
		for i := range f.state.Actions {
			if f.state.Actions[i].ID == in.ActionID {
				s.action = i
				f.state.ActionBegun(i)
			}
		}
	}
	f.running[id] = s
	f.state.Begin(s.step, f.task, at)
	return nil
}

func (f *fold) end(scheduledEvent int64) scheduled {
	s := f.running[scheduledEvent]
	delete(f.running, scheduledEvent)
	return s
}

// completed takes a step's result into the state.
func (f *fold) completed(s scheduled, result *commonpb.Payloads, at time.Time) error {
	var err error
	switch s.step {
	case workflows.CollectContext:
		f.state.Context = new(workflows.CollectContextResult)
		err = decode(result, f.state.Context)
	case workflows.MakePlan:
		var p workflows.MakePlanResult
		if err = decode(result, &p); err == nil {
			f.state.NewPlan(&p)
		}
	case workflows.RequestApproval:
		f.state.Request = new(workflows.RequestApprovalResult)
		if err = decode(result, f.state.Request); err == nil {
			f.state.Gate = approvals.Request{
				RequestID: f.state.Request.RequestID, Phase: approvals.PhaseOpen, Requester: f.task.Requester,
				PlanHash: f.state.Plan.PlanHash, Policy: f.state.Request.Policy,
			}
		}
	case workflows.ExecuteAction:
		var out workflows.ExecuteActionResult
		if err = decode(result, &out); err == nil && s.action >= 0 {
			f.state.ActionEnded(s.action, out)
		}
		if f.busy(workflows.ExecuteAction) || f.left() {
			return err
		}
	case workflows.Summarize:
		f.state.Summary = new(workflows.SummarizeResult)
		err = decode(result, f.state.Summary)
	}
	f.state.Complete(s.step, int(s.attempt), at)
	return err
}

func (f *fold) failed(s scheduled, failure *failurepb.Failure, at time.Time) {
	err := temporal.GetDefaultFailureConverter().FailureToError(failure)
	if s.action >= 0 {
		f.state.ActionFailed(s.action, err)
	}
	f.state.Fail(s.step, workflows.FaultText(err), int(s.attempt), at)
}

func (f *fold) busy(step workflows.StepName) bool {
	for _, s := range f.running {
		if s.step == step {
			return true
		}
	}
	return false
}

// left reports whether the plan has actions that have not come to an end.
func (f *fold) left() bool {
	for _, a := range f.state.Actions {
		if a.Status == workflows.StepPending {
			return true
		}
	}
	return false
}

// marker reads the verdicts that a local activity recorded.
func (f *fold) marker(m *historypb.MarkerRecordedEventAttributes) error {
	if m.GetMarkerName() != "LocalActivity" || m.GetFailure() != nil {
		return nil
	}
	var judged workflows.JudgeDecisionsResult
	if err := decode(m.GetDetails()["result"], &judged); err != nil {
		return err
	}
	for _, v := range judged.Verdicts {
		f.state.Decisions.Add(v)
		f.accepted(v)
		f.state.Gate = f.state.Gate.After(v)
	}
	return nil
}

// accepted takes what an accepted decision changes beside the gate.
func (f *fold) accepted(v approvals.Verdict) {
	switch {
	case v.Code != approvals.Accepted:
	case v.Decision == approvals.Revise:
		f.state.Reason = "a new plan was asked for by " + v.Approver
	case v.Decision == approvals.Approve:
		f.state.Reason = ""
		if grant, err := approvals.NewGrant(f.state.Gate, v); err == nil {
			f.state.Grant = &grant
		}
	}
}

// attributes reads what the workflow shows outside: its status, and the
// deadline, which only the workflow's own clock has fixed.
func (f *fold) attributes(attributes *commonpb.SearchAttributes) error {
	fields := attributes.GetIndexedFields()
	if payload, ok := fields[workflows.DecideByAttribute]; ok {
		decideBy := new(time.Time)
		if err := converter.GetDefaultDataConverter().FromPayload(payload, decideBy); err != nil {
			return err
		}
		f.state.DecideBy, f.state.Gate.DecideBy = decideBy, *decideBy
	}
	if payload, ok := fields[workflows.StatusAttribute]; ok {
		return converter.GetDefaultDataConverter().FromPayload(payload, &f.state.Status)
	}
	return nil
}

// closed reads how the execution ended. A run has its result in every end
// that the workflow itself came to.
func (f *fold) closed(e *historypb.HistoryEvent) error {
	switch e.GetEventType() {
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
		return f.ended(e.GetWorkflowExecutionCompletedEventAttributes().GetResult())
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
		return f.ended(e.GetWorkflowExecutionCanceledEventAttributes().GetDetails())
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED:
		failure := e.GetWorkflowExecutionFailedEventAttributes().GetFailure()
		if details := failure.GetApplicationFailureInfo().GetDetails(); details != nil {
			return f.ended(details)
		}
		f.state.Status, f.state.Reason = workflows.Failed, failure.GetMessage()
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED:
		reason := e.GetWorkflowExecutionTerminatedEventAttributes().GetReason()
		f.state.Status, f.state.Reason = workflows.Failed, "terminated by an operator: "+reason
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT:
		f.state.Status, f.state.Reason = workflows.Failed, "the workflow's own time limit ended it"
	}
	return nil
}

func (f *fold) ended(payloads *commonpb.Payloads) error {
	var result workflows.Status
	if err := decode(payloads, &result); err != nil {
		return fmt.Errorf("result: %w", err)
	}
	if result.Status == "" {
		return errors.New("the result holds no status")
	}
	f.result = &result
	return nil
}

// pending joins what the server knows of running activities with the plan.
func (f *fold) pending(infos []*workflowpb.PendingActivityInfo) []Pending {
	var all []Pending
	for _, info := range infos {
		p := Pending{
			Activity: info.GetActivityType().GetName(), Attempt: info.GetAttempt(),
			Failure: info.GetLastFailure().GetMessage(), NextAt: info.GetNextAttemptScheduleTime().AsTime(),
		}
		for _, s := range f.running {
			if s.id == info.GetActivityId() && s.action >= 0 {
				p.Activity += " " + f.state.Actions[s.action].ID
			}
		}
		all = append(all, p)
	}
	return all
}

func decode(payloads *commonpb.Payloads, into ...any) error {
	return converter.GetDefaultDataConverter().FromPayloads(payloads, into...)
}
