package workflows

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// hostile is what somebody else may have written: Markdown and HTML of every
// kind, and what might end a span or a block.
func hostile() *rapid.Generator[string] {
	pieces := []string{
		"`", "``", "```", "~~~", "\n", "\n\n", "\n    ", " ", "[approve here](http://evil.test)", "![pay](http://evil.test/t.png)", "<img src=//evil.test>",
		"<http://evil.test>", "https://evil.test", "# heading", "**", "__", "- item", "> quote", "|a|b|\n|-|-|", "\\", "\\`", "&lt;", "\u2028", "\u202e", "***", "a",
	}
	return rapid.Custom(func(t *rapid.T) string {
		return "EVIL" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 8).Draw(t, "pieces"), "")
	})
}

// Whatever stands in the fields that somebody else fills, the page has no markup
// of theirs, and nothing of theirs stands outside of code.
func TestC073_NothingInTheDetailsIsAnothersMarkup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := func(name string) string { return hostile().Draw(t, name) }
		run := &agentRun{runID: word("run"), task: Task{Requester: word("requester")}}
		run.state = hostileState(word)
		for _, status := range []RunStatus{WaitingApproval, WaitingResolution, Failed} {
			for _, unconfirmed := range []bool{false, true} {
				run.state.Status, run.state.Actions[0].Unconfirmed = status, unconfirmed
				requireOnlyCode(t, run.details())
			}
		}
	})
}

func hostileState(word func(name string) string) State {
	until := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	terms := approvals.Terms{
		Proof: approvals.ByClaim, Label: word("label"), Version: word("version"),
		Quorums:   []approvals.Quorum{{Group: word("group"), Need: 1, Members: []string{word("approver")}}},
		Resolvers: []approvals.Resolvers{{Members: []string{word("resolver")}}},
	}
	action := func(more Action) Action {
		more.ID, more.Key, more.Error = word("action"), word("key"), word("error")
		more.Doubt = &Doubt{Target: word("target"), Detail: word("detail"), Tool: word("tool"), SentAt: until}
		more.Status = StepInDoubt
		return more
	}
	said := &Resolved{Outcome: approvals.Happened, Operator: word("operator"), Evidence: word("evidence"), Claim: "1"}
	planned := plan.Plan{Goal: word("goal"), Notes: []string{word("note")}}
	return State{
		Reason: word("reason"), DecideBy: &until, Grant: &approvals.Grant{ExpiresAt: until},
		Plan:    &MakePlanResult{Summary: plan.Summary(planned, 4096)},
		Request: &RequestApprovalResult{Terms: terms},
		Gate:    approvals.Request{Terms: terms, Phase: approvals.PhaseOpen},
		Actions: []Action{action(Action{}), action(Action{Resolution: said})},
	}
}

// requireOnlyCode parses the page as a browser's Markdown does.
func requireOnlyCode(t require.TestingT, page string) {
	source := []byte(page)
	document := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	seen := false
	err := ast.Walk(document, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.FencedCodeBlock:
			seen = true
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			require.NotContains(t, string(n.Segment.Value(source)), "EVIL", page)
		case *ast.Document, *ast.Paragraph, *ast.TextBlock, *ast.Emphasis, *ast.Blockquote, *ast.List, *ast.ListItem:
		default:
			require.Fail(t, "markup of somebody else", "%s in %s", n.Kind(), page)
		}
		return ast.WalkContinue, nil
	})
	require.NoError(t, err)
	require.True(t, seen, "the page has what it should show")
}
