package activities_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/folder"
	"github.com/holdpoint/holdpoint/internal/upload"
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

// A worker is killed while it reads; the next attempt reads nothing again, and
// goes on over the list that the first has made.
func TestCollectContextGoesOnWhereItWasKilled(t *testing.T) {
	h := newHouse(t)
	h.note("a.md", "first\n")
	h.note("z.md", "last\n")
	undisturbed, err := h.collect(task())
	require.NoError(t, err)

	ctx, kill := context.WithCancel(t.Context())
	_, err = sources.Collector{
		Limits: h.acts.Limits, Store: tenantStore{h.acts.Blobs},
		Progress: func(p workflows.CollectProgress) {
			if h.said = p; p.Done == 1 {
				kill()
			}
		},
	}.Collect(ctx, []sources.Selection{{Name: "notes", Source: h.acts.Sources["notes"]}})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, os.Remove(h.path("notes", "a.md")))
	h.note("new.md", "added after the list was made")

	resumed, err := h.collect(task())
	require.NoError(t, err)
	require.Equal(t, undisturbed, resumed)
}

// tenantStore is where the activity keeps what it collects.
type tenantStore struct{ blobs *blobs.Store }

func (s tenantStore) Put(ctx context.Context, data []byte) (plan.Digest, error) {
	return s.blobs.Put(ctx, tenant, data)
}

func (s tenantStore) Get(ctx context.Context, digest plan.Digest, limit int64) ([]byte, error) {
	return s.blobs.Get(ctx, tenant, digest, limit)
}

func TestCollectContextOfAnUpload(t *testing.T) {
	h := newHouse(t)
	sent, err := upload.Write(t.Context(), h.path("notes"), folder.Scope{}, upload.Limits{FileBytes: 1 << 20, TotalBytes: 1 << 20, Entries: 10},
		func(ctx context.Context, data []byte) (plan.Digest, error) {
			return h.acts.Blobs.Put(ctx, tenant, data)
		})
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(h.path("notes")))
	asked := task()
	asked.Context = []workflows.Source{{Kind: "upload", Upload: sent.Digest}}
	asked = asked.WithDefaults()
	require.NoError(t, asked.Validate())
	p, err := h.makePlan(asked)
	require.NoError(t, err)
	require.Contains(t, p.Summary, "82000")

	asked.Tenant = "another"
	_, err = h.collect(asked)
	require.Contains(t, refused(t, err, faults.Permanent, "upload_missing").Message(), "is an upload that is not in this worker's blob store")
}

// A source of another kind is another worker's, as during a rolling deploy.
func TestCollectContextWaitsForASourceOfItsKind(t *testing.T) {
	h := newHouse(t)
	asked := task()
	asked.Context[0].Kind = workflows.SourceGit
	_, err := h.collect(asked)
	h.waits(err, "source_kind", `source "notes" of kind "dir", and the task says "git"`)
}

// What the bytes hold is not in the history, however much of it there is.
func TestC039_ContextOf3MB(t *testing.T) {
	h := newHouse(t)
	for i := range 10 {
		h.note(fmt.Sprintf("%02d.md", i), "normal\n")
	}
	big := `{"rows":["` + strings.Repeat(strings.Repeat("x", 63)+`","`, 45_000) + `"]}`
	h.note("big/oneline.json", big)
	collected, err := h.collect(task())
	require.NoError(t, err)
	require.Equal(t, 12, collected.Read)
	require.Less(t, eventBytes(t, collected), 4<<10)
	require.NoError(t, os.WriteFile(h.blobFile(plan.Sum([]byte(big))), []byte(big[:len(big)-1]), 0o600))
	_, err = h.plan(collected)
	refused(t, err, faults.Permanent, "blob_changed")
	require.NoError(t, os.Remove(h.blobFile(plan.Sum([]byte(big)))))
	_, err = h.plan(collected)
	refused(t, err, faults.Permanent, "blob_missing")
}

func (h *house) plan(collected workflows.CollectContextResult) (out workflows.MakePlanResult, err error) {
	h.t.Helper()
	err = h.do(string(workflows.MakePlan), workflows.MakePlanInput{
		RunID: runID, Task: task(), ContextDigest: collected.Digest, Manifest: collected.Manifest, WorkflowVersion: workflows.Version,
	}, &out)
	return out, err
}

// A plan is made of the text that was kept; of a manifest from before texts
// were, it is made of the bytes.
func TestMakePlanOfAnOldManifest(t *testing.T) {
	h := newHouse(t)
	h.note("billing.md", "# Billing\r\n\r\n## 2025-09-30\r\n\r\n- planned: one transfer of amount 82000\x00\r\n")
	collected, err := h.collect(task())
	require.NoError(t, err)
	now, err := h.plan(collected)
	require.NoError(t, err)

	raw, err := h.acts.Blobs.Get(t.Context(), tenant, collected.Manifest.Digest, collected.Manifest.Size)
	require.NoError(t, err)
	m, err := sources.ParseManifest(raw)
	require.NoError(t, err)
	e := &m.Entries[0]
	require.False(t, e.Text.IsZero())
	require.NoError(t, os.Remove(h.blobFile(e.Text)))
	_, err = h.plan(collected)
	refused(t, err, faults.Permanent, "blob_missing")
	e.Text, e.TextSize, e.Encoding, e.NULs = plan.Digest{}, 0, "", 0
	raw, err = m.Canonical()
	require.NoError(t, err)
	collected.Manifest.Size = int64(len(raw))
	collected.Manifest.Digest, err = h.acts.Blobs.Put(t.Context(), tenant, raw)
	require.NoError(t, err)
	old, err := h.plan(collected)
	require.NoError(t, err)
	require.Equal(t, now.PlanHash, old.PlanHash, "notes and all")
	require.Contains(t, string(old.Plan), "NUL characters were removed, in 1 of the documents: notes/billing.md (1)")
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
