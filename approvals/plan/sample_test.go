package plan

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// samplePlan is a valid plan of two pages and one that is done already.
func samplePlan() Plan {
	p := Plan{
		Format: Format, RunID: "acme/demo-001", Tenant: "acme", BusinessID: "demo-001",
		Goal: "Weekly report of 2026-W48", ContextDigest: Sum([]byte("context")),
		Planner: "outline/1", WorkflowVersion: "1",
		Notes: []string{"two files were skipped"},
		Actions: []Action{
			samplePage("topics", "kb/topics/search.md"),
			samplePage("report", "kb/weekly/2026-W48.md"),
			samplePage("index", "kb/index.md"),
		},
	}
	p.Actions[1].DependsOn = []string{"topics"}
	withKeys(&p)
	p.Actions[2].Done = &Receipt{
		IdempotencyKey: p.Actions[2].IdempotencyKey, Tool: "gitpages", Target: "kb/index.md",
		Ref: "3f2c9a1", Detail: "commit on main", At: time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC),
	}
	return p
}

func samplePage(id, target string) Action {
	return Action{
		ID: id, Tool: "gitpages", ToolVersion: "1", SchemaDigest: Sum([]byte("schema")), Target: target,
		Parameters: json.RawMessage(`{"content":"# <R&D>\n"}`), DeliveryClass: Conditional, Risk: LowRisk,
		SemanticVersion: "v1", Precondition: "blob:none", Preview: "+# <R&D>\n",
	}
}

// withKeys gives every action the key of its identity.
func withKeys(p *Plan) {
	for i, a := range p.Actions {
		p.Actions[i].IdempotencyKey = p.identity(a).Key()
		if a.Done != nil {
			a.Done.IdempotencyKey = p.Actions[i].IdempotencyKey
		}
	}
}

// stored returns what a store would hold for p: the bytes and their address.
func stored(t *testing.T, p Plan) ([]byte, Digest) {
	t.Helper()
	require.NoError(t, p.Validate())
	canonical, err := p.Canonical()
	require.NoError(t, err)
	return canonical, Sum(canonical)
}
