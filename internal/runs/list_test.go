package runs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/converter"

	"github.com/holdpoint/holdpoint/workflows"
)

func TestFilterQuery(t *testing.T) {
	require.Equal(t, "WorkflowType = 'AgentRun'", Filter{Limit: 5}.query())
	require.Equal(t, "WorkflowType = 'AgentRun' AND HoldpointTenant = 'o''neill'", Filter{Tenant: "o'neill"}.query())
	require.Equal(t, "WorkflowType = 'AgentRun' AND HoldpointStatus = 'REJECTED'", Filter{Status: workflows.Rejected}.query())
	require.Contains(t, Filter{Status: workflows.WaitingApproval}.query(), "ExecutionStatus = 'Running'",
		"what was terminated while it waited does not wait any more")
}

func attribute(t *testing.T, value any) *commonpb.Payload {
	t.Helper()
	payload, err := converter.GetDefaultDataConverter().ToPayload(value)
	require.NoError(t, err)
	return payload
}

// The visibility store has what the run showed last, and how it was closed.
func TestListedStatus(t *testing.T) {
	for _, tc := range []struct {
		shown  workflows.RunStatus
		closed enums.WorkflowExecutionStatus
		want   workflows.RunStatus
	}{
		{workflows.WaitingApproval, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, workflows.WaitingApproval},
		{workflows.Running, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, workflows.Running},
		{workflows.Rejected, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, workflows.Rejected},
		{workflows.Expired, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, workflows.Expired},
		{workflows.Completed, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, workflows.Completed},
		{workflows.WaitingApproval, enums.WORKFLOW_EXECUTION_STATUS_TERMINATED, workflows.Failed},
		{workflows.Running, enums.WORKFLOW_EXECUTION_STATUS_TIMED_OUT, workflows.Failed},
		{workflows.Running, enums.WORKFLOW_EXECUTION_STATUS_FAILED, workflows.Failed},
		{workflows.Running, enums.WORKFLOW_EXECUTION_STATUS_CANCELED, workflows.Canceled},
		{"", enums.WORKFLOW_EXECUTION_STATUS_RUNNING, workflows.Running},
		{"", enums.WORKFLOW_EXECUTION_STATUS_TERMINATED, workflows.Failed},
	} {
		info := &workflowpb.WorkflowExecutionInfo{Status: tc.closed, SearchAttributes: &commonpb.SearchAttributes{}}
		if tc.shown != "" {
			info.SearchAttributes.IndexedFields = map[string]*commonpb.Payload{workflows.StatusAttribute: attribute(t, tc.shown)}
		}
		require.Equal(t, tc.want, listed(info).Status, "%s, %s", tc.shown, tc.closed)
	}
}

func TestListedFields(t *testing.T) {
	at := time.Date(2025, 9, 30, 8, 0, 0, 0, time.UTC)
	l := listed(&workflowpb.WorkflowExecutionInfo{
		Execution: &commonpb.WorkflowExecution{WorkflowId: "acme/x"},
		SearchAttributes: &commonpb.SearchAttributes{IndexedFields: map[string]*commonpb.Payload{
			workflows.StatusAttribute:   attribute(t, "WAITING_APPROVAL"),
			workflows.PlanHashAttribute: attribute(t, "sha256:1"),
			workflows.RiskAttribute:     attribute(t, []int{1}), // not of our making
			workflows.DecideByAttribute: attribute(t, at),
		}},
	})
	require.Equal(t, "acme/x", l.ID)
	require.Equal(t, "sha256:1", l.PlanHash)
	require.Empty(t, l.Risk)
	require.True(t, at.Equal(*l.DecideBy))
}
