package outline

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/activities/sources/text"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/corpora"
)

// root is the repository's root.
const root = "../../.."

// shelf keeps what was collected.
type shelf map[plan.Digest][]byte

func (s shelf) Put(_ context.Context, data []byte) (plan.Digest, error) {
	d := plan.Sum(data)
	s[d] = data
	return d, nil
}

func (s shelf) Get(_ context.Context, digest plan.Digest, _ int64) ([]byte, error) {
	return s[digest], nil
}

// collect reads a folder as collect_context does.
func collect(t *testing.T, name, dir string) []planners.Document {
	t.Helper()
	contents := shelf{}
	c := sources.Collector{Limits: sources.Limits{MaxFileBytes: 4 << 20, MaxTotalBytes: 64 << 20, MaxEntries: 10_000}, Store: contents}
	m, err := c.Collect(t.Context(), []sources.Selection{{Name: name, Source: sources.Dir{Root: dir}}})
	require.NoError(t, err)
	var documents []planners.Document
	for _, e := range m.Entries {
		if e.Skipped == "" {
			decoded, err := text.Decode(t.Context(), e.MediaType, contents[e.Digest])
			require.NoError(t, err)
			documents = append(documents, planners.Document{
				Path: e.Path, Source: e.Source, MediaType: e.MediaType, Digest: e.Digest,
				Text: decoded.Text,
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
func markdown(path, content string) planners.Document {
	return planners.Document{Path: path, Source: "notes", MediaType: text.MediaType(path), Text: content, Digest: plan.Sum([]byte(content))}
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
