package activities_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// When the run is to be canceled, an action of which nothing was begun is not tried
// again. One whose outcome nobody knows is, until it is known.
func TestAnActionOfACanceledRunIsTriedAgainOnlyToFindOut(t *testing.T) {
	for name, tt := range map[string]struct {
		met  faults.Class // by the first attempt
		done bool
	}{
		"nothing was begun": {met: faults.Throttled},
		"nobody knows":      {met: faults.Unknown, done: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			asked := 0
			h.acts.RunCanceled = func(context.Context) bool { asked++; return true }
			h.pages.apply = func(ctx context.Context, c tools.Call) (plan.Receipt, error) {
				if h.pages.applied.Load() == 1 {
					return plan.Receipt{}, &faults.Fault{Class: tt.met, Code: "met", Reason: "the first attempt met it"}
				}
				return h.pages.Tool.Apply(ctx, c)
			}
			in := h.action(h.planned(), 0)
			var out workflows.ExecuteActionResult
			err := h.persist(string(workflows.ExecuteAction), in, &out)
			require.Equal(t, 1, asked, "no first attempt asks")
			if tt.done {
				require.NoError(t, err)
				require.Equal(t, workflows.OutcomeDone, out.Outcome)
				require.Len(t, h.keys(), 1)
				return
			}
			require.ErrorContains(t, err, "the run is to be canceled, and no earlier attempt left anything to find out")
			require.Equal(t, int32(1), h.pages.applied.Load())
			require.Empty(t, h.keys())
		})
	}
}
