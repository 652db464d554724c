package activities

import (
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// stillBound holds a tool to what it was when the plan was made: what runs is
// what was approved, also when an operator has edited the declaration since and
// left its version as it was.
func stillBound(action plan.Action, tool tools.Tool) error {
	spec := tool.Spec()
	switch {
	case spec.Version != action.ToolVersion || spec.SchemaDigest != action.SchemaDigest:
		return refuseTool("tool " + action.Tool + " is not the version that the plan was made for")
	case spec.Class != action.DeliveryClass, spec.Risk != action.Risk,
		// Zero in a plan from before there were digests.
		!action.ToolDigest.IsZero() && action.ToolDigest != tools.DigestOf(tool, action.Target):
		return refuseTool("the declaration of tool " + action.Tool + " is not the one that the plan was made for")
	default:
		return nil
	}
}

// refuseTool is the refusal of a tool that is another one than at the plan. A
// new plan would recover what an earlier attempt left in doubt by the promise of
// the tool of today, which may be weaker than the one under which it was sent.
func refuseTool(detail string) error {
	return asFault(&refusal{outcome: workflows.OutcomeDrifted, detail: detail, otherTool: true})
}
