package given

import (
	"context"
	"fmt"
	"slices"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Planner is the planner. Its zero value is ready to use.
type Planner struct{}

var _ planners.Planner = Planner{}

// Name is the planner's name in tasks and plans.
func (Planner) Name() string { return "given" }

// Version changes when the same file would give another plan.
func (Planner) Version() string { return "1" }

// Plan reads the actions from the one document that holds them. Its errors are
// permanent faults that name the file and the place in it.
func (Planner) Plan(ctx context.Context, r planners.Request) (planners.Draft, error) {
	if len(r.Feedback) > 0 {
		return planners.Draft{}, refuse("cannot_revise",
			"an approver asked for a revision, and a plan that was handed in is not revised here: hand in another file and start again")
	}
	document, err := find(r.Documents)
	if err != nil {
		return planners.Draft{}, err
	}
	file, err := read(ctx, document)
	if err != nil {
		return planners.Draft{}, err
	}
	d, err := actions.Read(file.JSON)
	if err != nil {
		return planners.Draft{}, misread(file, err)
	}
	proposed, err := d.Propose(r.Targets, r.Documents)
	if err != nil {
		return planners.Draft{}, misread(file, err)
	}
	if err := check(ctx, r, file, proposed); err != nil {
		return planners.Draft{}, err
	}
	note := "the actions were handed in as " + nameOf(document)
	if !document.Digest.IsZero() {
		note += ", " + document.Digest.String()
	}
	return planners.Draft{Notes: append(slices.Clone(d.Notes), note), Actions: proposed}, nil
}

func refuse(code, format string, args ...any) error {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: plan.Clip(fmt.Sprintf(format, args...), 1000)}
}
