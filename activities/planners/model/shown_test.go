package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/model"
)

// An action can come only from what the model was shown.
func TestSourceThatWasNotShownIsAskedAgain(t *testing.T) {
	r := request()
	hidden := planners.Document{Source: "notes", Path: "hidden.md", MediaType: "text/markdown", Text: strings.Repeat("a line of it\n", 5000)}
	r.Documents = append(r.Documents, planners.Document{Source: "notes", Path: "long.md", MediaType: "text/markdown", Text: hidden.Text})
	for range 50 {
		r.Documents = append(r.Documents, hidden)
		r.Documents[len(r.Documents)-1].Path = fmt.Sprintf("more/%d.md", len(r.Documents))
	}
	r.Documents = append(r.Documents, hidden)
	unseen := with(t, `"notes/周二.md"]`, `"notes/hidden.md"]`)
	s := newSceneWithin(t, model.Limits{InputTokens: 6000}, unseen, with(t, `"notes/周二.md"]`, `"notes/long.md"]`))
	draft, err := s.plan(r)
	require.NoError(t, err)
	require.Equal(t, 2, s.server.calls())
	require.NotContains(t, s.server.heard[0].Messages[0].Text, "hidden.md")
	require.Contains(t, s.server.last(), `/actions/0/documents: the document "notes/hidden.md" was not shown; name only documents that the message shows`)
	require.Equal(t, []string{"notes/monday.md", "notes/long.md"}, draft.Actions[0].Documents, "a part of one is enough")
	require.EqualValues(t, 1, s.meter.counts["model_asked_again not_allowed"])

	s = newSceneWithin(t, model.Limits{InputTokens: 6000}, unseen)
	_, err = s.attempts(r)
	s.refusedAs(err, "bad_reply", "was not shown")
}
