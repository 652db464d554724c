package gather

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/proto"

	"github.com/holdpoint/holdpoint/activities"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/internal/replay"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

func noBlobs(string, plan.Digest, int64) ([]byte, error) { return nil, blobs.ErrNotFound }

func readHistory(t *testing.T, file string) *historypb.History {
	t.Helper()
	history, err := replay.ReadFile(file)
	require.NoError(t, err)
	return history
}

// Every history that was ever recorded can be gathered, also those of runs that
// still wait, and says how many words there were and what became of them.
func TestRecordedHistories(t *testing.T) {
	files, err := filepath.Glob("../../../workflows/testdata/histories/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "bad-") {
			continue // they do not replay
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			history := readHistory(t, file)
			c, err := Content([]runs.Execution{{RunID: "one", History: history}}, noBlobs)
			require.NoError(t, err)
			arrived, requests := 0, 0
			for _, e := range history.GetEvents() {
				if e.GetWorkflowExecutionSignaledEventAttributes() != nil || e.GetWorkflowExecutionUpdateAcceptedEventAttributes() != nil {
					arrived++
				}
				if e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName() == string(workflows.RequestApproval) {
					requests++
				}
			}
			listed := len(c.Unjudged)
			for _, j := range c.Judgements {
				listed += len(j.Words)
			}
			require.Equal(t, arrived, listed)
			require.Len(t, c.Requests, requests)
			require.Len(t, history.GetEvents(), c.Executions[0].Events)
			requireReadsBack(t, c)
			compared, problems := Compare(c, []*historypb.History{history})
			require.Empty(t, problems)
			require.Equal(t, 1, compared)
		})
	}
}

func requireReadsBack(t *testing.T, c evidence.Content) {
	t.Helper()
	b, err := evidence.New(c)
	require.NoError(t, err)
	raw, err := json.Marshal(b)
	require.NoError(t, err)
	again, err := evidence.Parse(raw)
	require.NoError(t, err)
	require.Equal(t, b.Seal, again.Seal)
}

// A run is exported at any moment: a history that ends anywhere is gathered, and
// what it says does not change when the run goes on. The server writes the events
// of one workflow task's commands together.
func TestEveryPrefixOfAHistory(t *testing.T) {
	whole := readHistory(t, "../../../workflows/testdata/histories/resolved-by-two-people.json")
	for n := 1; n <= len(whole.GetEvents()); n++ {
		if n < len(whole.GetEvents()) && OfCommand(whole.GetEvents()[n]) {
			continue
		}
		c, err := Content([]runs.Execution{{RunID: "one", History: First(whole, n)}}, noBlobs)
		require.NoError(t, err, "the first %d events", n)
		requireReadsBack(t, c)
		_, problems := Compare(c, []*historypb.History{whole})
		require.Empty(t, problems, "the first %d events", n)
	}
}

func TestCompareFindsWhatIsNotInTheHistory(t *testing.T) {
	history := readHistory(t, "../../../workflows/testdata/histories/resolved-by-two-people.json")
	c, err := Content([]runs.Execution{{RunID: "one", History: history}}, noBlobs)
	require.NoError(t, err)
	c.Actions[0].Tries[0].Worker += "x"
	c.Result.Reason = "because"
	_, problems := Compare(c, []*historypb.History{history})
	require.Equal(t, []string{
		"history: the actions of the bundle are not those of the histories that were given",
		"history: the result of the bundle are not those of the histories that were given",
	}, problems)

	other := proto.Clone(history).(*historypb.History)
	other.Events[5].EventTime.Seconds++
	compared, problems := Compare(c, []*historypb.History{other})
	require.Zero(t, compared)
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], "none that was given has the digest")
}

// A name that only a replay gives is in no document; where an earlier version wrote
// it, the rest is compared.
func TestCompareLeavesOutWhatAReplayNames(t *testing.T) {
	history := readHistory(t, "../../../workflows/testdata/histories/resolved-by-two-people.json")
	c, err := Content([]runs.Execution{{RunID: "one", History: history}}, noBlobs)
	require.NoError(t, err)
	named := 0
	for i := range c.Judgements {
		for k := range c.Judgements[i].Waiting {
			c.Judgements[i].Waiting[k].Anew = "as a replay names it"
			named++
		}
	}
	require.Positive(t, named)
	_, problems := Compare(c, []*historypb.History{history})
	require.Empty(t, problems)
	require.Equal(t, "as a replay names it", lastWaiting(c).Anew, "what is compared is left as it is")
}

func lastWaiting(c evidence.Content) (last approvals.InDoubt) {
	for _, j := range c.Judgements {
		for _, w := range j.Waiting {
			last = w
		}
	}
	return last
}

// Only what is surely not there is missing. Of a store that does not answer nobody
// knows what it has, and no document may say that it has not.
func TestAStoreThatCannotBeReadIsNoMissingBlob(t *testing.T) {
	history := readHistory(t, "../../../workflows/testdata/histories/completed.json")
	chain := []runs.Execution{{RunID: "one", History: history}}
	for name, gone := range map[string]error{"not there": blobs.ErrNotFound, "damaged": blobs.ErrCorrupt, "too large": blobs.ErrTooLarge} {
		c, err := Content(chain, func(string, plan.Digest, int64) ([]byte, error) { return nil, fmt.Errorf("blob x: %w", gone) })
		require.NoError(t, err, name)
		require.NotEmpty(t, c.Missing, name)
	}
	asked := 0
	_, err := Content(chain, func(string, plan.Digest, int64) ([]byte, error) {
		asked++
		return nil, errors.New("connection refused")
	})
	require.ErrorContains(t, err, "the blob store could not be read; try again when it can be reached: manifest of the context: connection refused")
	require.Equal(t, 1, asked, "it is not asked again and again")
}

// What stands in the bundle is what the judge read, whatever was sent.
func TestWordsAreReadAsTheJudgeReadsThem(t *testing.T) {
	payload := func(encoding, data string) *commonpb.Payload {
		return &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte(encoding)}, Data: []byte(data)}
	}
	for name, payloads := range map[string]*commonpb.Payloads{
		"none":            {},
		"JSON":            {Payloads: []*commonpb.Payload{payload("json/plain", `{"decision":"approve"}`)}},
		"no UTF-8":        {Payloads: []*commonpb.Payload{payload("json/plain", "{\"decision\":\"\xff\"}")}},
		"two":             {Payloads: []*commonpb.Payload{payload("json/plain", `1`), payload("json/plain", `2`)}},
		"nil":             {Payloads: []*commonpb.Payload{payload("binary/null", "")}},
		"unknown":         {Payloads: []*commonpb.Payload{payload("binary/encrypted", "xyz")}},
		"empty JSON":      {Payloads: []*commonpb.Payload{payload("json/plain", "")}},
		"without a label": {Payloads: []*commonpb.Payload{{Data: []byte("{}")}}},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := proto.Marshal(payloads)
			require.NoError(t, err)
			at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
			judged, err := (&activities.Activities{}).JudgeDecisions(t.Context(), workflows.JudgeDecisionsInput{
				Arrivals: []workflows.Arrival{{Payloads: raw, Via: approvals.ViaSignal, At: at}},
			})
			require.NoError(t, err)
			w := word(evidence.Place{}, raw, approvals.ViaSignal)
			w.ReadAt = at
			require.Equal(t, judged.Verdicts, approvals.Judge(approvals.Request{}, []approvals.Arrival{w.Arrival()}))
		})
	}
}

// What has arrived since the last completed workflow task is not replayed.
func TestSettled(t *testing.T) {
	event := func(id int64, kind enums.EventType) *historypb.HistoryEvent {
		return &historypb.HistoryEvent{EventId: id, EventType: kind}
	}
	h := &historypb.History{Events: []*historypb.HistoryEvent{
		event(1, enums.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED),
		event(2, enums.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED),
		event(3, enums.EVENT_TYPE_WORKFLOW_TASK_STARTED),
		event(4, enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED),
		event(5, enums.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED),
		event(6, enums.EVENT_TYPE_TIMER_STARTED),
		event(7, enums.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED),
		event(8, enums.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED),
		event(9, enums.EVENT_TYPE_WORKFLOW_TASK_STARTED),
	}}
	require.Len(t, settled(h).GetEvents(), 6)
	require.Empty(t, settled(First(h, 3)).GetEvents(), "no worker has come to it")
}
