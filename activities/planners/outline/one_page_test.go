package outline_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/outline"
)

// A target that is one page gets one page: the weekly report, which then links
// to no page that is not there.
func TestOnePageTargetGetsTheWeeklyReportAlone(t *testing.T) {
	draft, err := outline.Planner{}.Plan(t.Context(), planners.Request{
		Tenant: "acme", BusinessID: "demo", Goal: "Write the weekly report for 2026-W48",
		Documents: []planners.Document{
			{Source: "notes", Path: "billing.md", MediaType: "text/markdown", Text: "# Billing\n\n- 2026-11-24 done: invoices carry the tax id\n"},
			{Source: "notes", Path: "search.md", MediaType: "text/markdown", Text: "# Search\n\n- 2026-11-25 blocked: waiting for nodes\n"},
		},
		Targets: []planners.Target{{Tool: "gitpages", Name: "kb/weekly/2026-W48.md"}},
	})
	require.NoError(t, err)
	require.Len(t, draft.Actions, 1)
	action := draft.Actions[0]
	require.Empty(t, action.DependsOn)
	require.Equal(t, "kb/weekly", action.Proposal.AllowedTarget)
	var page struct{ Page, Content, Title string }
	require.NoError(t, json.Unmarshal(action.Proposal.Parameters, &page))
	require.Equal(t, "2026-W48.md", page.Page)
	require.Contains(t, page.Content, "invoices carry the tax id")
	require.Contains(t, page.Content, "waiting for nodes")
	require.NotContains(t, page.Content, "topics/")
}

// With nothing dated the one page is the index.
func TestOnePageTargetWithoutDatesGetsTheIndex(t *testing.T) {
	draft, err := outline.Planner{}.Plan(t.Context(), planners.Request{
		Tenant: "acme", BusinessID: "demo", Goal: "Make an overview",
		Documents: []planners.Document{{Source: "notes", Path: "a.md", MediaType: "text/markdown", Text: "# Alpha\n\nText.\n"}},
		Targets:   []planners.Target{{Tool: "gitpages", Name: "kb/overview.md"}},
	})
	require.NoError(t, err)
	require.Len(t, draft.Actions, 1)
	var page struct{ Page, Content string }
	require.NoError(t, json.Unmarshal(draft.Actions[0].Proposal.Parameters, &page))
	require.Equal(t, "overview.md", page.Page)
	require.Contains(t, page.Content, "Alpha")
	require.NotContains(t, page.Content, "topics/")
}
