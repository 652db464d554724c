package activities_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

func TestCollectContextAccountsForEveryFileAndCarriesNone(t *testing.T) {
	h := newHouse(t)
	h.note("picture.png", "\x89PNG")
	h.note("sub/more.txt", "quicksilver\n")
	collected, err := h.collect(task())
	require.NoError(t, err)
	require.Equal(t, 2, collected.Read)
	require.Equal(t, 1, collected.Skipped)
	require.Len(t, collected.Examples, 1)
	require.Contains(t, collected.Examples[0], "picture.png: ")
	raw, err := json.Marshal(collected)
	require.NoError(t, err)
	require.NotContains(t, string(raw), "quicksilver")
	_, err = os.Stat(h.blobFile(plan.Sum([]byte("quicksilver\n"))))
	require.NoError(t, err, "the bytes are in the blob store")
}

// What was collected is what is planned, whatever became of the folder since.
func TestMakePlanReadsWhatWasCollected(t *testing.T) {
	h := newHouse(t)
	collected, err := h.collect(task())
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(h.path("notes")))
	in := workflows.MakePlanInput{
		RunID: runID, Task: task(), ContextDigest: collected.Digest, Manifest: collected.Manifest, WorkflowVersion: workflows.Version,
	}
	var made workflows.MakePlanResult
	require.NoError(t, h.do(string(workflows.MakePlan), in, &made))
	require.Contains(t, made.Summary, "82000")

	document := h.blobFile(plan.Sum([]byte("# Billing\n\n## 2025-09-30\n\n- planned: one transfer of amount 82000\n")))
	h.rewrite(document, func(text string) string { return strings.ReplaceAll(text, "82000", "820000") })
	err = h.do(string(workflows.MakePlan), in, &made)
	require.NotContains(t, refused(t, err, faults.Permanent, "blob_changed").Message(), h.dir)
	require.NoError(t, os.Remove(document))
	err = h.do(string(workflows.MakePlan), in, &made)
	require.NotContains(t, refused(t, err, faults.Permanent, "blob_missing").Message(), h.dir)
}

func (h *house) rewrite(file string, change func(string) string) {
	h.t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(h.t, err)
	changed := change(string(raw))
	require.NotEqual(h.t, string(raw), changed)
	require.NoError(h.t, os.WriteFile(file, []byte(changed), 0o600))
}

// Names as long as a file system takes them, and of nothing but characters
// that are shown as escapes, do not fill the history.
func TestCollectContextWithEndlessNames(t *testing.T) {
	h := newHouse(t)
	folder := h.path("notes")
	for range 10 {
		folder = filepath.Join(folder, strings.Repeat("\x01", 200))
	}
	require.NoError(t, os.MkdirAll(folder, 0o755))
	for i := range 20 {
		require.NoError(t, os.WriteFile(filepath.Join(folder, strings.Repeat("\x02", 100+i)+".png"), []byte("x"), 0o644))
	}
	collected, err := h.collect(task())
	require.NoError(t, err)
	require.Equal(t, 20, collected.Skipped)
	require.Len(t, collected.Examples, 10)
	require.Contains(t, collected.Examples[0], `\u{0002}.png: `)
	require.Less(t, eventBytes(t, collected), 16<<10)
}
