package httpapi_test

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// kinds are the kinds of a worker that has this one.
var kinds = []declared.Kind{httpapi.Kind{}}

// open makes the tool of a declaration, in which ADDRESS and URL stand for the
// server's.
func open(t *testing.T, s *scripted.Server, declaration string) tools.Tool {
	t.Helper()
	if s != nil {
		declaration = strings.NewReplacer("ADDRESS", s.Address, "URL", s.URL).Replace(declaration)
	}
	tool, err := declare(declaration)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tool.(io.Closer).Close()) })
	return tool
}

func declare(declaration string) (tools.Tool, error) {
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(declaration), &node); err != nil {
		return nil, err
	}
	return declared.New("orders", "holdpoint.yaml", node.Content[0], kinds)
}

func serve(t *testing.T, o scripted.Options) *scripted.Server {
	t.Helper()
	s, err := scripted.Start(o)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// head is the part that the declarations of these tests share.
const head = `
version: "1"
kind: http
risk: medium
call_timeout: 2s
retry: {base: 10ms, max: 40ms, budget: 1m}
schema:
  type: object
  required: [number]
  additionalProperties: false
  properties: {number: {type: string}}
target: shop/orders
item: "{{params.number}}"
`

// keyedOrders deduplicates by the header.
const keyedOrders = head + `
class: keyed
key_window: 24h
http:
  hosts: ["ADDRESS"]
  url: URL/orders
  body: {number: "{{params.number}}"}
  receipt: {ref: body.id, detail: "'order ' + body.number"}
`

// quick has calls that end soon, for what must wait until none is under way.
func quick(declaration string) string {
	return strings.Replace(declaration, "call_timeout: 2s", "call_timeout: 500ms", 1)
}

// foundOrders is deduplicated by a search for the key in a field.
const foundOrders = head + `
class: lookup
settle: 10ms
http:
  hosts: ["ADDRESS"]
  url: URL/orders
  body: {number: "{{params.number}}", reference: "{{key}}"}
  receipt: {ref: body.id}
  lookup:
    url: URL/orders?reference={{key}}
    found: size(body.items) > 0
    absent: size(body.items) == 0
    authoritative: true
    receipt: {ref: "body.items[0].id"}
`

// onceOrders is deduplicated by nobody.
const onceOrders = head + `
class: once
http:
  hosts: ["ADDRESS"]
  url: URL/orders
  body: {number: "{{params.number}}", reference: "{{key}}"}
  receipt: {ref: body.id}
`

// scene is one action of a tool under the effect protocol, on a ledger of its
// own.
type scene struct {
	t        *testing.T
	tool     tools.Tool
	protocol *effects.Protocol
	action   plan.Action
	attempts int
}

func newScene(t *testing.T, tool tools.Tool, businessID, number string) *scene {
	t.Helper()
	ledger, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "effects.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, ledger.Close()) })
	parameters, err := json.Marshal(map[string]string{"number": number})
	require.NoError(t, err)
	s := &scene{t: t, tool: tool, protocol: &effects.Protocol{Ledger: ledger, Owner: "worker-1", Lease: 10 * time.Second, Renew: 100 * time.Millisecond}}
	s.action = prepared(t, tool, businessID, parameters)
	return s
}

// prepared is the action as a plan has it.
func prepared(t *testing.T, tool tools.Tool, businessID string, parameters []byte) plan.Action {
	t.Helper()
	p, err := tool.Prepare(t.Context(), tools.Proposal{Tool: "orders", Parameters: parameters, AllowedTarget: "shop"})
	require.NoError(t, err)
	identity := plan.Identity{
		Tenant: "acme", BusinessID: businessID, Tool: "orders", Target: p.Target, Item: p.Item, SemanticVersion: "v1",
	}
	return plan.Action{
		ID: "a1", Tool: "orders", Target: p.Target, Item: p.Item, Parameters: p.Parameters, SemanticVersion: "v1",
		IdempotencyKey: identity.Key(), Precondition: p.Precondition, Preview: p.Preview,
	}
}

func (s *scene) call() tools.Call {
	return tools.Call{RunID: "acme/week-48", PlanHash: plan.Sum([]byte("plan")), Approver: "mei.chen@example.com", Action: s.action}
}

// attempt is one attempt of the activity.
func (s *scene) attempt() (effects.Outcome, error) {
	s.attempts++
	return s.protocol.Run(s.t.Context(), s.tool, s.call(), s.attempts, "acme")
}

func (s *scene) attemptIn(ctx context.Context) (effects.Outcome, error) {
	s.attempts++
	return s.protocol.Run(ctx, s.tool, s.call(), s.attempts, "acme")
}

// retried makes attempts as the server would, until one is the last. Waits
// that the target asks for are honored up to a bound of the tests.
func (s *scene) retried() (effects.Outcome, error) {
	s.t.Helper()
	for range 40 {
		out, err := s.attempt()
		if err == nil || faults.Final(err) {
			return out, err
		}
		time.Sleep(min(max(faults.Name(err).RetryAfter, 10*time.Millisecond), 3*time.Second))
	}
	require.Fail(s.t, "the action did not end")
	return effects.Outcome{}, nil
}

func requireFault(t *testing.T, err error, class faults.Class, code string) *faults.Fault {
	t.Helper()
	require.Error(t, err)
	f := faults.Name(err)
	require.Equal(t, class.String(), f.Class.String(), "%v", err)
	require.Equal(t, code, f.Code, "%v", err)
	return f
}

// bodies are the distinct bodies of the writes that arrived.
func bodies(s *scripted.Server) map[string]bool {
	seen := map[string]bool{}
	for _, w := range s.Writes() {
		seen[w.Body] = true
	}
	return seen
}
