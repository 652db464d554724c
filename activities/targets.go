package activities

import (
	"strings"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/workflows"
)

// targets are what the task allows, with what the tools say of themselves.
func (a *Activities) targets(task workflows.Task) []planners.Target {
	var ts []planners.Target
	for _, use := range task.Tools {
		target := planners.Target{Tool: use.Tool, Name: targetName(use)}
		if tool, ok := a.Tools.Get(use.Tool); ok {
			target.Schema = tool.Spec().Schema
		}
		ts = append(ts, target)
	}
	return ts
}

// allowed reports whether the task lets a tool write to a target, and the place
// by whose name it does: the target's own, or else the innermost that holds it.
func allowed(task workflows.Task, tool, target string) (within string, ok bool) {
	for _, use := range task.Tools {
		name := targetName(use)
		if use.Tool == tool && (target == name || strings.HasPrefix(target, name+"/")) && len(name) >= len(within) {
			within, ok = name, true
		}
	}
	return within, ok
}

func targetName(use workflows.ToolUse) string {
	if use.Path == "" {
		return use.Target
	}
	return use.Target + "/" + use.Path
}
