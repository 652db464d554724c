// Package watched counts what is asked of a tool, for those who try whether it
// keeps its promises.
package watched

import (
	"context"
	"sync"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Tool is a tool, with what was sent through it. It is safe for concurrent use.
type Tool struct {
	tools.Tool

	// Answer, when it is set, is what a call that brought a receipt answers
	// instead of it: so an answer is lost after its effect.
	Answer func(plan.Receipt) (plan.Receipt, error)

	mu    sync.Mutex
	sent  int
	first *plan.Receipt
}

// findingTool is a Tool that can find: the protocol asks by type.
type findingTool struct {
	*Tool
	finder tools.Finder
}

var _ tools.Finder = findingTool{}

// Find implements tools.Finder.
func (t findingTool) Find(ctx context.Context, c tools.Call) (tools.Finding, error) {
	return t.finder.Find(ctx, c)
}

// AsTool is t as the protocol gets it: a tools.Finder when the tool is one.
func (t *Tool) AsTool() tools.Tool {
	if finder, ok := t.Tool.(tools.Finder); ok {
		return findingTool{t, finder}
	}
	return t
}

// Apply implements tools.Tool.
func (t *Tool) Apply(ctx context.Context, c tools.Call) (plan.Receipt, error) {
	t.mu.Lock()
	t.sent++
	t.mu.Unlock()
	receipt, err := t.Tool.Apply(ctx, c)
	if err != nil {
		return receipt, err
	}
	t.mu.Lock()
	if t.first == nil {
		t.first = &receipt
	}
	t.mu.Unlock()
	if t.Answer != nil {
		return t.Answer(receipt)
	}
	return receipt, nil
}

// Calls is how many calls were begun.
func (t *Tool) Calls() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent
}

// FirstRef is the reference of the first receipt that a call brought, also when
// its answer was lost; empty when there was none.
func (t *Tool) FirstRef() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first == nil {
		return ""
	}
	return t.first.Ref
}
