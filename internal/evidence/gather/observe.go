package gather

import (
	"time"

	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"

	"github.com/holdpoint/holdpoint/internal/replay"
	"github.com/holdpoint/holdpoint/workflows"
)

// observer is told, while a history is replayed, what the workflow asked its
// activities and what it was answered, in the order in which it heard of it.
type observer struct {
	interceptor.WorkerInterceptorBase

	asked    func(in workflows.RequestApprovalInput, out workflows.RequestApprovalResult, now time.Time) error
	decided  func(in workflows.JudgeDecisionsInput, out workflows.JudgeDecisionsResult) error
	resolved func(in workflows.JudgeResolutionsInput, out workflows.JudgeDecisionsResult) error

	// verdicts is the workflow's own query: the last verdicts, as it has taken
	// them.
	verdicts func() (workflows.Decisions, error)
	err      error // the first that one of these returned
}

// watch replays a history.
func (o *observer) watch(history *historypb.History) error {
	if history = settled(history); len(history.GetEvents()) == 0 {
		return nil // no worker has come to it yet
	}
	if err := replay.Run(history, o); err != nil {
		return err
	}
	return o.err
}

// settled is a history up to what the last completed workflow task made of it.
// What has arrived since has had no consequence yet.
func settled(history *historypb.History) *historypb.History {
	events := history.GetEvents()
	end := 0
	for i, e := range events {
		if e.GetEventType() == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			end = i + 1
		}
	}
	for end > 0 && end < len(events) && OfCommand(events[end]) {
		end++
	}
	// A replay changes what it is given.
	return proto.Clone(First(history, end)).(*historypb.History) //nolint:forcetypeassert // a clone is of its own type
}

// OfCommand reports an event that a workflow task of AgentRun makes by one of its
// commands. Those of one task follow its end at once, and are written with it.
func OfCommand(e *historypb.HistoryEvent) bool {
	switch e.GetEventType() {
	case enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, enums.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED,
		enums.EVENT_TYPE_TIMER_STARTED, enums.EVENT_TYPE_TIMER_CANCELED, enums.EVENT_TYPE_MARKER_RECORDED,
		enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
		enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED,
		enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
		enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:
		return true
	default:
		return false
	}
}

// InterceptWorkflow is called once for the replayed execution.
func (o *observer) InterceptWorkflow(
	_ workflow.Context, next interceptor.WorkflowInboundInterceptor,
) interceptor.WorkflowInboundInterceptor {
	i := &inbound{observer: o}
	i.Next = next
	return i
}

type inbound struct {
	interceptor.WorkflowInboundInterceptorBase

	observer *observer
}

func (i *inbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	o := &outbound{observer: i.observer}
	o.Next = next
	return i.Next.Init(o)
}

type outbound struct {
	interceptor.WorkflowOutboundInterceptorBase

	observer *observer
}

func (o *outbound) SetQueryHandler(ctx workflow.Context, name string, handler any) error {
	if query, ok := handler.(func() (workflows.Decisions, error)); ok && name == workflows.VerdictsQuery {
		o.observer.verdicts = query
	}
	return o.Next.SetQueryHandler(ctx, name, handler)
}

func (o *outbound) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	future := o.Next.ExecuteActivity(ctx, name, args...)
	in, ok := single[workflows.RequestApprovalInput](args)
	if !ok {
		return future
	}
	return answered{future, func(ctx workflow.Context, answer any) error {
		if out, ok := answer.(*workflows.RequestApprovalResult); ok {
			return o.observer.asked(in, *out, workflow.Now(ctx))
		}
		return nil
	}, &o.observer.err}
}

func (o *outbound) ExecuteLocalActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	future := o.Next.ExecuteLocalActivity(ctx, name, args...)
	return answered{future, func(_ workflow.Context, answer any) error {
		out, ok := answer.(*workflows.JudgeDecisionsResult)
		if in, decisions := single[workflows.JudgeDecisionsInput](args); ok && decisions {
			return o.observer.decided(in, *out)
		}
		if in, resolutions := single[workflows.JudgeResolutionsInput](args); ok && resolutions {
			return o.observer.resolved(in, *out)
		}
		return nil
	}, &o.observer.err}
}

func single[T any](args []any) (in T, ok bool) {
	if len(args) == 1 {
		in, ok = args[0].(T)
	}
	return in, ok
}

// answered is a future that tells what the workflow got from it.
type answered struct {
	workflow.Future

	then func(ctx workflow.Context, answer any) error
	err  *error
}

func (a answered) Get(ctx workflow.Context, answer any) error {
	err := a.Future.Get(ctx, answer)
	if err == nil && *a.err == nil {
		*a.err = a.then(ctx, answer)
	}
	return err
}
