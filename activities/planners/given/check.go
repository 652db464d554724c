package given

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/planfile"
)

// check has the whole plan made of the actions. What only another file can mend
// is a fault of the same code that says where in the file it is; everything else
// is trouble of the tools, and stays as it is.
func check(ctx context.Context, r planners.Request, file *planfile.File, proposed []planners.DraftAction) error {
	if r.Check == nil {
		return nil
	}
	err := r.Check(ctx, proposed)
	if err == nil {
		return nil
	}
	fault := *faults.Name(err)
	if fault.Class != faults.Permanent {
		return err
	}
	p := &actions.Problem{Reason: fault.Reason}
	if about, ok := errors.AsType[*planners.InAction](err); ok {
		i := slices.IndexFunc(proposed, func(d planners.DraftAction) bool { return d.ID == about.ID })
		p = &actions.Problem{At: []string{"actions", fmt.Sprint(i)}, Reason: about.Reason}
	}
	fault.Reason = plan.Clip(fmt.Sprintf("%s: %s", file.Place(p.At...), p), 1000)
	return &fault
}
