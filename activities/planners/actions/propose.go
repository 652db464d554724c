package actions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/tools"
)

// Name is what a document of the task is called: "source/path".
func Name(d planners.Document) string { return d.Source + "/" + d.Path }

// Propose turns the actions into proposals within the targets that the task
// allows. Each tool must be one of those, each Into one of the tool's targets,
// each of its documents one of known. Its error is a *Problem.
//
// What an action's parameters mean is the tool's to check.
func (d Document) Propose(targets []planners.Target, known []planners.Document) ([]planners.DraftAction, error) {
	names := make(map[string]bool, len(known))
	for _, k := range known {
		names[Name(k)] = true
	}
	var drafts []planners.DraftAction
	for i, a := range d.Actions {
		proposal, err := a.proposal(i, targets)
		if err != nil {
			return nil, err
		}
		for _, name := range a.Documents {
			if !names[name] {
				return nil, problem(inAction(i, "documents"), "the task has no document %.200q", name)
			}
		}
		drafts = append(drafts, planners.DraftAction{ID: a.ID, DependsOn: a.DependsOn, Proposal: proposal, Documents: a.Documents})
	}
	return drafts, nil
}

// proposal finds the target that the task allows the tool of action i. Of
// several the document names one, or the tool's parameters lead to one.
func (a Action) proposal(i int, targets []planners.Target) (tools.Proposal, error) {
	p := tools.Proposal{Tool: a.Tool, Parameters: a.Parameters}
	var names, others []string
	for _, t := range targets {
		if t.Tool == a.Tool {
			names = append(names, t.Name)
		} else if !slices.Contains(others, t.Tool) {
			others = append(others, t.Tool)
		}
	}
	switch {
	case len(names) == 0:
		return p, problem(inAction(i, "tool"), "the task does not allow the tool %.64q; it allows %s", a.Tool, strings.Join(others, ", "))
	case a.Into != "" && !slices.Contains(names, a.Into):
		return p, problem(inAction(i, "into"), "the task does not allow the tool %.64q to write into %.64q; it allows %.400s",
			a.Tool, a.Into, strings.Join(names, ", "))
	case a.Into != "":
		p.AllowedTarget = a.Into
	case len(names) == 1:
		p.AllowedTarget = names[0]
	default:
		p.AllowedTargets = names
	}
	return p, nil
}

// CheckParameters compares each action's parameters with the schema of its
// tool, where the targets have one. Its error is a *Problem. The tool checks the
// same and more when the action is prepared; here the place in the document is
// known.
func (d Document) CheckParameters(targets []planners.Target) error {
	schemas := map[string]checker{}
	for i, a := range d.Actions {
		check, ok := schemas[a.Tool]
		if !ok {
			var err error
			if check, err = checkerOf(a.Tool, targets); err != nil {
				return problem(inAction(i, "tool"), "the schema of the tool's parameters cannot be used")
			}
			schemas[a.Tool] = check
		}
		if err := check(a.Parameters, []string{"actions", fmt.Sprint(i), "parameters"}); err != nil {
			return err
		}
	}
	return nil
}

// checker is the check of one tool's parameters, which stand at a place.
type checker func(raw []byte, at []string) error

func checkerOf(tool string, targets []planners.Target) (checker, error) {
	i := slices.IndexFunc(targets, func(t planners.Target) bool { return t.Tool == tool && len(t.Schema) > 0 })
	if i < 0 {
		return func([]byte, []string) error { return nil }, nil
	}
	schema, err := compile(targets[i].Schema)
	if err != nil {
		return nil, err
	}
	return func(raw []byte, at []string) error { return mismatch(schema, raw, at) }, nil
}
