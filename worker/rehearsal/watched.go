package rehearsal

import (
	"context"
	"sync"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// watched is the tool, with what was sent through it.
type watched struct {
	tools.Tool

	mu    sync.Mutex
	sent  int
	first *plan.Receipt
}

// watchedFinder is a watched tool that can find: the protocol asks by type.
type watchedFinder struct {
	*watched
	finder tools.Finder
}

var _ tools.Finder = watchedFinder{}

// Find implements tools.Finder.
func (w watchedFinder) Find(ctx context.Context, c tools.Call) (tools.Finding, error) {
	return w.finder.Find(ctx, c)
}

// tool is what the protocol is given.
func (w *watched) tool() tools.Tool {
	if finder, ok := w.Tool.(tools.Finder); ok {
		return watchedFinder{w, finder}
	}
	return w
}

// Apply implements tools.Tool.
func (w *watched) Apply(ctx context.Context, c tools.Call) (plan.Receipt, error) {
	w.mu.Lock()
	w.sent++
	w.mu.Unlock()
	receipt, err := w.Tool.Apply(ctx, c)
	if err == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.first == nil {
			w.first = &receipt
		}
	}
	return receipt, err
}

// calls is how many calls were sent.
func (w *watched) calls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent
}

// firstRef is the reference of the first receipt; empty when there was none.
func (w *watched) firstRef() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first == nil {
		return ""
	}
	return w.first.Ref
}
