package workflows

import (
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// Register adds AgentRun to a worker or a replayer, which must have
// NewInterceptor among its interceptors.
func Register(registry worker.WorkflowRegistry, settings Settings) {
	registry.RegisterWorkflowWithOptions(
		func(ctx workflow.Context, task Task, carried *State) (*Status, error) {
			return AgentRun(ctx, settings, task, carried)
		},
		workflow.RegisterOptions{Name: WorkflowType},
	)
}
