package runs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/holdpoint/holdpoint/workflows"
)

// Listed is one run as the visibility store has it: enough for a list, and
// some hundred milliseconds behind.
type Listed struct {
	ID        string              `json:"run_id"`
	Status    workflows.RunStatus `json:"status"`
	PlanHash  string              `json:"plan_hash,omitempty"`
	Risk      string              `json:"risk,omitempty"`
	DecideBy  *time.Time          `json:"decide_by,omitempty"`
	StartedAt time.Time           `json:"started_at"`
}

// Filter narrows a list. Empty fields match everything.
type Filter struct {
	Tenant string
	Status workflows.RunStatus
	Limit  int
}

func (f Filter) query() string {
	clauses := []string{fmt.Sprintf("WorkflowType = '%s'", workflows.WorkflowType)}
	for name, value := range map[string]string{
		workflows.TenantAttribute: f.Tenant, workflows.StatusAttribute: string(f.Status),
	} {
		if value != "" {
			clauses = append(clauses, fmt.Sprintf("%s = '%s'", name, strings.ReplaceAll(value, "'", "''")))
		}
	}
	return strings.Join(clauses, " AND ")
}

// List returns runs, the newest first.
func (r Reader) List(ctx context.Context, f Filter) ([]Listed, error) {
	page, err := r.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: r.Namespace, Query: f.query(), PageSize: int32(f.Limit), //nolint:gosec // a flag's small number
	})
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var runs []Listed
	for _, info := range page.GetExecutions() {
		if info.GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW {
			continue
		}
		runs = append(runs, listed(info))
	}
	return runs, nil
}

func listed(info *workflowpb.WorkflowExecutionInfo) Listed {
	l := Listed{ID: info.GetExecution().GetWorkflowId(), StartedAt: info.GetStartTime().AsTime()}
	attribute := func(name string, into any) {
		if payload, ok := info.GetSearchAttributes().GetIndexedFields()[name]; ok {
			// A value of another type than ours is shown as absent.
			_ = converter.GetDefaultDataConverter().FromPayload(payload, into)
		}
	}
	attribute(workflows.StatusAttribute, &l.Status)
	attribute(workflows.PlanHashAttribute, &l.PlanHash)
	attribute(workflows.RiskAttribute, &l.Risk)
	attribute(workflows.DecideByAttribute, &l.DecideBy)
	if l.Status == "" {
		l.Status = workflows.RunStatus(strings.ToUpper(info.GetStatus().String()))
	}
	return l
}
