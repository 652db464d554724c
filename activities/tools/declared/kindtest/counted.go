package kindtest

import (
	"context"
	"sync"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// counted is the tool under test, with what was asked of it.
type counted struct {
	tools.Tool

	mu       sync.Mutex
	sends    int
	receipts []plan.Receipt
	lose     bool // the answer of the next call
}

// countedFinder is a counted tool that can find: the protocol asks by type.
type countedFinder struct {
	*counted
	tools.Finder
}

var _ tools.Finder = countedFinder{}

// Spec, Prepare, Apply and Count are those of counted; Find is the finder's.

func (c countedFinder) Spec() tools.Spec { return c.counted.Spec() }

func (c countedFinder) Prepare(ctx context.Context, p tools.Proposal) (tools.Prepared, error) {
	return c.counted.Prepare(ctx, p)
}

func (c countedFinder) Apply(ctx context.Context, call tools.Call) (plan.Receipt, error) {
	return c.counted.Apply(ctx, call)
}

func (c countedFinder) Count(ctx context.Context, call tools.Call) (int, error) {
	return c.counted.Count(ctx, call)
}

// tool is c as the protocol gets it.
func (c *counted) tool() tools.Tool {
	if finder, ok := c.Tool.(tools.Finder); ok {
		return countedFinder{counted: c, Finder: finder}
	}
	return c
}

func (c *counted) Apply(ctx context.Context, call tools.Call) (plan.Receipt, error) {
	c.mu.Lock()
	c.sends++
	lose := c.lose
	c.lose = false
	c.mu.Unlock()
	receipt, err := c.Tool.Apply(ctx, call)
	if err != nil {
		return receipt, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.receipts = append(c.receipts, receipt)
	if lose {
		return plan.Receipt{}, &faults.Fault{Class: faults.Unknown, Code: "answer_lost", Reason: "the test lost the answer"}
	}
	return receipt, nil
}

func (c *counted) loseNext() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lose = true
}

func (c *counted) calls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sends
}

// first is the receipt of the first call that brought one.
func (c *counted) first() (plan.Receipt, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.receipts) == 0 {
		return plan.Receipt{}, false
	}
	return c.receipts[0], true
}
