package replay_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/replay"
)

func TestReadRefusesWhatIsNoHistory(t *testing.T) {
	for name, tc := range map[string]struct{ text, says string }{
		"nothing":             {"", "not a history"},
		"no JSON":             {"checkpoint: make_plan", "not a history"},
		"another JSON":        {`{"name": "x"}`, "does not begin with the start of a workflow"},
		"a list":              {`[]`, "not a history"},
		"no events":           {`{"events": []}`, "does not begin with the start of a workflow"},
		"only an empty one":   {`{}`, "does not begin with the start of a workflow"},
		"without a beginning": {`{"events": [{"eventId": "2", "eventType": "EVENT_TYPE_WORKFLOW_TASK_SCHEDULED"}]}`, "does not begin with the start"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := replay.Read(strings.NewReader(tc.text))
			require.ErrorContains(t, err, tc.says)
		})
	}
}

// A replay has the run's own id, without which another tenant's history would
// pass, or none.
func TestRunReplaysUnderTheRecordedID(t *testing.T) {
	const name = "../../workflows/testdata/histories/completed.json"
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	history, err := replay.Read(strings.NewReader(string(raw)))
	require.NoError(t, err)
	require.NoError(t, replay.Run(history))

	history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().WorkflowId = "other-tenant/x"
	require.Error(t, replay.Run(history), "the workflow refuses the id, and the history goes on")
}

func TestRunTellsAChangedHistory(t *testing.T) {
	in, err := os.Open("../../workflows/testdata/histories/bad-renamed-activity.json")
	require.NoError(t, err)
	defer in.Close()
	history, err := replay.Read(in)
	require.NoError(t, err)
	require.ErrorContains(t, replay.Run(history), "nondeterministic")
}
