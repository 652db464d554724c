package declared_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// proposal is one that a task allows.
func proposal(parameters string) tools.Proposal {
	return tools.Proposal{Tool: "open_issue", Parameters: json.RawMessage(parameters), AllowedTarget: "tracker"}
}

// call is the approved action of proposal(`{"repo":"kb","title":"Hello"}`).
func call() tools.Call {
	return tools.Call{
		RunID: "acme/r", PlanHash: plan.Sum([]byte("plan")), Approver: "mei",
		Action: plan.Action{
			ID: "a1", Tool: "open_issue", Target: "tracker/kb", Item: "Hello", IdempotencyKey: strings.Repeat("ab", 20),
			Parameters: json.RawMessage(`{"repo":"kb","title":"Hello"}`), Precondition: "p1",
		},
	}
}

func TestPrepareSaysWhereAProposalLeads(t *testing.T) {
	tool, sender := newTool(t)
	prepared, err := tool.Prepare(t.Context(), proposal(`{ "title": "Hello", "repo": "kb", "labels": ["b", "a"] }`))
	require.NoError(t, err)
	require.Equal(t, tools.Prepared{
		Target: "tracker/kb", Item: "Hello", Parameters: json.RawMessage(`{"labels":["b","a"],"repo":"kb","title":"Hello"}`),
		Precondition: "p1", Preview: "what is sent",
	}, prepared)
	require.Len(t, sender.asked, 1)
	asked := sender.asked[0]
	require.Equal(t, "<idempotency key>", asked.Vars.Key, "the key is made of the target, later")
	require.Equal(t, "tracker/kb", asked.Vars.Target)
	require.Equal(t, "Hello", asked.Vars.Item)
	require.Equal(t, "kb", asked.Vars.Params["repo"])
	require.Empty(t, asked.Call.Action.IdempotencyKey)
}

// A parameter can neither leave the target that a task allows, nor add levels
// to it.
func TestPrepareKeepsWithinTheTarget(t *testing.T) {
	tool, sender := newTool(t)
	for repo, want := range map[string]string{
		"kb": "tracker/kb", "a/b": "tracker/a%2Fb", "..": "tracker/%2E%2E", ".": "tracker/%2E", "../x": "tracker/..%2Fx", "%2f": "tracker/%252f",
	} {
		parameters, err := json.Marshal(map[string]string{"repo": repo, "title": "t"})
		require.NoError(t, err)
		prepared, err := tool.Prepare(t.Context(), proposal(string(parameters)))
		require.NoError(t, err, repo)
		require.Equal(t, want, prepared.Target)
	}
	asked := len(sender.asked)
	for allowed, ok := range map[string]bool{
		"tracker": true, "tracker/kb": true, "tracker/k": false, "track": false, "tracker/kb/x": false, "other": false, "": false, "/": false,
	} {
		p := proposal(`{"repo":"kb","title":"t"}`)
		p.AllowedTarget = allowed
		_, err := tool.Prepare(t.Context(), p)
		if ok {
			asked++
			require.NoError(t, err, allowed)
			continue
		}
		require.Equal(t, "not_allowed", faults.Name(err).Code, allowed)
		require.Equal(t, faults.Permanent, faults.ClassOf(err))
	}
	require.Len(t, sender.asked, asked, "a refused proposal reaches no target")
}

// A planner that cannot render leaves the choice to the parameters.
func TestPrepareTakesTheAllowedTargetThatTheParametersLeadTo(t *testing.T) {
	tool, _ := newTool(t)
	p := proposal(`{"repo":"kb","title":"t"}`)
	p.AllowedTarget, p.AllowedTargets = "", []string{"tracker/web", "tracker/kb"}
	prepared, err := tool.Prepare(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, "tracker/kb", prepared.Target)

	p.AllowedTargets = []string{"tracker/web", ""}
	_, err = tool.Prepare(t.Context(), p)
	require.ErrorContains(t, err, `it writes to "tracker/kb", and the task allows ["tracker/web" ""]`)
	p.AllowedTarget, p.AllowedTargets = "tracker/web", []string{"tracker/kb"}
	_, err = tool.Prepare(t.Context(), p)
	require.Error(t, err, "a planner that has chosen is held to it")
}

// What does not fit is named with its place and the rule, and nothing that a
// model wrote is repeated at length.
func TestPrepareRefusesParameters(t *testing.T) {
	tool, sender := newTool(t)
	for name, tt := range map[string]struct{ parameters, want string }{
		"no JSON":              {`{`, "bad_parameters: tool open_issue: its parameters are malformed"},
		"a member twice":       {`{"repo":"a","repo":"b","title":"t"}`, "a second member of this name"},
		"no object":            {`["a"]`, "its parameters do not fit its schema: the object: got array, want object"},
		"a missing one":        {`{"repo":"a"}`, "the object: missing property 'title'"},
		"another one":          {`{"repo":"a","title":"t","body":"x"}`, "the object: additional properties 'body' not allowed"},
		"another type":         {`{"repo":"a","title":7}`, "/title: got number, want string"},
		"too long":             {`{"repo":"a","title":"` + strings.Repeat("x", 21) + `"}`, "/title: maxLength: got 21, want 20"},
		"another form":         {`{"repo":"SECRET","title":"t"}`, `/repo: does not match the pattern "^[a-z0-9/.%]*$"`},
		"no date":              {`{"repo":"a","title":"t","due":"SECRET"}`, "/due: is no valid date"},
		"deep inside":          {`{"repo":"a","title":"t","labels":["x",1]}`, "/labels/1: got number, want string"},
		"an empty segment":     {`{"repo":"","title":"t"}`, "its target: has an empty segment"},
		"an empty item":        {`{"repo":"a","title":""}`, "its item: is empty"},
		"an item in two lines": {`{"repo":"a","title":"a\nb"}`, "its item: holds the invisible character U+000A"},
		"an item turned round": {`{"repo":"a","title":"a\u202eb"}`, "its item: holds the invisible character U+202E"},
		"a target too long":    {`{"repo":"` + strings.Repeat("x", 1000) + `","title":"t"}`, "its target: has 1008 bytes; at most 1000 are allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tool.Prepare(t.Context(), proposal(tt.parameters))
			require.ErrorContains(t, err, tt.want)
			require.Equal(t, faults.Permanent, faults.ClassOf(err))
			require.NotContains(t, err.Error(), "SECRET")
			require.NotContains(t, err.Error(), "\n")
			require.Less(t, len(err.Error()), 1000)
		})
	}
	require.Empty(t, sender.asked)
}

func TestApplyHandsTheApprovedActionToTheSender(t *testing.T) {
	tool, sender := newTool(t)
	c := call()
	receipt, err := tool.Apply(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, plan.Receipt{
		IdempotencyKey: c.Action.IdempotencyKey, Tool: "open_issue", Target: "tracker/kb", Ref: "17", Detail: "issue 17",
		At: time.Date(2026, 12, 1, 10, 30, 5, 0, time.UTC), // UTC, to the second
	}, receipt)
	vars := sender.asked[0].Vars
	require.Equal(t, c.Action.IdempotencyKey, vars.Key)
	require.Equal(t, []string{"acme/r", "a1", c.PlanHash.String(), "mei", "tracker/kb", "Hello", "p1"},
		[]string{vars.RunID, vars.ActionID, vars.PlanHash, vars.Approver, vars.Target, vars.Item, vars.Precondition})
	require.Equal(t, c, sender.asked[0].Call)
}

func TestCountAsksTheSender(t *testing.T) {
	tool, sender := newTool(t)
	sender.count = -1
	n, err := tool.Count(t.Context(), call())
	require.NoError(t, err)
	require.Equal(t, -1, n)
	require.Equal(t, "Hello", sender.asked[0].Vars.Item)
}

// The class that the sender gives to an error is what the protocol acts upon.
func TestErrorsOfTheSenderPassAsTheyAre(t *testing.T) {
	tool, sender := newTool(t)
	sender.err = &faults.Fault{Class: faults.Unknown, Code: "x", Reason: "y", Cause: tools.ErrAbsent}
	_, err := tool.Apply(t.Context(), call())
	require.Same(t, sender.err, err)
	_, err = tool.Count(t.Context(), call())
	require.Same(t, sender.err, err)
	_, err = tool.Prepare(t.Context(), proposal(`{"repo":"kb","title":"t"}`))
	require.Same(t, sender.err, err)
}

// A worker whose declaration has changed since the plan was made sends nothing
// somewhere else.
func TestActionOfAnotherDeclarationIsRefused(t *testing.T) {
	for name, change := range map[string]func(*plan.Action){
		"another target":     func(a *plan.Action) { a.Target = "tracker/web" },
		"another item":       func(a *plan.Action) { a.Item = "" },
		"another parameter":  func(a *plan.Action) { a.Parameters = json.RawMessage(`{"repo":"web","title":"Hello"}`) },
		"parameters of none": func(a *plan.Action) { a.Parameters = json.RawMessage(`{"repo":"kb"}`) },
		"no JSON":            func(a *plan.Action) { a.Parameters = json.RawMessage(`{"repo"`) },
	} {
		t.Run(name, func(t *testing.T) {
			http, _, all := kinds()
			http.finds = true
			tool, err := declared.New("open_issue", "f.yaml", parse(t, declaration), all)
			require.NoError(t, err)
			c := call()
			change(&c.Action)
			_, applyErr := tool.Apply(t.Context(), c)
			_, countErr := tool.Count(t.Context(), c)
			_, findErr := tool.(tools.Finder).Find(t.Context(), c)
			for _, err := range []error{applyErr, countErr, findErr} {
				require.Equal(t, faults.Permanent, faults.ClassOf(err))
				require.Contains(t, []string{"declaration_changed", "bad_parameters"}, faults.Name(err).Code)
			}
			require.Empty(t, http.sender.asked)
		})
	}
}

func TestFindSaysWhatTheTargetSays(t *testing.T) {
	http, _, all := kinds()
	http.finds = true
	tool, err := declared.New("open_issue", "f.yaml", parse(t, declaration), all)
	require.NoError(t, err)
	find := tool.(tools.Finder)
	found, err := find.Find(t.Context(), call())
	require.NoError(t, err)
	require.Equal(t, tools.Finding{Presence: tools.Absent, Detail: "nothing there"}, found, "no receipt of nothing")

	http.sender.effect = declared.Effect{Ref: "9", At: time.Unix(1_700_000_000, 0)}
	found, err = find.Find(t.Context(), call())
	require.NoError(t, err)
	require.Equal(t, tools.Found, found.Presence)
	require.Equal(t, "9", found.Receipt.Ref)
	require.Equal(t, call().Action.IdempotencyKey, found.Receipt.IdempotencyKey)

	http.sender.err = errors.New("away")
	_, err = find.Find(t.Context(), call())
	require.ErrorIs(t, err, http.sender.err)
}

// A sender that brings no time has not made an effect that anybody could
// prove; the protocol sees it by the receipt's missing time.
func TestReceiptWithoutATimeStaysWithout(t *testing.T) {
	tool, sender := newTool(t)
	sender.effect = declared.Effect{Ref: "x"}
	receipt, err := tool.Apply(t.Context(), call())
	require.NoError(t, err)
	require.True(t, receipt.At.IsZero())
}

func TestCloseClosesTheSender(t *testing.T) {
	tool, sender := newTool(t)
	require.NoError(t, tool.(io.Closer).Close())
	require.True(t, sender.closed)
}

func TestToolSaysItsKindAndTarget(t *testing.T) {
	tool, _ := newTool(t)
	told := tool.(interface {
		Kind() string
		Target() string
	})
	require.Equal(t, "http", told.Kind())
	require.Equal(t, "tracker/{{params.repo}}", told.Target())
}
