package runs

import (
	"context"
	"fmt"
	"strings"
	"sync"
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
	// Confirm are the actions that wait for a word of their own, and ConfirmBy is
	// until when they do. The visibility store does not have them, see Awaited.
	Confirm   []string   `json:"confirm,omitempty"`
	ConfirmBy *time.Time `json:"confirm_by,omitempty"`
}

// Filter narrows a list. Empty fields match everything.
type Filter struct {
	Tenant string
	Status workflows.RunStatus
	Limit  int
}

func (f Filter) query() string {
	clauses := []string{fmt.Sprintf("WorkflowType = '%s'", workflows.WorkflowType)}
	if f.Tenant != "" {
		clauses = append(clauses, equal(workflows.TenantAttribute, f.Tenant))
	}
	if f.Status != "" {
		clauses = append(clauses, f.statusClause())
	}
	return strings.Join(clauses, " AND ")
}

// statusClause finds every run that may be listed with the status. One that an
// operator terminated never took back what it had shown.
func (f Filter) statusClause() string {
	shown := equal(workflows.StatusAttribute, string(f.Status))
	switch f.Status {
	case workflows.Running, workflows.WaitingApproval, workflows.WaitingResolution:
		return shown + " AND ExecutionStatus = 'Running'"
	case workflows.Failed:
		return "(" + shown + " OR ExecutionStatus = 'Failed' OR ExecutionStatus = 'Terminated' OR ExecutionStatus = 'TimedOut')"
	case workflows.Canceled:
		return "(" + shown + " OR ExecutionStatus = 'Canceled')"
	default: // an end that the workflow itself shows
		return shown
	}
}

func equal(attribute, value string) string {
	return fmt.Sprintf("%s = '%s'", attribute, strings.ReplaceAll(value, "'", "''"))
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
		if l := listed(info); f.Status == "" || l.Status == f.Status {
			runs = append(runs, l)
		}
	}
	return runs, nil
}

// readers bounds the runs that Awaited reads side by side.
const readers = 8

// Awaited reads each listed run that waits for approval, and says which of its
// actions wait for a word of their own. DecideBy is the plan's, and over for
// them. A run that is gone by now, or cannot be read, stays as it was listed.
func (r Reader) Awaited(ctx context.Context, listed []Listed) {
	places := make(chan int)
	var reading sync.WaitGroup
	for range readers {
		reading.Go(func() {
			for i := range places {
				r.awaited(ctx, &listed[i])
			}
		})
	}
	for i, l := range listed {
		if l.Status == workflows.WaitingApproval {
			places <- i
		}
	}
	close(places)
	reading.Wait()
}

func (r Reader) awaited(ctx context.Context, l *Listed) {
	f := newFold(l.ID)
	if err := r.fold(ctx, f, ""); err != nil || f.state.Grant == nil {
		return
	}
	if l.Confirm = f.state.GateNow().Confirm; len(l.Confirm) > 0 {
		l.ConfirmBy = &f.state.Grant.ExpiresAt
	}
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
	switch status := info.GetStatus(); {
	case l.Status.Ended():
	case status == enums.WORKFLOW_EXECUTION_STATUS_TERMINATED, status == enums.WORKFLOW_EXECUTION_STATUS_TIMED_OUT,
		status == enums.WORKFLOW_EXECUTION_STATUS_FAILED:
		l.Status = workflows.Failed
	case status == enums.WORKFLOW_EXECUTION_STATUS_CANCELED:
		l.Status = workflows.Canceled
	case l.Status == "":
		l.Status = workflows.RunStatus(strings.ToUpper(status.String()))
	}
	return l
}
