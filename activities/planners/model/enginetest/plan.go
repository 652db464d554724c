package enginetest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/budget"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/internal/blobs"
)

// Plan is one attempt of a planner that asks the engine, with stores as a worker
// has them.
func (s *Scene) Plan() (planners.Draft, error) {
	s.tb.Helper()
	return s.PlanFor("acme/weekly")
}

// PlanFor is Plan for that run.
func (s *Scene) PlanFor(run string) (planners.Draft, error) {
	s.tb.Helper()
	store, err := blobs.Config{URL: "file://" + s.Data}.Open()
	require.NoError(s.tb, err)
	defer store.Close()
	book, err := budget.New(store, budget.Config{})
	require.NoError(s.tb, err)
	account, err := book.Account("asked-1", func(context.Context) time.Time { return time.Now() })
	require.NoError(s.tb, err)
	planner, err := model.New(model.Config{Name: "writer", Engine: s.Engine, Replies: model.StoredIn(store), Spend: account, Meter: s.Meter})
	require.NoError(s.tb, err)
	return planner.Plan(context.Background(), planners.Request{
		Tenant: "acme", RunID: run, BusinessID: "weekly", Goal: "Write a note.",
		Documents: []planners.Document{{Source: "notes", Path: "monday.md", MediaType: "text/markdown", Text: "The search was slow.\n"}},
		Targets: []planners.Target{
			{Tool: "note", Name: "board", Schema: json.RawMessage(`{"type":"object"}`)},
			{Tool: "gitpages", Name: "kb/notes", Schema: json.RawMessage(`{"type":"object","required":["page","content","title"]}`)},
		},
	})
}
