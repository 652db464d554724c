package workflows

import (
	"fmt"
	"strings"

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

// validRunID keeps tenants apart: a run's id begins with its tenant.
func validRunID(runID, tenant string) error {
	if !strings.HasPrefix(runID, tenant+"/") {
		return fmt.Errorf("the workflow ID %q must begin with the task's tenant: %q", runID, tenant+"/")
	}
	return nil
}
