package actions

import (
	"strings"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Of writes a plan's actions in the form in which they were proposed. Into is
// the task's target that the action's own lies in; it is left out when the task
// allows the tool one only. Notes stay with the plan: those that a document had
// stand there among others.
func Of(p plan.Plan, targets []planners.Target) Document {
	d := Document{Format: Format, Actions: []Action{}}
	for _, a := range p.Actions {
		d.Actions = append(d.Actions, Action{
			ID: a.ID, Tool: a.Tool, Into: into(a, targets), Parameters: a.Parameters,
			DependsOn: a.DependsOn, Documents: a.Documents,
		})
	}
	return d
}

// into is the longest of the tool's targets that holds the action's.
func into(a plan.Action, targets []planners.Target) string {
	longest, several := "", 0
	for _, t := range targets {
		if t.Tool != a.Tool {
			continue
		}
		several++
		if (a.Target == t.Name || strings.HasPrefix(a.Target, t.Name+"/")) && len(t.Name) > len(longest) {
			longest = t.Name
		}
	}
	if several < 2 {
		return ""
	}
	return longest
}
