package runs

import (
	"fmt"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/workflows"
)

// fold replays the events' meaning, not the workflow's code: it keeps the
// state that the workflow would show.
type fold struct {
	runID   string
	task    workflows.Task
	state   workflows.State
	result  *workflows.Status
	first   int                 // place of the first action that failed; -1 when none has
	running map[int64]scheduled // by the event that scheduled it
	// request is one that was made and whose gate is not open yet: that comes
	// with its deadline, which only the workflow's own clock has fixed.
	request *workflows.RequestApprovalResult
}

// scheduled is an activity between its first and its last event.
type scheduled struct {
	id      string // activity ID
	step    workflows.StepName
	action  int                 // place in the plan; -1 when the step has no actions
	notice  string              // key of the notice that it delivers
	word    *workflows.Resolved // a person's, of which it tells the ledger
	hears   bool                // it asks for the policy of the day alone
	attempt int32
}

func newFold(runID string) *fold {
	return &fold{runID: runID, first: noAction, running: map[int64]scheduled{}}
}

const noAction = -1

func (f *fold) view() workflows.Status {
	if f.result != nil {
		return *f.result
	}
	if f.state.Status == workflows.WaitingResolution {
		f.state.Reason = f.state.WhatWaits() // which changes while the status stays
	}
	return f.state.View(f.runID)
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
		if s, ok := f.running[a.GetScheduledEventId()]; ok {
			s.attempt = a.GetAttempt()
			f.running[a.GetScheduledEventId()] = s
		}
	case enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
		a := e.GetActivityTaskCompletedEventAttributes()
		if s, ok := f.end(a.GetScheduledEventId()); ok {
			return f.completed(s, a.GetResult(), at)
		}
	case enums.EVENT_TYPE_ACTIVITY_TASK_FAILED:
		a := e.GetActivityTaskFailedEventAttributes()
		if s, ok := f.end(a.GetScheduledEventId()); ok {
			f.failed(s, a.GetFailure(), at)
		}
	case enums.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT:
		a := e.GetActivityTaskTimedOutEventAttributes()
		if s, ok := f.end(a.GetScheduledEventId()); ok {
			f.failed(s, a.GetFailure(), at)
		}
	case enums.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED:
		// The workflow has given it up, and does not wait for its answer.
		f.givenUpOn(e.GetActivityTaskCancelRequestedEventAttributes().GetScheduledEventId())
	case enums.EVENT_TYPE_WORKFLOW_TASK_STARTED:
		return f.unattended(at)
	case enums.EVENT_TYPE_MARKER_RECORDED:
		return f.marker(e.GetMarkerRecordedEventAttributes(), at)
	case enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES:
		return f.attributes(e.GetUpsertWorkflowSearchAttributesEventAttributes().GetSearchAttributes(), at)
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
		f.state = carried.Resumed(f.task, f.runID)
	}
	return nil
}

func (f *fold) scheduled(id int64, a *historypb.ActivityTaskScheduledEventAttributes, at time.Time) error {
	s := scheduled{id: a.GetActivityId(), step: workflows.StepName(a.GetActivityType().GetName()), action: noAction}
	switch s.step { //nolint:exhaustive // the other steps' inputs say nothing that the fold needs
	case workflows.MakePlan:
		var in workflows.MakePlanInput
		if err := decode(a.GetInput(), &in); err != nil {
			return err
		}
		f.planning(in.Revision)
	case workflows.ExecuteAction:
		var in workflows.ExecuteActionInput
		if err := decode(a.GetInput(), &in); err != nil {
			return err
		}
		if s.action = f.place(in.ActionID); s.action != noAction {
			f.state.ActionBegun(s.action)
		}
	case workflows.SettleAction:
		var in workflows.SettleActionInput
		if err := decode(a.GetInput(), &in); err != nil {
			return err
		}
		if s.word, s.hears = in.Resolution, in.Hears; s.hears {
			f.running[id] = s
			return nil
		}
		if s.action = f.place(in.ActionID); s.action != noAction && s.word != nil {
			f.state.Settling(s.action)
			f.unskip(s.word)
		}
		f.running[id] = s
		f.state.Begin(workflows.ExecuteAction, f.task, at) // it has not ended after all
		return nil
	case workflows.RequestApproval:
		// A gate that is still open had waited in vain. Another was closed by the
		// verdict that says why it is asked anew.
		if f.state.Request != nil && f.state.Gate.Phase == approvals.PhaseOpen {
			f.state.AskAgain()
		}
	case workflows.Notify:
		return f.telling(id, s, a.GetInput())
	}
	f.running[id] = s
	f.state.Begin(s.step, f.task, at)
	return nil
}

// place finds an action of the present plan.
func (f *fold) place(id string) int {
	for i := range f.state.Actions {
		if f.state.Actions[i].ID == id {
			return i
		}
	}
	return noAction
}

// end takes an activity out of those that run; false when it is not among them.
func (f *fold) end(scheduledEvent int64) (scheduled, bool) {
	s, ok := f.running[scheduledEvent]
	delete(f.running, scheduledEvent)
	return s, ok
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
			f.planned(&p)
		}
	case workflows.RequestApproval:
		err = f.asked(result)
	case workflows.ExecuteAction:
		var out workflows.ExecuteActionResult
		if err = decode(result, &out); err == nil && s.action != noAction {
			f.state.ActionEnded(s.action, out)
			if out.Outcome == workflows.OutcomeDrifted || out.Outcome == workflows.OutcomePolicyChanged {
				f.state.Halt.Replan = f.state.Reason
			}
			f.landed(s, at)
		}
		return err
	case workflows.SettleAction:
		return f.settled(s, result, at)
	case workflows.Notify:
		var out workflows.NoticeResult
		err = decode(result, &out)
		f.state.NoticeEnded(s.notice, out, err)
		return err
	case workflows.Summarize:
		f.state.Summary = new(workflows.SummarizeResult)
		err = decode(result, f.state.Summary)
	}
	f.state.Complete(s.step, int(s.attempt), at)
	return err
}

func (f *fold) failed(s scheduled, failure *failurepb.Failure, at time.Time) {
	err := temporal.GetDefaultFailureConverter().FailureToError(failure)
	switch {
	case s.step == workflows.Notify:
		f.state.NoticeEnded(s.notice, workflows.NoticeResult{}, err)
		return
	case s.hears:
		return
	case s.step == workflows.SettleAction && s.action != noAction:
		f.state.ActionUnsettled(s.action, err)
		f.landed(s, at)
		return
	case s.action != noAction:
		f.state.ActionFailed(s.action, err)
		f.landed(s, at)
		return
	}
	f.state.Fail(s.step, workflows.FaultText(err), int(s.attempt), at)
}

func decode(payloads *commonpb.Payloads, into ...any) error {
	return converter.GetDefaultDataConverter().FromPayloads(payloads, into...)
}
