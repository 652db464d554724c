package outline

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/corpora"
)

// root is the repository's root.
const root = "../../.."

// collect reads a folder as collect_context does.
func collect(t *testing.T, name, dir string) []planners.Document {
	t.Helper()
	contents := map[plan.Digest][]byte{}
	c := sources.Collector{Limits: sources.Limits{MaxFileBytes: 4 << 20, MaxTotalBytes: 64 << 20, MaxEntries: 10_000}, Store: func(_ context.Context, data []byte) (plan.Digest, error) {
		d := plan.Sum(data)
		contents[d] = data
		return d, nil
	}}
	m, err := c.Collect(t.Context(), []sources.Selection{{Dir: sources.Dir{Name: name, Root: dir}}})
	require.NoError(t, err)
	var documents []planners.Document
	for _, e := range m.Entries {
		if e.Skipped == "" {
			documents = append(documents, planners.Document{
				Path: e.Path, Source: e.Source, MediaType: e.MediaType, Digest: e.Digest,
				Text: sources.Decode(e.MediaType, contents[e.Digest]).Text,
			})
		}
	}
	return documents
}

func example(t *testing.T) []planners.Document {
	t.Helper()
	return collect(t, "notes", filepath.Join(root, "examples", "weekly-report", "notes"))
}

func corpus(t *testing.T, name string) (documents []planners.Document, whole bool) {
	t.Helper()
	folder, whole := corpora.Folder(t, name)
	return collect(t, name, folder), whole
}

// markdown is a document of one file.
func markdown(path, text string) planners.Document {
	return planners.Document{Path: path, Source: "notes", MediaType: sources.MediaType(path), Text: text, Digest: plan.Sum([]byte(text))}
}

func request(documents []planners.Document) planners.Request {
	return planners.Request{
		Tenant: "acme", BusinessID: "weekly-report-2026-W48", Goal: "Write the weekly report",
		Documents: documents, Targets: []planners.Target{{Tool: "gitpages", Name: "kb"}},
	}
}

// pageOf is what an action proposes.
type pageOf struct{ Page, Content, Title string }

// pages plans and returns the pages by path.
func pages(t *testing.T, r planners.Request) map[string]pageOf {
	t.Helper()
	draft, err := Planner{}.Plan(t.Context(), r)
	require.NoError(t, err)
	return pagesOf(t, draft)
}

func pagesOf(t *testing.T, draft planners.Draft) map[string]pageOf {
	t.Helper()
	written := map[string]pageOf{}
	for _, a := range draft.Actions {
		var p pageOf
		require.NoError(t, json.Unmarshal(a.Proposal.Parameters, &p))
		require.NotContains(t, written, p.Page)
		written[p.Page] = p
	}
	return written
}
