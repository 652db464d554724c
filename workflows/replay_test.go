package workflows_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/internal/replay"
	"github.com/holdpoint/holdpoint/workflows"
)

// Every recorded history replays, and ends with the status, hashes and times
// that were recorded: the SDK's own check compares the sequence of commands
// and not what they carry.
func TestRecordedHistoriesReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/histories/*.json")
	require.NoError(t, err)
	ends := map[workflows.RunStatus]int{}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			history := readHistory(t, file)
			got, err := replayed(history)
			if strings.HasPrefix(name, "bad-") {
				// The code of the SDK's check for commands that differ.
				require.ErrorContains(t, err, "[TMPRL1100] nondeterministic", "this history must not replay")
				return
			}
			require.NoError(t, err)
			if strings.HasPrefix(name, "waiting") {
				require.Empty(t, got.Status, "a run that waits has no end yet")
				return
			}
			want := recordedEnd(t, history)
			requireRecorded(t, "status", want, toValue(t, got))
			ends[got.Status]++
		})
	}
	for _, end := range []workflows.RunStatus{
		workflows.Completed, workflows.Rejected, workflows.Expired, workflows.Canceled, workflows.Failed,
	} {
		require.Positive(t, ends[end], "a history that ends %s", end)
	}
}

// Histories that workers with another SDK have written are among them: one of
// each way through a run, and runs that wait. C049: an upgrade of the SDK must
// not strand what waits.
func TestC049_HistoriesOfTheSDKBeforeTheUpgrade(t *testing.T) {
	files, err := filepath.Glob("testdata/histories/*-with-sdk-1.50.json")
	require.NoError(t, err)
	require.Len(t, files, 8)
	waiting := 0
	for _, file := range files {
		history := readHistory(t, file)
		require.Contains(t, sdksOf(history), "1.50.0", file)
		require.NotContains(t, sdksOf(history), temporal.SDKVersion, file)
		_, err := replayed(history)
		require.NoError(t, err, file)
		if strings.HasPrefix(filepath.Base(file), "waiting") {
			waiting++
		}
	}
	require.Equal(t, 3, waiting)
}

// sdksOf are the versions of the SDK whose workers have completed workflow tasks.
func sdksOf(history *historypb.History) []string {
	var versions []string
	for _, e := range history.GetEvents() {
		if v := e.GetWorkflowTaskCompletedEventAttributes().GetSdkMetadata().GetSdkVersion(); v != "" {
			versions = append(versions, v)
		}
	}
	return versions
}

func readHistory(t *testing.T, file string) *historypb.History {
	t.Helper()
	history, err := replay.ReadFile(file)
	require.NoError(t, err)
	return history
}

// replayed returns the status that the replayed workflow ended with.
func replayed(history *historypb.History) (workflows.Status, error) {
	end := &endRecorder{}
	err := replay.Run(history, end)
	return end.status, err
}

// endRecorder keeps what the workflow function returned.
type endRecorder struct {
	interceptor.WorkerInterceptorBase
	interceptor.WorkflowInboundInterceptorBase
	status workflows.Status
}

func (e *endRecorder) InterceptWorkflow(
	_ workflow.Context, next interceptor.WorkflowInboundInterceptor,
) interceptor.WorkflowInboundInterceptor {
	e.WorkflowInboundInterceptorBase.Next = next
	return e
}

func (e *endRecorder) ExecuteWorkflow(ctx workflow.Context, in *interceptor.ExecuteWorkflowInput) (any, error) {
	out, err := e.WorkflowInboundInterceptorBase.ExecuteWorkflow(ctx, in)
	var app *temporal.ApplicationError
	var canceled *temporal.CanceledError
	switch {
	case errors.As(err, &app):
		_ = app.Details(&e.status) // an error without a status leaves the zero one, which equals no recorded end
	case errors.As(err, &canceled):
		_ = canceled.Details(&e.status)
	case err == nil:
		e.status = *out.(*workflows.Status)
	}
	return out, err
}

// recordedEnd is the status in the history's last event.
func recordedEnd(t *testing.T, history *historypb.History) any {
	t.Helper()
	last := history.GetEvents()[len(history.GetEvents())-1]
	var payloads *commonpb.Payloads
	switch {
	case last.GetWorkflowExecutionCompletedEventAttributes() != nil:
		payloads = last.GetWorkflowExecutionCompletedEventAttributes().GetResult()
	case last.GetWorkflowExecutionCanceledEventAttributes() != nil:
		payloads = last.GetWorkflowExecutionCanceledEventAttributes().GetDetails()
	default:
		payloads = last.GetWorkflowExecutionFailedEventAttributes().GetFailure().GetApplicationFailureInfo().GetDetails()
	}
	var status any
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(payloads, &status))
	require.Contains(t, status, "status")
	return status
}

// requireRecorded compares all that was recorded. A later version may show
// more than the one that recorded did, never something else.
func requireRecorded(t *testing.T, at string, recorded, got any) {
	t.Helper()
	switch want := recorded.(type) {
	case map[string]any:
		members, ok := got.(map[string]any)
		require.True(t, ok, at)
		for name, value := range want {
			requireRecorded(t, at+"."+name, value, members[presentName(name)])
		}
	case []any:
		items, ok := got.([]any)
		require.True(t, ok, at)
		require.Len(t, items, len(want), at)
		for i, value := range want {
			requireRecorded(t, fmt.Sprintf("%s[%d]", at, i), value, items[i])
		}
	default:
		require.Equal(t, recorded, got, at)
	}
}

func toValue(t *testing.T, v any) (value any) {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &value))
	return value
}

// presentName is how a member is written now. The oldest histories wrote the
// counts of actions as Go does.
func presentName(recorded string) string {
	var name strings.Builder
	for i, c := range recorded {
		if 'A' <= c && c <= 'Z' {
			if i > 0 {
				name.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		name.WriteRune(c)
	}
	return name.String()
}
