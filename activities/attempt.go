package activities

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.temporal.io/sdk/activity"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// attempt is the number of this attempt, from 1.
func attempt(ctx context.Context) int { return int(activity.GetInfo(ctx).Attempt) }

// bad is how an attempt ends that only another task or configuration can mend.
func bad(code, format string, args ...any) error {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: fmt.Sprintf(format, args...)}
}

// lacks is how an attempt ends that a worker with another configuration can mend.
// In a rolling deploy there is one: so the step waits, and is not failed by the
// first worker that gets it.
func (a *Activities) lacks(code, format string, args ...any) error {
	return &faults.Fault{
		Class: faults.Transient, Code: code, Waits: true,
		Reason: "worker " + a.Effects.Owner + " has " + fmt.Sprintf(format, args...) +
			"; every worker of the task queue needs the same configuration, and the step waits for one that has it. " +
			"If it is the task that is wrong, cancel the run and correct the task",
	}
}

// namesOf lists names, so that whoever mistyped one finds it.
func namesOf[V any](m map[string]V) string {
	if len(m) == 0 {
		return "none"
	}
	return plan.Clip(strings.Join(slices.Sorted(maps.Keys(m)), ", "), maxNames)
}

// maxNames bounds such a list in an error, in bytes.
const maxNames = 300
