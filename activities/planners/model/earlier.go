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
	left []string
}

// earlierPlan writes a plan in the form of a reply. Its actions are taken in the
// plan's order, each whole, for as long as they fit into room; of the others there
// are the names.
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
	for _, a := range all[len(shown.Actions):] {
		e.left = append(e.left, a.ID)
	}
	if len(e.left) > 0 {
		e.cut = fmt.Sprintf("not shown are %d more of its actions: %s", len(e.left), some(e.left))
	}
	return e
}

func (e earlier) notes() []string {
	if len(e.left) == 0 {
		return nil
	}
	return []string{"the model was given the earlier plan without some of its actions, to keep within its tokens: " + some(e.left)}
}
