package activities_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// orders declares a tool of class once that orders at HOST.
const orders = `
    version: "1"
    kind: http
    class: once
    risk: medium
    call_timeout: 5s
    schema: {type: object, required: [number], properties: {number: {type: string}, note: {type: string}}}
    target: shop/orders
    item: "{{params.number}}"
    http:
      hosts: ["HOST"]
      url: "http://HOST/orders"
      body: {number: "{{params.number}}", note: "{{'note' in params ? params.note : ''}}", reference: "{{key}}"}
      receipt: {ref: "string(body.id)"}
`

// shop is a real server, and a house with a tool that orders there.
type shop struct {
	*house
	server *scripted.Server
}

func newShop(t *testing.T, declaration string) *shop {
	t.Helper()
	s := &shop{house: newHouse(t)}
	s.server = s.serve()
	s.declare(declaration)
	return s
}

func (s *shop) serve() *scripted.Server {
	s.t.Helper()
	server, err := scripted.Start(scripted.Options{KeyHeader: "Idempotency-Key"})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { server.Close() })
	return server
}

// declare restarts the worker with a declaration, so to speak.
func (s *shop) declare(declaration string) {
	s.t.Helper()
	var node yaml.Node
	require.NoError(s.t, yaml.Unmarshal([]byte(strings.ReplaceAll(declaration, "HOST", s.server.Address)), &node))
	tool, err := declared.New("order", "holdpoint.yaml", node.Content[0], []declared.Kind{httpapi.Kind{}})
	require.NoError(s.t, err)
	s.use(s.pages, tool)
}

// order plans one order.
func (s *shop) order(parameters map[string]string) (workflows.MakePlanResult, error) {
	s.t.Helper()
	raw, err := json.Marshal(parameters)
	require.NoError(s.t, err)
	task := task()
	task.Tools = []workflows.ToolUse{{Tool: "order", Target: "shop"}}
	return s.propose(task, planners.DraftAction{
		ID: "order", Proposal: tools.Proposal{Tool: "order", Parameters: raw, AllowedTargets: []string{"shop"}},
	})
}

func (s *shop) planned() workflows.MakePlanResult {
	s.t.Helper()
	p, err := s.order(map[string]string{"number": "1"})
	require.NoError(s.t, err)
	return p
}

// What runs is what was approved, also when an operator edits the declaration
// while a run waits, and leaves its version as it was.
func TestEditedDeclarationNeedsANewApproval(t *testing.T) {
	other := "http://HOST/orders?priority=1"
	for name, edit := range map[string][2]string{
		"another url":   {"http://HOST/orders", other},
		"another body":  {`reference: "{{key}}"`, `reference: "{{key}}", amount: 82000`},
		"another class": {"class: once", "class: keyed\n    key_window: 24h"},
		"a lower risk":  {"risk: medium", "risk: low"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, orders)
			p := s.planned()
			in := s.action(p, 0)
			s.declare(strings.Replace(orders, edit[0], edit[1], 1))
			out, err := s.execute(in)
			require.NoError(t, err, "no fault: the run goes back to the gate")
			require.Equal(t, workflows.OutcomeDrifted, out.Outcome)
			require.Contains(t, out.Detail, "the declaration of tool order is not the one that the plan was made for")
			require.False(t, out.InDoubt)
			require.Zero(t, s.server.All(), "the target was sent nothing")

			again := s.planned()
			require.NotEqual(t, p.PlanHash, again.PlanHash, "so that the old approval is none for it")
			require.NotEqual(t, s.document(p).Actions[0].ToolDigest, s.document(again).Actions[0].ToolDigest)
			done, err := s.execute(s.action(again, 0))
			require.NoError(t, err)
			require.Equal(t, workflows.OutcomeDone, done.Outcome, done.Detail)
			require.Equal(t, 1, s.server.All())
		})
	}
	t.Run("limits may change", func(t *testing.T) {
		s := newShop(t, orders)
		p := s.planned()
		s.declare(strings.Replace(orders, "call_timeout: 5s", "call_timeout: 9s\n    retry: {attempts: 3}\n    concurrency: 1\n    rate: 100", 1))
		done, err := s.execute(s.action(p, 0))
		require.NoError(t, err)
		require.Equal(t, workflows.OutcomeDone, done.Outcome, done.Detail)
		require.Equal(t, 1, s.server.All())
	})
}

// What an earlier attempt left in doubt is never recovered by a weaker promise
// than the one under which it was sent: nothing is sent, and a person is asked.
func TestDoubtIsNotSettledByAnotherDeclaration(t *testing.T) {
	const keyed = "class: keyed\n    key_window: 24h"
	for name, tt := range map[string]struct{ before, after string }{
		"once, and then keyed":     {"class: once", keyed},
		"a longer key window":      {keyed, "class: keyed\n    key_window: 720h"},
		"keyed, by another header": {keyed, keyed + "\n    settle: 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, strings.Replace(orders, "class: once", tt.before, 1))
			p := s.planned()
			in := s.action(p, 0)
			s.server.Script(scripted.Answer{Ending: scripted.Reset}) // the effect is made, and the answer lost
			_, err := s.execute(in)
			require.Error(t, err)
			require.Equal(t, 1, s.server.All())

			s.declare(strings.Replace(orders, "class: once", tt.after, 1))
			_, err = s.execute(in)
			app := refused(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
			require.Contains(t, app.Message(), "an earlier attempt may have had its effect")
			require.Contains(t, app.Message(), "the declaration of tool order is not the one that the plan was made for")
			require.Len(t, s.server.Writes(), 1, "nothing more was sent")

			require.Equal(t, workflows.StandingInDoubt, s.settle(p, 0, nil).Standing)
			token := s.settle(p, 0, nil).Doubt.Token
			require.Equal(t, workflows.StandingDone, s.settle(p, token, word(approvals.Happened)).Standing)
			done, err := s.execute(in)
			require.NoError(t, err)
			require.Equal(t, workflows.OutcomeDone, done.Outcome)
			require.Len(t, s.server.Writes(), 1, "what happened is not sent again")
		})
	}
	t.Run("unchanged", func(t *testing.T) {
		s := newShop(t, strings.Replace(orders, "class: once", keyed, 1))
		in := s.action(s.planned(), 0)
		s.server.Script(scripted.Answer{Ending: scripted.Reset})
		_, err := s.execute(in)
		require.Error(t, err)
		done, err := s.execute(in)
		require.NoError(t, err)
		require.True(t, done.Recovered)
		require.Len(t, s.server.Writes(), 2, "the same call with its key")
		require.Equal(t, 1, s.server.All())
	})
}

// The declaration of what is done already does not matter any more.
func TestReceiptOutlivesTheDeclaration(t *testing.T) {
	s := newShop(t, orders)
	in := s.action(s.planned(), 0)
	first, err := s.execute(in)
	require.NoError(t, err)
	s.declare(strings.Replace(orders, "risk: medium", "risk: high", 1))
	again, err := s.execute(in)
	require.NoError(t, err)
	require.Equal(t, first.Receipt, again.Receipt)
	require.Equal(t, 1, s.server.All())
}

// A plan from before there were digests is held to version, schema, class and
// risk; one that has none under a tool that has one is not refused for it.
func TestPlanWithoutADigest(t *testing.T) {
	h := newHouse(t)
	p := h.planned()
	require.Zero(t, h.document(p).Actions[0].ToolDigest, "the spied tool has none")
	h.pages.spec.Digest = plan.Sum([]byte("a later version of the worker"))
	out, err := h.execute(h.action(p, 0))
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeDone, out.Outcome, out.Detail)

	for name, change := range map[string]func(*tools.Spec){
		"class": func(s *tools.Spec) { s.Class = plan.Once },
		"risk":  func(s *tools.Spec) { s.Risk = plan.HighRisk },
	} {
		h := newHouse(t)
		p := h.planned()
		change(&h.pages.spec)
		out, err := h.execute(h.action(p, 0))
		require.NoError(t, err, name)
		require.Equal(t, workflows.OutcomeDrifted, out.Outcome, name)
		h.nothingWritten(p.Actions[0].Key)
	}
}

// A repository's name is all that an approver sees of where pages go.
func TestRepositoryThatLeadsElsewhereNeedsANewApproval(t *testing.T) {
	h := newHouse(t)
	h.use(h.pages.Tool)
	p := h.planned()
	elsewhere, err := gitpages.New(t.Context(), []gitpages.Repo{{Name: "kb", Path: h.path("other"), Place: "other"}}, gitpages.Options{})
	require.NoError(t, err)
	h.use(elsewhere)
	out, err := h.execute(h.action(p, 0))
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeDrifted, out.Outcome)
	require.Contains(t, out.Detail, "the declaration of tool gitpages")
	h.nothingWritten(p.Actions[0].Key)
	n, err := elsewhere.Count(t.Context(), tools.Call{Action: h.document(p).Actions[0]})
	require.NoError(t, err)
	require.Zero(t, n)

	h.use(h.pages.Tool)
	out, err = h.execute(h.action(p, 0))
	require.NoError(t, err)
	require.Equal(t, workflows.OutcomeDone, out.Outcome, out.Detail)
}

// A letter does not take an earlier letter's place: of a tool that does not
// replace, other parameters for the same target and item are refused.
func TestOtherParametersAreNotASecondEffect(t *testing.T) {
	for name, class := range map[string]string{"once": "class: once", "keyed": "class: keyed\n    key_window: 24h"} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, strings.Replace(orders, "class: once", class, 1))
			s.carryOut(s.planned())
			require.Equal(t, 1, s.server.All())

			_, err := s.order(map[string]string{"number": "1", "note": "and quickly"})
			app := refused(t, err, faults.Permanent, "key_conflict")
			for _, part := range []string{`action "order"`, "target shop/orders", `item "1"`, runID, "give it another item or business id"} {
				require.Contains(t, app.Message(), part)
			}
			require.NotContains(t, app.Message(), "semantic_version")

			same := s.planned()
			require.NotEmpty(t, same.Actions[0].DoneRef, "the same parameters are done")
			two, err := s.order(map[string]string{"number": "2", "note": "and quickly"})
			require.NoError(t, err, "another item is another effect")
			s.carryOut(two)
			require.Equal(t, 2, s.server.All())
		})
	}
	t.Run("in doubt", func(t *testing.T) {
		s := newShop(t, orders)
		in := s.action(s.planned(), 0)
		s.server.Script(scripted.Answer{Ending: scripted.Reset})
		_, err := s.execute(in)
		require.Error(t, err)
		_, err = s.order(map[string]string{"number": "1", "note": "and quickly"})
		app := refused(t, err, faults.Permanent, "in_doubt")
		require.Contains(t, app.Message(), `action "order" of run `+runID)
		require.NotContains(t, app.Message(), "semantic_version", "no way around a doubt is advised")
		require.Equal(t, 1, s.server.All())
	})
}
