package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/tools"
)

func TestAReplyBecomesADraft(t *testing.T) {
	s := newScene(t, good)
	draft, err := s.plan(request())
	require.NoError(t, err)
	require.Equal(t, []planners.DraftAction{
		{ID: "week", Documents: []string{"notes/monday.md", "notes/周二.md"}, Proposal: tools.Proposal{
			Tool: "page", AllowedTarget: "kb/weekly", Parameters: json.RawMessage(`{"content":"# 周报\n` + "```sh\\nls\\n```" + `\n","page":"w48.md"}`),
		}},
		{ID: "tell", DependsOn: []string{"week"}, Proposal: tools.Proposal{
			Tool: "note", AllowedTarget: "board", Parameters: json.RawMessage(`{"text":"done"}`),
		}},
	}, draft.Actions)
	require.Equal(t, []string{"the model says: 周二 is short"}, draft.Notes)
	require.Equal(t, "m-2026-11", draft.ModelID)
	require.Regexp(t, `^plan\.v2@sha256:[0-9a-f]{12}$`, draft.PromptVersion)
	require.Equal(t, planners.Usage{Calls: 1, InputTokens: 100, OutputTokens: 10, Cost: "110 USD"}, draft.Usage)
	require.Equal(t, map[string]int64{"model_calls": 1, "model_input_tokens": 100, "model_output_tokens": 10}, s.meter.counts)
}

func TestC067_FencesProseAndThoughtsAroundOnePlan(t *testing.T) {
	bare := newScene(t, good)
	draft, err := bare.plan(request())
	require.NoError(t, err)
	want := planned(t, draft)
	require.Contains(t, want, "```sh\\nls\\n```", "a fence within a text stays as it is")

	for name, reply := range map[string]string{
		"a json fence":        "```json\n" + good + "\n```",
		"a fence":             "```\n" + good + "\n```",
		"a fence in one line": "```JSON " + good + " ```",
		"prose around":        "Here is the plan:\n```json\n" + good + "\n```\nTell me if it is fine.",
		"four backticks":      "````json\n" + good + "\n````",
		"blanks":              "\n\n  " + good + "\t\n",
		"a thought":           `<think>{"actions":[]}</think>` + good,
		"a thought, a fence":  "<think>\n```json\n{}\n```\n</think>\n```json\n" + good + "\n```",
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, reply)
			draft, err := s.plan(request())
			require.NoError(t, err)
			require.Equal(t, want, planned(t, draft))
			require.Equal(t, 1, s.server.calls())
		})
	}
}

func TestC067_EmptyFenceIsAskedAgainAndThenFails(t *testing.T) {
	s := newScene(t, "```json\n```")
	_, err := s.attempts(request())
	s.refusedAs(err, "bad_reply", "asked 3 times, and its last reply cannot be used either: the fenced block does not hold a JSON object")
	require.Equal(t, 3, s.server.calls())
	require.EqualValues(t, 2, s.meter.counts["model_asked_again form"])
}

// Forms with more than one reading, or none. None is ever taken for a plan, and
// the model is told what is wrong.
func TestC068_AmbiguousRepliesAreNeverTaken(t *testing.T) {
	other := strings.ReplaceAll(good, "week", "other")
	for name, tt := range map[string]struct{ reply, want string }{
		"two plans":                 {good + other, "something follows the JSON object"},
		"one plan twice":            {good + good, "something follows the JSON object"},
		"a correction":              {good + "\n\nCorrection: " + other, "something follows the JSON object"},
		"a member twice":            {strings.Replace(good, `"notes":["周二 is short"]`, `"actions":[]`, 1), "a second member of this name, at /actions"},
		"an example before it":      {"The document shows:\n```json\n" + other + "\n```\nThe plan:\n```json\n" + good + "\n```", "more than one fenced block"},
		"an example without fence":  {"The document shows " + other + "\n```json\n" + good + "\n```", "the reply is not one JSON object and nothing else"},
		"a brace after the fence":   {"```json\n" + good + "\n```\n{", "braces after the fenced block"},
		"two in one fence":          {"```json\n" + good + "\n" + other + "\n```", "more than one JSON object, or does not end"},
		"a fence that does not end": {"```json\n" + good, "more than one JSON object, or does not end"},
		"a fence of another length": {"````json\n" + good + "\n```", "or does not end"},
		"a fence of YAML":           {"```yaml\n" + good + "\n```", `labeled "yaml" and not json`},
		"prose without a fence":     {"Here is the plan: " + good, "the reply is not one JSON object and nothing else"},
		"prose after it":            {good + " Done.", "something follows the JSON object"},
		"a list":                    {"[" + good + "]", "the reply is not one JSON object and nothing else"},
		"a thought without an end":  {"<think>" + good, "the <think> block does not end"},
		"a thought after it":        {good + "<think>hm</think>", "something follows the JSON object"},
		"two thoughts":              {"<think></think><think></think>" + good, "the reply is not one JSON object and nothing else"},
		"a plan in a thought":       {"<think>a</think>" + other + "</think>" + good, "something follows the JSON object"},
		"comments":                  {strings.Replace(good, "[{", "[ // the first\n{", 1), "the reply is no JSON: invalid character '/'"},
		"a comma too many":          {strings.Replace(good, "}]}", "}],}", 1), "the reply is no JSON"},
		"single quotes":             {strings.ReplaceAll(good, `"`, `'`), "the reply is no JSON"},
		"broken off":                {good[:len(good)-9], "the JSON object is not complete"},
		"words":                     {"I will write the report.", "the reply is not one JSON object and nothing else"},
		"null":                      {"null", "the reply is not one JSON object and nothing else"},
		"bytes that are no text":    {strings.Replace(good, "done", `\ud800`, 1), "an escape of a lone surrogate"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, tt.reply)
			draft, err := s.attempts(request())
			s.refusedAs(err, "bad_reply", tt.want)
			require.Empty(t, draft.Actions)
			require.Equal(t, 3, s.server.calls(), "bounded")
			require.Contains(t, s.server.last(), tt.want)
		})
	}
}

// What asking again looks like: the question, the reply, what is wrong with it,
// and of several replies the latest alone.
func TestTheModelIsToldWhatIsWrong(t *testing.T) {
	first, second := with(t, `"page",`, `"pages",`), with(t, `"kb/weekly"`, `"kb/daily"`)
	s := newScene(t, first, second, good)
	draft, err := s.plan(request())
	require.NoError(t, err)
	require.Equal(t, 3, s.server.calls())
	question := s.server.heard[0].Messages
	require.Len(t, question, 1)
	for i, reply := range []string{first, second} {
		c := s.server.heard[i+1]
		require.Equal(t, s.server.heard[0].System, c.System)
		require.Equal(t, s.server.heard[0].Schema, c.Schema)
		require.Len(t, c.Messages, 3)
		require.Equal(t, question[0], c.Messages[0])
		require.Equal(t, model.Message{Role: model.Assistant, Text: reply}, c.Messages[1])
		require.Equal(t, model.User, c.Messages[2].Role)
	}
	require.True(t, strings.HasPrefix(s.server.heard[1].Messages[2].Text, "Your reply 1 of at most 3 cannot be used: "))
	require.True(t, strings.HasPrefix(s.server.heard[2].Messages[2].Text, "Your reply 2 of at most 3 cannot be used: "))
	require.Contains(t, s.server.heard[1].Messages[2].Text, `/actions/0/tool: the task does not allow the tool "pages"; it allows page, note`)
	require.Contains(t, s.server.heard[2].Messages[2].Text, `to write into "kb/daily"; it allows kb, kb/weekly`)
	require.Equal(t, planners.Usage{Calls: 3, InputTokens: 300, OutputTokens: 30, Cost: "330 USD"}, draft.Usage)
	require.Contains(t, draft.Notes, "the model was asked 3 times until its reply could be used")
	require.EqualValues(t, 2, s.meter.counts["model_asked_again not_allowed"])
}

func TestC070_ARefusalIsOneCallAndAPersons(t *testing.T) {
	s := newScene(t, envelope{Refusal: "I can't help\nwith that.\u202e", Stop: model.Ended, In: 100, Out: 5})
	_, err := s.attempts(request())
	s.refusedAs(err, "refused", `a person has to look at the task; it says: “I can't help\u{000A}with that.\u{202E}”`)
	require.Equal(t, 1, s.server.calls())
	require.Len(t, s.replies.bodies, 1, "its words are kept")

	_, err = s.attempts(request())
	s.refusedAs(err, "refused", "")
	require.Equal(t, 1, s.server.calls(), "and are not paid for again")

	long := newScene(t, envelope{Refusal: strings.Repeat("no ", 5000)})
	_, err = long.attempts(request())
	require.Less(t, len(err.Error()), 600)
}

func TestC070_AFilteredReplyIsOneCall(t *testing.T) {
	for _, text := range []string{"", good} {
		s := newScene(t, envelope{Text: text, Stop: model.Filtered})
		_, err := s.attempts(request())
		s.refusedAs(err, "filtered", "a person has to look")
		require.Equal(t, 1, s.server.calls())
	}
}

// An answer that is none costs an attempt, so that the next comes after a wait,
// and never more than the tries.
func TestC070_EmptyAndOddEnvelopesAreTriedAgainWithinBounds(t *testing.T) {
	for name, answer := range map[string]any{
		"a page of HTML":              "<html>busy</html>",
		"no text":                     envelope{Stop: model.Ended, In: 100},
		"blanks":                      envelope{Text: " \n\t", Stop: model.Ended},
		"cut before the first letter": envelope{Stop: model.Cut, Out: 16000},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, answer)
			_, err := s.plan(request())
			require.Equal(t, faults.Transient, faults.ClassOf(err))
			require.Equal(t, 1, s.server.calls(), "one call an attempt")
			paced := new(faults.Paced)
			require.ErrorAs(t, err, &paced)

			_, err = s.attempts(request())
			s.refusedAs(err, "no_reply", "asked 4 times, and sent nothing that is a reply")
			require.Equal(t, 4, s.server.calls())
			require.Equal(t, s.server.heard[0], s.server.heard[3], "the same question")
			require.Len(t, s.replies.bodies, 4)

			_, err = s.attempts(request())
			s.refusedAs(err, "no_reply", "")
			require.Equal(t, 4, s.server.calls())

			s = newScene(t, answer, answer, good)
			draft, err := s.attempts(request())
			require.NoError(t, err)
			require.Equal(t, 1, draft.Usage.Calls)
			require.Equal(t, 2, draft.Usage.Stored)
			require.Equal(t, 3, s.server.calls())
		})
	}
}

// A reply that was cut is no plan, whatever there is of it.
func TestC070_ACutReplyIsAskedAgain(t *testing.T) {
	s := newScene(t, envelope{Text: good, Stop: model.Cut}, good)
	_, err := s.plan(request())
	require.NoError(t, err)
	require.Equal(t, 2, s.server.calls())
	require.Contains(t, s.server.last(), "it was cut at the limit of about 16000 tokens; propose fewer or shorter actions")
	require.Equal(t, good, s.server.heard[1].Messages[1].Text)
}

// Whatever else ends a reply, its text decides.
func TestAnotherEndIsNoObjection(t *testing.T) {
	s := newScene(t, envelope{Text: good, Stop: model.Other})
	_, err := s.plan(request())
	require.NoError(t, err)
}

func TestC071_UnknownToolsAndWrongArguments(t *testing.T) {
	chain := func(n int) string {
		actions := make([]string, n)
		for i := range actions {
			actions[i] = fmt.Sprintf(`{"id":"a%d","tool":"note","parameters":{}}`, i)
		}
		return `{"format":"holdpoint.actions/1","actions":[` + strings.Join(actions, ",") + `]}`
	}
	for name, tt := range map[string]struct{ reply, want string }{
		"an unknown tool":       {with(t, `"page",`, `"shell.exec",`), `/actions/0/tool: the task does not allow the tool "shell.exec"; it allows page, note`},
		"caps and a blank":      {with(t, `"page",`, `"Page ",`), `the task does not allow the tool "Page "`},
		"a missing parameter":   {with(t, `"page":"w48.md",`, ``), `/actions/0/parameters: missing property 'page'`},
		"an extra parameter":    {with(t, `"page":"w48.md"`, `"page":"w48.md","timeout":"1h"`), `/actions/0/parameters: additional properties 'timeout' not allowed`},
		"a wrong type":          {with(t, `"w48.md"`, `48`), `/actions/0/parameters/page: got number, want string`},
		"no parameters":         {with(t, `"parameters":{"text":"done"},`, ``), `/actions/1: missing property 'parameters'`},
		"parameters as text":    {with(t, `{"text":"done"}`, `"{}"`), `/actions/1/parameters: got string, want object`},
		"500 actions":           {chain(500), "there are 500 actions; at most 200 are allowed"},
		"1001 actions":          {chain(1001), "/actions: maxItems: got 1,001, want 1,000"},
		"no action":             {chain(0), "/actions: minItems: got 0, want 1"},
		"a cycle":               {with(t, `"documents":`, `"depends_on":["tell"],"documents":`), "/actions/0/depends_on: these actions wait for each other: week → tell → week"},
		"itself":                {with(t, `["week"]`, `["tell"]`), "/actions/1/depends_on: these actions wait for each other: tell → tell"},
		"an unknown dependency": {with(t, `["week"]`, `["weeks"]`), "/actions/1/depends_on: there is no action weeks"},
		"an id twice":           {with(t, `"id":"tell"`, `"id":"week"`), "/actions/1/id: action 0 has the id week already"},
		"an unknown document":   {with(t, `"notes/monday.md"`, `"notes/sunday.md"`), `/actions/0/documents: the task has no document "notes/sunday.md"`},
		"its own risk":          {with(t, `"id":"tell",`, `"id":"tell","risk":"low",`), "/actions/1: additional properties 'risk' not allowed"},
		"its own approver":      {with(t, `"notes"`, `"approvers":["me"],"notes"`), "additional properties 'approvers' not allowed"},
		"its own time limit":    {with(t, `"notes"`, `"expires_at":"2099-01-01T00:00:00Z","notes"`), "additional properties 'expires_at' not allowed"},
		"its own policy":        {with(t, `"id":"tell",`, `"id":"tell","policy":{},`), "additional properties 'policy' not allowed"},
		"its own key":           {with(t, `"id":"tell",`, `"id":"tell","idempotency_key":"1",`), "additional properties 'idempotency_key' not allowed"},
		"another format":        {with(t, "actions/1", "actions/2"), "/format: value must be 'holdpoint.actions/1'"},
		"a field in caps":       {with(t, `"id":"tell"`, `"ID":"tell"`), "/actions/1: missing property 'id'"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, tt.reply)
			_, err := s.attempts(request())
			s.refusedAs(err, "bad_reply", tt.want)
			require.Equal(t, 3, s.server.calls())
			require.Contains(t, s.server.last(), tt.want)
		})
	}
}

// A reply can say anything of any length; what is said of it is short.
func TestObjectionsAreBounded(t *testing.T) {
	s := newScene(t, with(t, `"id":"tell"`, `"id":"tell","`+strings.Repeat(`\u001b[2J\u202e`, 3000)+`":1`))
	_, err := s.attempts(request())
	s.refusedAs(err, "bad_reply", `additional properties '\x1b[2J\u202e`)
	require.Less(t, len(err.Error()), 2000)
	require.Less(t, len(s.server.last()), 2000)
	require.Less(t, len(s.server.heard[1].Messages[1].Text), 16000*4+1)
}

// What the tools refuse is the model's to mend; trouble of theirs is not.
func TestChecksOfTheToolsAreTheModelsToMend(t *testing.T) {
	s := newScene(t, good)
	r := request()
	var checked []planners.DraftAction
	r.Check = func(_ context.Context, actions []planners.DraftAction) error {
		checked = actions
		if len(s.server.heard) == 1 {
			return &faults.Fault{Class: faults.Permanent, Code: "not_allowed", Reason: `action "week": the page is locked`}
		}
		return nil
	}
	_, err := s.plan(r)
	require.NoError(t, err)
	require.Len(t, checked, 2)
	require.Contains(t, s.server.last(), `not_allowed: action "week": the page is locked`)
	require.Equal(t, 2, s.server.calls())

	s = newScene(t, good)
	r.Check = func(context.Context, []planners.DraftAction) error {
		return &faults.Fault{Class: faults.Transient, Code: "dial_failed", Reason: "no connection"}
	}
	_, err = s.plan(r)
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.Equal(t, 1, s.server.calls())
	r.Check = nil
	draft, err := s.plan(r)
	require.NoError(t, err)
	require.Equal(t, planners.Usage{Stored: 1, InputTokens: 100, OutputTokens: 10, Cost: "110 USD"}, draft.Usage)
	require.Equal(t, 1, s.server.calls(), "the reply was paid for")

	s = newScene(t, good)
	fault := &faults.Fault{Class: faults.Permanent, Code: "key_conflict", Reason: "the order stands already"}
	r.Check = func(context.Context, []planners.DraftAction) error { return fault }
	_, err = s.attempts(r)
	s.refusedAs(err, "bad_reply", "key_conflict: the order stands already")
	require.ErrorIs(t, err, fault)
}

// A reply without a word says how it ended.
func TestReplyThatEndsInNoUsualWay(t *testing.T) {
	s := newScene(t, envelope{Stop: model.Other})
	_, err := s.attempts(request())
	s.refusedAs(err, "no_reply", "ended in a way that no plan ends")
	require.NotContains(t, err.Error(), "an empty reply")
}

// No message is empty: Anthropic's API refuses a conversation with one.
func TestAskingAgainRepeatsNoEmptyMessage(t *testing.T) {
	s := newSceneWithin(t, model.Limits{OutputTokens: 1}, "        x", good)
	_, err := s.plan(request())
	require.NoError(t, err)
	require.Len(t, s.server.heard, 2)
	require.Equal(t, model.Message{Role: model.Assistant, Text: "(nothing)"}, s.server.heard[1].Messages[1])
}
