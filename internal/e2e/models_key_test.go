package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/internal/modelserver"
	"github.com/holdpoint/holdpoint/workflows"
)

// What Temporal keeps of a run outside its payloads is never encrypted: ids,
// memo, search attributes, summaries, and what describe says of an attempt that
// is tried again. The key of the model's server is in none of it, nor in what the
// lists show.
func TestC081_KeyIsInNoIDMemoAttributeOrSummary(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	busy := modelserver.Answer{Status: 503, Echo: true, RetryAfter: "2"}
	server := s.models("", busy, goodProposal())
	s.worker()
	run := s.startModel("w40")
	describe := func() *workflowservice.DescribeWorkflowExecutionResponse {
		described, err := s.reader.Client.DescribeWorkflow(t.Context(), run, "")
		require.NoError(t, err)
		require.NotContains(t, described.RawResponse.String(), modelKey)
		return described.RawResponse
	}
	s.eventually("the attempt that was answered with the key is tried again", func() bool {
		for _, pending := range describe().GetPendingActivities() {
			if pending.GetLastFailure() != nil {
				return true
			}
		}
		return false
	})
	s.await(run, workflows.WaitingApproval)
	require.Len(t, server.Calls(), 2)

	described := describe()
	info := described.GetWorkflowExecutionInfo()
	require.Equal(t, s.name+"/w40", info.GetExecution().GetWorkflowId())
	require.NotEmpty(t, info.GetMemo().GetFields())
	require.NotEmpty(t, info.GetSearchAttributes().GetIndexedFields())
	var listed *workflowservice.ListWorkflowExecutionsResponse
	s.eventually("the run is listed", func() bool {
		var err error
		listed, err = s.reader.Client.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Namespace: client.DefaultNamespace, Query: "WorkflowId = '" + run + "'",
		})
		return err == nil && len(listed.GetExecutions()) == 1
	})
	require.NotContains(t, listed.String(), modelKey)
	for _, event := range s.history(run) {
		require.NotContains(t, event.String(), modelKey, "event %d", event.GetEventId())
	}
	require.NotContains(t, s.approver("list"), modelKey)
}
