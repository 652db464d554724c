package runs

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/mocks"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/holdpoint/holdpoint/workflows"
)

// "Nobody polls" is said only when the server said so.
func TestPollers(t *testing.T) {
	c := mocks.NewClient(t)
	queues := Reader{Client: c, Namespace: "default"}
	describe := func(queue string, described *workflowservice.DescribeTaskQueueResponse, err error) {
		c.On("DescribeTaskQueue", mock.Anything, queue, enums.TASK_QUEUE_TYPE_WORKFLOW).Return(described, err)
	}
	now := time.Now()
	describe("two", &workflowservice.DescribeTaskQueueResponse{Pollers: []*taskqueuepb.PollerInfo{
		{LastAccessTime: timestamppb.New(now)}, {LastAccessTime: timestamppb.New(now)},
		{LastAccessTime: timestamppb.New(now.Add(-time.Hour))},
	}}, nil)
	describe("none", &workflowservice.DescribeTaskQueueResponse{}, nil)
	describe("away", nil, serviceerror.NewUnavailable("the server restarts"))

	n, err := queues.Pollers(t.Context(), "two")
	require.NoError(t, err)
	require.Equal(t, 2, n, "the third is gone for an hour")
	n, err = queues.Pollers(t.Context(), "none")
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = queues.Pollers(t.Context(), "away")
	require.ErrorContains(t, err, "the server restarts")
	require.True(t, Transient(err))
}

func TestTransient(t *testing.T) {
	for _, err := range []error{
		serviceerror.NewUnavailable("x"), serviceerror.NewDeadlineExceeded("x"), context.DeadlineExceeded,
		serviceerror.NewResourceExhausted(enums.RESOURCE_EXHAUSTED_CAUSE_RPS_LIMIT, "x"),
	} {
		require.True(t, Transient(fmt.Errorf("run x: %w", err)), "%v", err)
	}
	for _, err := range []error{
		ErrNotFound, context.Canceled, errors.New("history of run x, event 5: broken"),
		serviceerror.NewPermissionDenied("x", ""), serviceerror.NewInvalidArgument("x"),
	} {
		require.False(t, Transient(err), "%v", err)
	}
}

// What the query finds beyond the status that was asked for is left out.
func TestListKeepsToTheStatus(t *testing.T) {
	c := mocks.NewClient(t)
	run := func(id string, shown workflows.RunStatus, status enums.WorkflowExecutionStatus) *workflowpb.WorkflowExecutionInfo {
		return &workflowpb.WorkflowExecutionInfo{
			Execution: &commonpb.WorkflowExecution{WorkflowId: id}, Status: status,
			SearchAttributes: &commonpb.SearchAttributes{
				IndexedFields: map[string]*commonpb.Payload{workflows.StatusAttribute: attribute(t, shown)},
			},
		}
	}
	asked := ""
	c.On("ListWorkflow", mock.Anything, mock.Anything).Return(
		func(_ context.Context, r *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
			asked = r.GetQuery()
			return &workflowservice.ListWorkflowExecutionsResponse{Executions: []*workflowpb.WorkflowExecutionInfo{
				run("acme/failed", workflows.Failed, enums.WORKFLOW_EXECUTION_STATUS_FAILED),
				run("acme/terminated", workflows.WaitingApproval, enums.WORKFLOW_EXECUTION_STATUS_TERMINATED),
				run("acme/rejected", workflows.Rejected, enums.WORKFLOW_EXECUTION_STATUS_TERMINATED),
			}}, nil
		})
	found, err := Reader{Client: c}.List(t.Context(), Filter{Status: workflows.Failed})
	require.NoError(t, err)
	require.Contains(t, asked, "ExecutionStatus = 'Terminated'", "it still shows that it waits")
	require.Len(t, found, 2)
	require.Equal(t, "acme/failed", found[0].ID)
	require.Equal(t, "acme/terminated", found[1].ID)
}

// What a run waits for, its history knows: the visibility store shows the plan's
// deadline also when an action waits for a word of its own.
func TestAwaitedNamesTheActionsThatWait(t *testing.T) {
	c := mocks.NewClient(t)
	all := recorded(t)
	listed := []Listed{
		{ID: "confirms", Status: workflows.WaitingApproval}, {ID: "waits", Status: workflows.WaitingApproval},
		{ID: "resolves", Status: workflows.WaitingResolution}, {ID: "gone", Status: workflows.WaitingApproval},
	}
	for id, events := range map[string][]*historypb.HistoryEvent{"confirms": all["waiting-for-a-confirmation"], "waits": all["waiting"]} {
		c.On("GetWorkflowHistory", mock.Anything, id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Return(&told{events: events})
	}
	c.On("GetWorkflowHistory", mock.Anything, "gone", "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).
		Return(&told{err: serviceerror.NewNotFound("gone")})
	Reader{Client: c}.Awaited(t.Context(), listed)
	state := folded(t, all["waiting-for-a-confirmation"]).state
	require.NotEmpty(t, listed[0].Confirm)
	require.Equal(t, state.Actions[0].ID, listed[0].Confirm[0])
	require.Equal(t, state.Grant.ExpiresAt, *listed[0].ConfirmBy)
	for _, l := range listed[1:] {
		require.Empty(t, l.Confirm, l.ID)
		require.Nil(t, l.ConfirmBy, l.ID)
	}
}

// told is a history as a client reads it.
type told struct {
	events []*historypb.HistoryEvent
	err    error
}

func (h *told) HasNext() bool { return len(h.events) > 0 || h.err != nil }

func (h *told) Next() (*historypb.HistoryEvent, error) {
	if h.err != nil {
		return nil, h.err
	}
	next := h.events[0]
	h.events = h.events[1:]
	return next, nil
}

func TestApproveCommandNamesOneWhoMay(t *testing.T) {
	s := workflows.Status{RunID: "acme/x", Approvers: []string{"ann.wu", "bo.lin"}, Approver: "bo.lin"}
	require.Contains(t, ApproveCommand(s), `"approver":"bo.lin"`)
	s.Approver = ""
	require.Contains(t, ApproveCommand(s), `"approver":"ann.wu"`, "a status of before has the list only")
	s.Approvers = nil
	require.Empty(t, ApproveCommand(s))
}
