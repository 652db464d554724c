package replay_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
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
	history, err := replay.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, replay.Run(history))

	history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().WorkflowId = "other-tenant/x"
	require.Error(t, replay.Run(history), "the workflow refuses the id, and the history goes on")
}

func TestRunTellsAChangedHistory(t *testing.T) {
	history, err := replay.ReadFile("../../workflows/testdata/histories/bad-renamed-activity.json")
	require.NoError(t, err)
	require.ErrorContains(t, replay.Run(history), "nondeterministic")
}

// Whoever names what is no file hears so, and does not wait for it.
func TestReadFileTakesFilesOfABoundedSizeAlone(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, syscall.Mkfifo(file("pipe"), 0o600))
	require.NoError(t, os.WriteFile(file("notes.json"), []byte("{}"), 0o600))
	require.NoError(t, os.WriteFile(file("huge.json"), nil, 0o600))
	require.NoError(t, os.Truncate(file("huge.json"), 256<<20+1)) // of holes: it takes no room
	for name, says := range map[string]string{
		"pipe":       "is a pipe, and only a file is read here",
		".":          "is a folder, and only a file is read here",
		"none.json":  "no such file",
		"notes.json": "the history does not begin with the start of a workflow",
		"huge.json":  "has 268435457 bytes, and a saved history at most 268435456",
	} {
		_, err := replay.ReadFile(file(name))
		require.ErrorContains(t, err, says, name)
		require.Contains(t, err.Error(), file(name))
	}
}
