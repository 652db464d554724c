package main

import (
	"context"
	"fmt"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// action is one approved write of the campaign, and what became of it.
type action struct {
	ID     string // in its plan
	Effect string // the business identity of the effect: unique in the campaign, and what is counted
	tool   tool
	fault  string // of the phase
	run    string

	key      string // as the run's plan has it
	attempts int
	doubted  bool // its outcome was unknown, and was resolved by a look at the target
	unheard  bool // its target made the effect, or was about to, and could not say so
	effects  int  // at the target, at the end
}

// hit reports whether the fault met the action: one attempt was not enough, or
// a person was needed.
func (a *action) hit() bool { return a.attempts > 1 || a.doubted }

// tool is a tool of the campaign's workers.
type tool struct {
	name   string
	kind   string
	class  plan.DeliveryClass
	manner string // how it is declared, where the class alone does not say it
	target string // as a task allows it
	// parameters of an action with the given effect.
	parameters func(effect string) map[string]any
	// prepare makes what the action finds at the target; nil is nothing.
	prepare func(ctx context.Context, effect string) error
	// mayStayUnknown says that an unknown outcome is an allowed end, because
	// nobody can tell: of class once, with a key past its window, with a lookup
	// that proves nothing by finding nothing. The others can all find out.
	mayStayUnknown bool
}

// declared is the tool's class as the table has it.
func (t tool) declared() string {
	if t.manner == "" {
		return string(t.class)
	}
	return string(t.class) + ", " + t.manner
}

func (a *action) String() string { return fmt.Sprintf("%s of %s by %s", a.Effect, a.run, a.tool.name) }
