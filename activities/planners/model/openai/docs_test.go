package openai_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model/enginetest"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

// The scripts of docs/model-server.md, asked by a planner, do what their comments
// say.
func TestScriptsOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/model-server.md")
	require.NoError(t, err)
	scripts := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, -1)
	require.Len(t, scripts, 1, "each of them is run here")
	path := filepath.Join(t.TempDir(), "answers.yaml")
	require.NoError(t, os.WriteFile(path, scripts[0][1], 0o600))
	script, err := modelserver.Load(path)
	require.NoError(t, err)
	scene := subject().StartScript(t, nil, script)

	_, err = scene.Plan()
	enginetest.RequireFault(t, err, faults.Throttled, "http_429")
	draft, err := scene.Plan()
	require.NoError(t, err)
	require.Len(t, draft.Actions, 1)
	require.Equal(t, "gitpages", draft.Actions[0].Proposal.Tool)
	require.Equal(t, "example-1", draft.ModelID)
	require.Contains(t, draft.Notes, "the model was asked 2 times until its reply could be used")
	require.EqualValues(t, 2500, draft.Usage.InputTokens)
	require.EqualValues(t, 50, draft.Usage.OutputTokens)
	require.Len(t, scene.Server.Calls(), 3)

	for range 2 {
		_, err = scene.PlanFor("acme/next")
		enginetest.RequireFault(t, err, faults.Unknown, "answer_cut")
	}
	for _, run := range []string{"acme/next", "acme/third"} {
		_, err = scene.PlanFor(run)
		enginetest.RequireFault(t, err, faults.Permanent, "refused")
	}
}
