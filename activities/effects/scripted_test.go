package effects_test

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// scripted is a tool that does what a test says.
type scripted struct {
	spec  tools.Spec
	apply func(context.Context) (plan.Receipt, error)
	// find makes it a tools.Finder.
	find func(context.Context) (tools.Finding, error)

	calls, looks int
	last         tools.Call
}

func (s *scripted) Spec() tools.Spec { return s.spec }

func (s *scripted) Prepare(context.Context, tools.Proposal) (tools.Prepared, error) {
	return tools.Prepared{}, errors.New("not used here")
}

func (s *scripted) Apply(ctx context.Context, c tools.Call) (plan.Receipt, error) {
	s.calls++
	s.last = c
	return s.apply(ctx)
}

func (s *scripted) Count(context.Context, tools.Call) (int, error) { return -1, nil }

// asTool is s as the protocol gets it, which asks by type what a tool can do.
func (s *scripted) asTool() tools.Tool {
	if s.find == nil {
		return s
	}
	return scriptedFinder{s}
}

type scriptedFinder struct{ *scripted }

var _ tools.Finder = scriptedFinder{}

func (s scriptedFinder) Find(ctx context.Context, c tools.Call) (tools.Finding, error) {
	s.looks++
	s.last = c
	return s.find(ctx)
}

const theKey = "5aa624e1059045bb634147f4e2b0973cef577656"

var theReceipt = plan.Receipt{
	IdempotencyKey: theKey, Tool: "scripted", Target: "kb/page.md", Ref: "commit-1",
	At: time.Date(2026, 11, 29, 17, 4, 5, 0, time.UTC),
}

// theCall is the one action of these tests.
func theCall() tools.Call { return callWith(`{"title":"Week 48"}`) }

func callWith(parameters string) tools.Call {
	return tools.Call{
		RunID:    "acme/demo-001",
		PlanHash: plan.Sum([]byte("plan")),
		Approver: "mei.chen@example.com",
		Action: plan.Action{
			ID: "page-1", Tool: "scripted", Target: "kb/page.md", IdempotencyKey: theKey,
			Parameters: json.RawMessage(parameters),
		},
	}
}
