package devserver_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/devserver/devtest"
)

func TestStartIsReadyWithItsUI(t *testing.T) {
	s := devtest.Start(t, devserver.Options{
		UI: true, Namespace: "acme", SearchAttributes: attributes(),
	})
	require.True(t, strings.HasPrefix(s.Address(), "127.0.0.1:"), s.Address())

	// The first workflow needs no patience, and may carry the attributes at once.
	startWorkflow(t, s, "acme", "acme/first", waiting(t))
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, status(t, s, "acme", "acme/first"))

	page, err := http.Get(s.UIAddress())
	require.NoError(t, err)
	defer page.Body.Close()
	require.Equal(t, http.StatusOK, page.StatusCode)
}

func TestTwoServersAtOnceShareNothing(t *testing.T) {
	a := devtest.Start(t, devserver.Options{})
	b := devtest.Start(t, devserver.Options{})
	require.NotEqual(t, a.Address(), b.Address())
	require.Empty(t, a.UIAddress())

	startWorkflow(t, a, "default", "only-in-a", nil)
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, status(t, a, "default", "only-in-a"))
	_, err := describe(t, b, "default", "only-in-a")
	require.ErrorContains(t, err, "not found")
}

func TestKillAndRestartKeepTheWorkflow(t *testing.T) {
	db := filepath.Join(t.TempDir(), "temporal.db")
	s := devtest.Start(t, devserver.Options{DBFile: db, SearchAttributes: attributes()})
	startWorkflow(t, s, "default", "acme/waiting", waiting(t))
	address, first := s.Address(), s.PID()

	require.NoError(t, s.Kill())
	<-s.Done()
	_, err := describe(t, s, "default", "acme/waiting")
	require.Error(t, err, "nobody answers")

	require.NoError(t, s.Restart(t.Context()))
	require.Equal(t, address, s.Address())
	require.NotEqual(t, first, s.PID())
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, status(t, s, "default", "acme/waiting"))
}

// A database from before an attribute existed gets it on the next start.
func TestSearchAttributesAreAddedToAnOldDatabase(t *testing.T) {
	options := devserver.Options{CLI: devtest.CLI(t), DBFile: filepath.Join(t.TempDir(), "temporal.db")}
	old, err := devserver.Start(t.Context(), options)
	require.NoError(t, err)
	require.NoError(t, old.Kill())
	require.NoError(t, old.Stop())

	options.SearchAttributes = attributes()
	s := devtest.Start(t, options)
	startWorkflow(t, s, "default", "acme/first", waiting(t))
}

func TestOneDatabaseHasOneServer(t *testing.T) {
	db := filepath.Join(t.TempDir(), "temporal.db")
	s := devtest.Start(t, devserver.Options{DBFile: db})
	options := devserver.Options{CLI: devtest.CLI(t), DBFile: db}
	_, err := devserver.Start(t.Context(), options)
	require.ErrorContains(t, err, "in use by another development server")

	require.NoError(t, s.Kill())
	require.NoError(t, s.Stop(), "gives the database back")
	devtest.Start(t, options)
}

func TestStartThatFailsSaysWhatTheServerPrinted(t *testing.T) {
	options := devserver.Options{CLI: devtest.CLI(t), DBFile: filepath.Join(t.TempDir(), "no", "such", "folder.db")}
	_, err := devserver.Start(t.Context(), options)
	require.ErrorContains(t, err, "no such file or directory")

	options.DBFile = filepath.Join(t.TempDir(), "temporal.db")
	require.NoError(t, os.WriteFile(options.DBFile, []byte("this is no database, and somebody's file"), 0o600))
	_, err = devserver.Start(t.Context(), options)
	require.ErrorContains(t, err, "ended before it was ready")
	require.ErrorContains(t, err, "the server printed")
	kept, err := os.ReadFile(options.DBFile)
	require.NoError(t, err)
	require.Equal(t, "this is no database, and somebody's file", string(kept))
}

// Broken off at any moment, a start leaves nothing that spoils the next one.
func TestStartBrokenOffLeavesNothing(t *testing.T) {
	options := devserver.Options{CLI: devtest.CLI(t), DBFile: filepath.Join(t.TempDir(), "temporal.db")}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		// As soon as the server has created its file, which is long before
		// its schema is complete.
		for ctx.Err() == nil {
			if _, err := os.Stat(options.DBFile); err == nil {
				cancel()
			}
		}
	}()
	_, err := devserver.Start(ctx, options)
	require.ErrorIs(t, err, context.Canceled)
	require.NoFileExists(t, options.DBFile)

	s := devtest.Start(t, options)
	startWorkflow(t, s, "default", "acme/first", nil)
}

func attributes() map[string]enumspb.IndexedValueType {
	return map[string]enumspb.IndexedValueType{
		"PieceStatus":   enumspb.INDEXED_VALUE_TYPE_KEYWORD,
		"PieceDecideBy": enumspb.INDEXED_VALUE_TYPE_DATETIME,
	}
}

func service(t *testing.T, s *devserver.Server) workflowservice.WorkflowServiceClient {
	t.Helper()
	conn, err := grpc.NewClient(s.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return workflowservice.NewWorkflowServiceClient(conn)
}

// startWorkflow starts a workflow that no worker runs.
func startWorkflow(t *testing.T, s *devserver.Server, namespace, id string, with *commonpb.SearchAttributes) {
	t.Helper()
	_, err := service(t, s).StartWorkflowExecution(t.Context(), &workflowservice.StartWorkflowExecutionRequest{
		Namespace: namespace, WorkflowId: id, RequestId: id,
		WorkflowType:     &commonpb.WorkflowType{Name: "Piece"},
		TaskQueue:        &taskqueuepb.TaskQueue{Name: "pieces"},
		SearchAttributes: with,
	})
	require.NoError(t, err)
}

// waiting is a value of one of attributes().
func waiting(t *testing.T) *commonpb.SearchAttributes {
	t.Helper()
	value, err := converter.GetDefaultDataConverter().ToPayload("WAITING")
	require.NoError(t, err)
	return &commonpb.SearchAttributes{IndexedFields: map[string]*commonpb.Payload{"PieceStatus": value}}
}

func describe(t *testing.T, s *devserver.Server, namespace, id string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	t.Helper()
	return service(t, s).DescribeWorkflowExecution(t.Context(), &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: id},
	})
}

func status(t *testing.T, s *devserver.Server, namespace, id string) enumspb.WorkflowExecutionStatus {
	t.Helper()
	described, err := describe(t, s, namespace, id)
	require.NoError(t, err)
	return described.GetWorkflowExecutionInfo().GetStatus()
}
