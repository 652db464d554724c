package workflows

import (
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals"
)

// NewInterceptor returns the interceptor that AgentRun needs, in workers and
// in replayers alike: it takes approval signals before the SDK decodes them.
// The SDK drops what it cannot decode, and a Receive then blocks or panics; a
// person's mistyped command must be seen and judged instead.
func NewInterceptor() interceptor.WorkerInterceptor { return &workerInterceptor{} }

type workerInterceptor struct {
	interceptor.WorkerInterceptorBase
}

// InterceptWorkflow is called once for each workflow execution in the cache.
func (*workerInterceptor) InterceptWorkflow(
	_ workflow.Context, next interceptor.WorkflowInboundInterceptor,
) interceptor.WorkflowInboundInterceptor {
	i := &inboundInterceptor{inbox: &inbox{}}
	i.Next = next
	return i
}

type inboundInterceptor struct {
	interceptor.WorkflowInboundInterceptorBase
	inbox *inbox
}

type inboxKey struct{}

func (i *inboundInterceptor) ExecuteWorkflow(
	ctx workflow.Context, in *interceptor.ExecuteWorkflowInput,
) (any, error) {
	return i.Next.ExecuteWorkflow(workflow.WithValue(ctx, inboxKey{}, i.inbox), in)
}

func (i *inboundInterceptor) HandleSignal(ctx workflow.Context, in *interceptor.HandleSignalInput) error {
	about := aboutPlan
	switch in.SignalName {
	case ApprovalName:
	case ResolutionName:
		about = aboutEffect
	default:
		return i.Next.HandleSignal(ctx, in)
	}
	raw, err := MarshalPayloads(in.Arg)
	if err != nil {
		return err
	}
	i.inbox.add(ctx, about, raw, approvals.ViaSignal, nil)
	return nil
}

// inboxOf panics on a worker that was put together without the interceptor:
// that fails the workflow task, and the run waits for a worker that is right.
func inboxOf(ctx workflow.Context) *inbox {
	box, ok := ctx.Value(inboxKey{}).(*inbox)
	if !ok {
		panic("this worker or replayer runs without workflows.NewInterceptor: give it in its Interceptors")
	}
	return box
}
