package activities_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/budget"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/openai"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/modelserver"
	"github.com/holdpoint/holdpoint/workflows"
)

// bare is a plan as a model may write it, with a fence in one of its texts.
const bare = `{"format":"holdpoint.actions/1","notes":["billing is short"],"actions":[{"id":"week","tool":"gitpages","documents":["notes/billing.md"],` +
	"\"parameters\":{\"page\":\"w40.md\",\"title\":\"Week 40\",\"content\":\"# 周报\\n\\n```sh\\nls\\n```\\n\"}}]}"

// asks gives the house the planner "writer", whose model gives these replies.
func (h *house) asks(replies ...string) *modelserver.Server {
	h.t.Helper()
	var script modelserver.Script
	for _, text := range replies {
		script.Answers = append(script.Answers, modelserver.Answer{Text: text})
	}
	server, err := modelserver.Start(modelserver.Options{Script: script})
	require.NoError(h.t, err)
	h.t.Cleanup(func() { server.Close() })
	c := openai.Defaults()
	c.BaseURL, c.Model = server.OpenAIURL(), "scripted"
	engine, err := openai.New(c)
	require.NoError(h.t, err)
	book, err := budget.New(h.acts.Blobs, budget.Config{})
	require.NoError(h.t, err)
	account, err := book.Account("scripted", func(context.Context) time.Time { return time.Now() })
	require.NoError(h.t, err)
	planner, err := model.New(model.Config{Name: "writer", Engine: engine, Replies: model.StoredIn(h.acts.Blobs), Spend: account})
	require.NoError(h.t, err)
	h.acts.Planners["writer"] = planner
	return server
}

// written is the default task, planned by the model.
func written() workflows.Task {
	t := task()
	t.Planner = "writer"
	return t
}

// Whatever stands around one plan, it is the plan that people approve and that is
// carried out: the same bytes, and so the same hash, for one call.
func TestC067_OnePlanHasOneHashInWhateverForm(t *testing.T) {
	h := newHouse(t)
	h.asks(bare)
	want, err := h.makePlan(written())
	require.NoError(t, err)
	require.Contains(t, string(h.document(want).Actions[0].Parameters), "\\n```sh\\nls\\n```\\n", "a fence within a text stays as it is")

	for name, reply := range map[string]string{
		"a json fence":        "```json\n" + bare + "\n```",
		"a fence":             "```\n" + bare + "\n```",
		"a fence in one line": "```JSON " + bare + " ```",
		"prose around":        "Here is the plan:\n```json\n" + bare + "\n```\nTell me if it is fine.",
		"a thought":           `<think>{"actions":[]}</think>` + bare,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			server := h.asks(reply)
			made, err := h.makePlan(written())
			require.NoError(t, err)
			require.Equal(t, want.PlanHash, made.PlanHash)
			require.Len(t, server.Calls(), 1)
		})
	}
	t.Run("another plan has another", func(t *testing.T) {
		h := newHouse(t)
		h.asks("```json\n" + bare[:len(bare)-len("\\n```\\n\"}}]}")] + "\"}}]}\n```")
		made, err := h.makePlan(written())
		require.NoError(t, err)
		require.NotEqual(t, want.PlanHash, made.PlanHash)
	})
}

// unfit are parameters that an order's schema does not allow.
func unfit() map[string]string {
	return map[string]string{
		"a missing one":  `{"note":"quickly"}`,
		"an extra one":   `{"number":"1","timeout":"1h"}`,
		"a wrong type":   `{"number":1}`,
		"a list":         `["1"]`,
		"a null":         `{"number":null}`,
		"nothing at all": `{}`,
	}
}

// An approval makes nothing fit: what does not is refused where it would take
// effect too, whoever made the plan, and the target hears of nothing.
func TestC071_WhatDoesNotFitTheSchemaIsNotCarriedOut(t *testing.T) {
	strict := strings.Replace(orders, "properties:", "additionalProperties: false, properties:", 1)
	for name, parameters := range unfit() {
		t.Run("order with "+name, func(t *testing.T) {
			s := newShop(t, strict)
			in := s.forged(s.planned(), parameters)
			_, err := s.execute(in)
			app := refused(t, err, faults.Permanent, "bad_parameters")
			require.Contains(t, app.Message(), "do not fit its schema")
			require.Zero(t, s.server.All(), "the target was sent nothing")
		})
	}
	for name, tt := range map[string]struct{ parameters, code string }{
		"a missing one": {`{"content":"x\n","title":"x"}`, "page_path"},
		"an extra one":  {`{"content":"x\n","page":"x.md","timeout":"1h","title":"x"}`, "parameters"},
		"a wrong type":  {`{"content":"x\n","page":7,"title":"x"}`, "parameters"},
		"another path":  {`{"content":"x\n","page":"../x.md","title":"x"}`, "page_path"},
	} {
		t.Run("page with "+name, func(t *testing.T) {
			h := newHouse(t)
			_, err := h.execute(h.forged(h.planned(), tt.parameters))
			refused(t, err, faults.Permanent, tt.code)
			require.Empty(t, h.git("for-each-ref"))
		})
	}
	t.Run("as it was", func(t *testing.T) { // so that it is for the parameters that the others are refused
		s := newShop(t, strict)
		done, err := s.execute(s.forged(s.planned(), `{"number":"1"}`))
		require.NoError(t, err)
		require.Equal(t, workflows.OutcomeDone, done.Outcome, done.Detail)
		require.Equal(t, 1, s.server.All())
	})
}

// A plan that names a tool which no worker has waits for one, and does nothing.
func TestC071_AnUnknownToolIsNotCarriedOut(t *testing.T) {
	s := newShop(t, orders)
	made := s.planned()
	for _, name := range []string{"shell.exec", "ORDER", "order "} {
		p := s.document(made)
		a := &p.Actions[0]
		a.Tool = name
		a.IdempotencyKey = plan.Identity{
			Tenant: p.Tenant, BusinessID: p.BusinessID, Tool: name, Target: a.Target, Item: a.Item, SemanticVersion: a.SemanticVersion,
		}.Key()
		raw, err := p.Canonical()
		require.NoError(t, err)
		_, err = s.execute(s.approved(raw, made.Ledger))
		s.waits(err, "no_tool", `no tool "`+name+`"`)
	}
	require.Zero(t, s.server.All(), "the target was sent nothing")
}

// forged puts other parameters into the first action of a plan, stores that and
// has it approved.
func (h *house) forged(made workflows.MakePlanResult, parameters string) workflows.ExecuteActionInput {
	h.t.Helper()
	p := h.document(made)
	p.Actions[0].Parameters = json.RawMessage(parameters)
	raw, err := p.Canonical()
	require.NoError(h.t, err)
	return h.approved(raw, made.Ledger)
}

// approved is the input that executes the first action of a plan of these bytes,
// as though it had come through the gate.
func (h *house) approved(raw []byte, ledger string) workflows.ExecuteActionInput {
	h.t.Helper()
	digest, err := h.acts.Blobs.Put(h.t.Context(), tenant, raw)
	require.NoError(h.t, err)
	made := workflows.MakePlanResult{PlanHash: digest, Blob: workflows.BlobRef{Digest: digest, Size: int64(len(raw))}, Ledger: ledger}
	first := h.document(made).Actions[0]
	made.Actions = []workflows.PlannedAction{{ID: first.ID, Tool: first.Tool, Key: first.IdempotencyKey}}
	return h.action(made, 0)
}
