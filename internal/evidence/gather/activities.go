package gather

import (
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/workflows"
)

// execution is one activity execution as the history tells of it.
type execution struct {
	name   string
	input  *commonpb.Payloads
	try    evidence.Try
	result *commonpb.Payloads // when it completed
}

// activities lists what the steps did.
func (g *gathering) activities() error {
	for i, e := range g.chain {
		for _, x := range activitiesOf(i, e.History) {
			if err := g.activity(x); err != nil {
				return fmt.Errorf("%s at event %d of execution %s: %w", x.name, x.try.Scheduled.ID, e.RunID, err)
			}
		}
	}
	return nil
}

// activitiesOf lists the activity executions of a history, in the order in which
// they were scheduled.
func activitiesOf(place int, h *historypb.History) []*execution {
	var all []*execution
	byEvent := map[int64]*execution{}
	for _, event := range h.GetEvents() {
		if a := event.GetActivityTaskScheduledEventAttributes(); a != nil {
			x := &execution{name: a.GetActivityType().GetName(), input: a.GetInput(), try: evidence.Try{
				Scheduled: evidence.Place{Execution: place, ID: event.GetEventId()}, ScheduledAt: event.GetEventTime().AsTime(),
			}}
			x.try.Activity = x.name
			all, byEvent[event.GetEventId()] = append(all, x), x
			continue
		}
		if a := event.GetActivityTaskStartedEventAttributes(); a != nil {
			x := byEvent[a.GetScheduledEventId()]
			x.try.Attempt, x.try.StartedAt, x.try.Worker = a.GetAttempt(), event.GetEventTime().AsTime(), a.GetIdentity()
			if a.GetLastFailure() != nil {
				x.try.Before = failureOf(a.GetLastFailure()).Message
			}
			continue
		}
		ended(event, byEvent)
	}
	return all
}

// ended takes how an activity execution ended.
func ended(event *historypb.HistoryEvent, byEvent map[int64]*execution) {
	var x *execution
	switch event.GetEventType() {
	case enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
		a := event.GetActivityTaskCompletedEventAttributes()
		x = byEvent[a.GetScheduledEventId()]
		x.try.Ending, x.result = evidence.Completed, a.GetResult()
	case enums.EVENT_TYPE_ACTIVITY_TASK_FAILED:
		a := event.GetActivityTaskFailedEventAttributes()
		x = byEvent[a.GetScheduledEventId()]
		x.try.Ending, x.try.Failure = evidence.Failed, failureOf(a.GetFailure())
	case enums.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT:
		a := event.GetActivityTaskTimedOutEventAttributes()
		x = byEvent[a.GetScheduledEventId()]
		x.try.Ending, x.try.Failure = evidence.TimedOut, failureOf(a.GetFailure())
	case enums.EVENT_TYPE_ACTIVITY_TASK_CANCELED:
		x = byEvent[event.GetActivityTaskCanceledEventAttributes().GetScheduledEventId()]
		x.try.Ending = evidence.Canceled
	default:
		return
	}
	x.try.EndedAt = event.GetEventTime().AsTime()
}

// failureOf takes class and message of a failure. Its cause, its details and its
// stack are left out.
func failureOf(f *failurepb.Failure) *evidence.Failure {
	err := temporal.GetDefaultFailureConverter().FailureToError(f)
	return &evidence.Failure{Class: f.GetApplicationFailureInfo().GetType(), Message: workflows.FaultText(err)}
}

// activity puts one into its place.
func (g *gathering) activity(x *execution) error {
	switch x.name {
	case string(workflows.CollectContext):
		return g.collected(x)
	case string(workflows.MakePlan):
		return g.planned(x)
	case string(workflows.ExecuteAction):
		return g.executed(x)
	case workflows.SettleAction:
		return g.settled(x)
	case workflows.Notify:
		return g.notified(x)
	default:
		return nil // request_approval is seen on the replay, summarize in the result
	}
}

func (g *gathering) collected(x *execution) error {
	var out workflows.CollectContextResult
	if x.result == nil {
		return nil
	}
	if err := decode(x.result, &out); err != nil {
		return err
	}
	g.content.Context = &evidence.Context{
		Digest: out.Digest, Manifest: g.document("manifest of the context", out.Manifest.Digest, maxManifest),
	}
	return nil
}

func (g *gathering) planned(x *execution) error {
	var out workflows.MakePlanResult
	if x.result == nil {
		return nil
	}
	if err := decode(x.result, &out); err != nil {
		return err
	}
	if len(out.Plan) == 0 {
		g.content.Plans = append(g.content.Plans, g.document("plan "+out.PlanHash.String(), out.PlanHash, plan.MaxBytes))
		return nil
	}
	canonical, err := plan.Canonicalize(out.Plan)
	g.content.Plans = append(g.content.Plans, evidence.Plan{SHA256: out.PlanHash, Text: string(canonical)})
	return err
}

func (g *gathering) executed(x *execution) error {
	var in workflows.ExecuteActionInput
	if err := decode(x.input, &in); err != nil {
		return err
	}
	var err error
	if x.try.Grant, err = evidence.GrantDigest(in.Grant); err != nil {
		return err
	}
	x.try.Key = in.Key
	if x.result != nil {
		x.try.Done = new(workflows.ExecuteActionResult)
		err = decode(x.result, x.try.Done)
	}
	g.try(in.PlanHash, in.ActionID, x.try)
	return err
}

func (g *gathering) settled(x *execution) error {
	var in workflows.SettleActionInput
	if err := decode(x.input, &in); err != nil {
		return err
	}
	var err error
	x.try.Key, x.try.Word, x.try.Claim = in.Key, in.Resolution, in.Token
	if x.result != nil {
		x.try.Settled = new(workflows.SettleActionResult)
		err = decode(x.result, x.try.Settled)
	}
	g.try(in.PlanHash, in.ActionID, x.try)
	return err
}

func (g *gathering) try(hash plan.Digest, actionID string, t evidence.Try) {
	for i := range g.content.Actions {
		if a := &g.content.Actions[i]; a.PlanHash == hash && a.ActionID == actionID {
			a.Tries = append(a.Tries, t)
			return
		}
	}
	g.content.Actions = append(g.content.Actions, evidence.Action{PlanHash: hash, ActionID: actionID, Tries: []evidence.Try{t}})
}

func (g *gathering) notified(x *execution) error {
	var in workflows.Notice
	if err := decode(x.input, &in); err != nil {
		return err
	}
	n := evidence.Notice{
		Key: in.Key, Event: in.Event, Channel: in.Channel, At: in.At, RequestID: in.RequestID, PlanHash: in.PlanHash,
		Waiting: in.Waiting, Ending: x.try.Ending, Failure: x.try.Failure,
	}
	if x.result != nil {
		var out workflows.NoticeResult
		if err := decode(x.result, &out); err != nil {
			return err
		}
		n.Answer = out.Answer
	}
	g.content.Notices = append(g.content.Notices, n)
	return nil
}

func decode(payloads *commonpb.Payloads, into any) error {
	if err := converter.GetDefaultDataConverter().FromPayloads(payloads, into); err != nil {
		return fmt.Errorf("its input or result: %w", err)
	}
	return nil
}
