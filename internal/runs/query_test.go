package runs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"

	"github.com/holdpoint/holdpoint/internal/replay"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

// At every moment at which the workflow has come to rest, what is folded from
// its history is what its own query says.
func TestAFoldIsWhatTheQuerySays(t *testing.T) {
	files, err := filepath.Glob("../../workflows/testdata/histories/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		if strings.HasPrefix(name, "bad-") {
			continue // they do not replay
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, err := os.Open(file)
			require.NoError(t, err)
			defer in.Close()
			history, err := replay.Read(in)
			require.NoError(t, err)
			for _, n := range rests(history.GetEvents()) {
				requireSameByQuery(t, &historypb.History{Events: history.GetEvents()[:n]})
			}
		})
	}
}

// rests are the numbers of events after which all that a workflow task did is in
// the history, and nothing that came later.
func rests(events []*historypb.HistoryEvent) []int {
	var all []int
	byTask := false // every event since the last workflow task is of its commands
	for i, e := range events {
		byTask = e.GetEventType() == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED || byTask && slices.Contains(ofCommands, e.GetEventType())
		if byTask && (i+1 == len(events) || !slices.Contains(ofCommands, events[i+1].GetEventType())) {
			all = append(all, i+1)
		}
	}
	return all
}

// ofCommands are the events that AgentRun's workflow tasks make. An end is left
// out: it has its result, which versions before have written in their own way.
var ofCommands = []enums.EventType{
	enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, enums.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED,
	enums.EVENT_TYPE_TIMER_STARTED, enums.EVENT_TYPE_TIMER_CANCELED, enums.EVENT_TYPE_MARKER_RECORDED,
	enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED,
}

func requireSameByQuery(t *testing.T, history *historypb.History) {
	t.Helper()
	runID := history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowId()
	asking := &asking{}
	require.NoError(t, replay.Run(proto.CloneOf(history), asking)) // a replay changes what it is given
	asked, err := asking.status()
	require.NoError(t, err)
	folded, err := runs.StatusOf(runID, history)
	require.NoError(t, err)
	if asked.Status.Ended() {
		return // it is shown a moment before the execution closes
	}
	for _, status := range []*workflows.Status{&asked, &folded} {
		for i := range status.Steps {
			// The times are the server's in one and the workflow's in the other.
			status.Steps[i].StartedAt, status.Steps[i].EndedAt = nil, nil
		}
	}
	require.Equal(t, written(t, asked), written(t, folded), "after %d events", len(history.GetEvents()))
}

func written(t *testing.T, status workflows.Status) string {
	t.Helper()
	raw, err := json.MarshalIndent(status, "", " ")
	require.NoError(t, err)
	return string(raw)
}

// asking keeps the status query of the workflow that is replayed.
type asking struct {
	interceptor.WorkerInterceptorBase

	status func() (workflows.Status, error)
}

func (a *asking) InterceptWorkflow(
	_ workflow.Context, next interceptor.WorkflowInboundInterceptor,
) interceptor.WorkflowInboundInterceptor {
	in := &askingInbound{asking: a}
	in.Next = next
	return in
}

type askingInbound struct {
	interceptor.WorkflowInboundInterceptorBase

	asking *asking
}

func (i *askingInbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	out := &askingOutbound{asking: i.asking}
	out.Next = next
	return i.Next.Init(out)
}

type askingOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase

	asking *asking
}

func (o *askingOutbound) SetQueryHandler(ctx workflow.Context, name string, handler any) error {
	if query, ok := handler.(func() (workflows.Status, error)); ok && name == workflows.StatusQuery {
		o.asking.status = query
	}
	return o.Next.SetQueryHandler(ctx, name, handler)
}
