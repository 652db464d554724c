package httpapi_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// example is a declaration as it stands in examples/tools, where users find
// it, but for the place that it speaks to and the times that a test waits for.
type example struct {
	file  string // in examples/tools
	tool  string
	site  string            // the example's own URL, with host and path
	times map[string]string // setting to value; nil keeps the example's own
}

// with is the example with other times.
func (e example) with(times map[string]string) example {
	e.times = times
	return e
}

// open makes the example's tool for a real server, whose address is host:port.
func (e example) open(tb testing.TB, address string) tools.Tool {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join(examples, e.file))
	require.NoError(tb, err)
	host, _, _ := strings.Cut(e.site, "/")
	text := strings.NewReplacer("https://"+e.site+"/", "http://"+address+"/", "["+host+"]", `["`+address+`"]`).Replace(string(raw))
	require.NotContains(tb, text, host, "nothing of the example's own place is left")

	var document yaml.Node
	require.NoError(tb, yaml.Unmarshal([]byte(text), &document))
	declaration := strictyaml.Field(strictyaml.Field(document.Content[0], "tools"), e.tool)
	for name, value := range e.times {
		strictyaml.Field(declaration, name).Value = value
	}
	tool, err := declared.New(e.tool, e.file, declaration, kinds)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, tool.(io.Closer).Close()) })
	return tool
}

// proposed is an action as a plan has it.
func proposed(tb testing.TB, tool tools.Tool, target string, parameters map[string]string) plan.Action {
	tb.Helper()
	raw, err := json.Marshal(parameters)
	require.NoError(tb, err)
	name := tool.Spec().Name
	p, err := tool.Prepare(tb.Context(), tools.Proposal{Tool: name, Parameters: raw, AllowedTarget: target})
	require.NoError(tb, err)
	identity := plan.Identity{Tenant: "acme", BusinessID: tb.Name(), Tool: name, Target: p.Target, Item: p.Item, SemanticVersion: "v1"}
	return plan.Action{
		ID: "a1", Tool: name, Target: p.Target, Item: p.Item, Parameters: p.Parameters, SemanticVersion: "v1",
		IdempotencyKey: identity.Key(), Precondition: p.Precondition, Preview: p.Preview,
	}
}

// worker is a worker's share in the effect protocol, on a ledger of its own:
// two of them know nothing of each other, and the target alone keeps a second
// effect away.
type worker struct {
	protocol effects.Protocol
	tool     tools.Tool
}

func newWorker(tb testing.TB, tool tools.Tool) *worker {
	tb.Helper()
	ledger, err := sqlite.Open(tb.Context(), filepath.Join(tb.TempDir(), "effects.db"))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, ledger.Close()) })
	return &worker{protocol: effects.Protocol{Ledger: ledger, Owner: "worker", Lease: time.Minute, Renew: 20 * time.Second}, tool: tool}
}

func (w *worker) run(ctx context.Context, action plan.Action) (effects.Outcome, error) {
	return w.protocol.Run(ctx, w.tool, callOf(action), 1, "acme")
}

func callOf(action plan.Action) tools.Call {
	return tools.Call{RunID: "acme/week-48", PlanHash: plan.Sum([]byte("plan")), Approver: "mei.chen@example.com", Action: action}
}

// count is how often the tool itself says that an action's effect is there.
func count(tb testing.TB, tool tools.Tool, action plan.Action) int {
	tb.Helper()
	n, err := tool.Count(tb.Context(), callOf(action))
	require.NoError(tb, err)
	return n
}

// matrixAction makes the actions of a matrix, whose parameters differ by
// payload and whose item, and where it says so target, differ by key.
func matrixAction(tool tools.Tool, target, item, precondition string, parameters map[string]string) plan.Action {
	raw, err := json.Marshal(parameters)
	if err != nil {
		panic(err)
	}
	return plan.Action{
		ID: "a1", Tool: tool.Spec().Name, Target: target, Item: item, Parameters: raw, SemanticVersion: "v1", Precondition: precondition,
	}
}

// patience bounds the wait for an effect to be seen at its target, and pause
// is between two looks.
const (
	patience = 20 * time.Second
	pause    = 50 * time.Millisecond
)

// The examples can be taken as they stand.
func TestExamplesAreDeclarations(t *testing.T) {
	for file, classes := range map[string]map[string]plan.DeliveryClass{
		"gitea.yaml":     {"open_issue": plan.Lookup},
		"mediawiki.yaml": {"create_page": plan.Conditional, "edit_page": plan.Conditional},
	} {
		raw, err := os.ReadFile(filepath.Join(examples, file))
		require.NoError(t, err)
		var config struct {
			Tools map[string]yaml.Node `yaml:"tools"`
		}
		require.NoError(t, yaml.Unmarshal(raw, &config))
		found := map[string]plan.DeliveryClass{}
		for name, declaration := range config.Tools {
			tool, err := declared.New(name, file, &declaration, kinds)
			require.NoError(t, err)
			found[name] = tool.Spec().Class
		}
		require.Equal(t, classes, found, file)
	}
}

// examples is the folder where users find them.
var examples = filepath.Join("..", "..", "..", "examples", "tools")
