package tools

import "github.com/holdpoint/holdpoint/approvals/plan"

// Companion is a tool that can tell of the actions of one plan that they cannot
// be carried out beside each other, such as a page below another page. What
// Prepare sees is the target without them.
type Companion interface {
	Tool

	// Together looks at all of a plan's actions with this tool, in the plan's
	// order. It returns the id of the first that cannot stand beside one before
	// it, with a *faults.Fault that names the other; nil when there is none. It
	// asks no target.
	Together(actions []plan.Action) (id string, err error)
}
