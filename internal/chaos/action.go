package main

import (
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

	doubted bool // its outcome was unknown, and was resolved by a look at the target
	effects int  // at the target, at the end
}

// tool is a tool of the campaign's workers.
type tool struct {
	name   string
	kind   string
	class  plan.DeliveryClass
	target string // as a task allows it
	// parameters of an action with the given effect.
	parameters func(effect string) map[string]any
}

// mayStayUnknown reports the classes of which an unknown outcome is an allowed
// end: nobody can tell. The campaign's other tools can all find out.
func (t tool) mayStayUnknown() bool { return t.class == plan.Once }

func (a *action) String() string { return fmt.Sprintf("%s of %s by %s", a.Effect, a.run, a.tool.name) }
