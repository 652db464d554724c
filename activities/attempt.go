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

// namesOf lists names, so that whoever mistyped one finds it.
func namesOf[V any](m map[string]V) string {
	if len(m) == 0 {
		return "none"
	}
	return plan.Clip(strings.Join(slices.Sorted(maps.Keys(m)), ", "), maxNames)
}

// maxNames bounds such a list in an error, in bytes.
const maxNames = 300
