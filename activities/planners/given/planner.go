package given

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

//go:embed actions.schema.json
var schemaJSON []byte

// Schema is the JSON Schema of the file, for those who write one.
func Schema() []byte { return slices.Clone(schemaJSON) }

// Planner is the planner. Its zero value is ready to use.
type Planner struct{}

var _ planners.Planner = Planner{}

// Name is the planner's name in tasks and plans.
func (Planner) Name() string { return "given" }

// Version changes when the same file would give another plan.
func (Planner) Version() string { return "1" }

// Plan reads the actions from the one document that holds them. Its errors are
// permanent faults that name the file and the place in it.
func (Planner) Plan(_ context.Context, r planners.Request) (planners.Draft, error) {
	if len(r.Feedback) > 0 {
		return planners.Draft{}, refuse("cannot_revise",
			"an approver asked for a revision, and a plan that was handed in is not revised here: hand in another file and start again")
	}
	file, err := find(r.Documents)
	if err != nil {
		return planners.Draft{}, err
	}
	d, err := file.read()
	if err != nil {
		return planners.Draft{}, err
	}
	draft := planners.Draft{Notes: append(slices.Clone(d.Notes), "the actions were handed in as "+file.name()+file.digest())}
	for i, a := range d.Actions {
		proposal, err := a.proposal(r.Targets)
		if err != nil {
			return planners.Draft{}, file.fail([]string{"actions", fmt.Sprint(i), err.field}, "%s", err.reason)
		}
		draft.Actions = append(draft.Actions, planners.DraftAction{ID: a.ID, DependsOn: a.DependsOn, Proposal: proposal})
	}
	return draft, nil
}

// notAllowed is why the task does not allow an action.
type notAllowed struct{ field, reason string }

// proposal finds the target that the task allows the action's tool. Of several
// the file names one, or the tool's parameters lead to one.
func (a action) proposal(targets []planners.Target) (tools.Proposal, *notAllowed) {
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
		return p, &notAllowed{"tool", fmt.Sprintf("the task does not allow the tool %.64q; it allows %s", a.Tool, strings.Join(others, ", "))}
	case a.Into != "" && !slices.Contains(names, a.Into):
		return p, &notAllowed{"into", fmt.Sprintf("the task does not allow the tool %.64q to write into %.64q; it allows %.400s",
			a.Tool, a.Into, strings.Join(names, ", "))}
	case a.Into != "":
		p.AllowedTarget = a.Into
	case len(names) == 1:
		p.AllowedTarget = names[0]
	default:
		p.AllowedTargets = names
	}
	return p, nil
}

func refuse(code, format string, args ...any) error {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: plan.Clip(fmt.Sprintf(format, args...), 1000)}
}
