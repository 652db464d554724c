package model

import (
	"fmt"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// earlier is the plan before, as the model sees it.
type earlier struct {
	text string // a holdpoint.actions/1 document
	cut  string // what is missing, for the model
	left int
	ids  string // of the first of those that are left out, in one line
}

// earlierPlan writes a plan in the form of a reply. Its actions are taken in the
// plan's order, each whole, for as long as they fit into room; of the others there
// are the names of the first, where those take no more than half of that.
func earlierPlan(p plan.Plan, targets []planners.Target, room weight) earlier {
	all := actions.Of(p, targets).Actions
	shown := actions.Document{Format: actions.Format, Actions: []actions.Action{}}
	used := weightOf(compact(shown))
	for _, a := range all {
		if used += weightOf(compact(a)) + 1; used > room {
			break
		}
		shown.Actions = append(shown.Actions, a)
	}
	e := earlier{text: readable(compact(shown))}
	var left []string
	for _, a := range all[len(shown.Actions):] {
		left = append(left, a.ID)
	}
	if e.left, e.ids = len(left), some(left); e.left == 0 {
		return e
	}
	if e.cut = e.count() + ": " + e.ids; weightOf(e.cut) > room/2 {
		e.cut = e.count()
	}
	return e
}

func (e earlier) count() string { return fmt.Sprintf("not shown are %d more of its actions", e.left) }

func (e earlier) notes() []string {
	if e.left == 0 {
		return nil
	}
	return []string{"the model was given the earlier plan without some of its actions, to keep within its tokens: " + e.ids}
}
