package activities_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/planners/given"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
	"github.com/holdpoint/holdpoint/workflows"
)

// The example of an agent's own plan, from its task to its pages.
func TestExampleOfAnAgentsPlan(t *testing.T) {
	example := filepath.Join("..", "examples", "agent-plan")
	raw, err := os.ReadFile(filepath.Join(example, "task.yaml"))
	require.NoError(t, err)
	var node yaml.Node
	require.NoError(t, yaml.Unmarshal(raw, &node))
	asJSON, err := strictyaml.JSON("task.yaml", &node)
	require.NoError(t, err)
	var task workflows.Task
	decoder := json.NewDecoder(bytes.NewReader(asJSON))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&task))
	task = task.WithDefaults()
	require.NoError(t, task.Validate())

	h := newHouse(t)
	h.acts.Planners["given"] = given.Planner{}
	h.acts.Sources["plans"] = sources.Dir{Root: filepath.Join(example, "plans")}
	p, err := h.makePlan(task)
	require.NoError(t, err)
	require.Len(t, p.Actions, 2)
	require.Equal(t, []int{0}, p.Actions[1].After)
	for i := range p.Actions {
		in := h.action(p, i)
		in.RunID, in.Grant.RunID = task.RunID(), task.RunID()
		out, err := h.execute(in)
		require.NoError(t, err)
		require.Equal(t, workflows.OutcomeDone, out.Outcome, out.Detail)
	}
	require.Contains(t, h.git("show", "main:incidents/2026-0117.md"), "# Incident 2026-0117")
	require.Contains(t, h.git("show", "main:incidents/index.md"), "(2026-0117.md)")
}
