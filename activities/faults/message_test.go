package faults_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// An error may quote a name of any length, and stands in the history.
func TestALongFaultIsCutAtALetter(t *testing.T) {
	message := func(reason string) string {
		err := faults.Temporal(&faults.Fault{Class: faults.Permanent, Code: "bad_plan", Reason: reason}, 1, 0, faults.DefaultRetry())
		app, ok := errors.AsType[*temporal.ApplicationError](err)
		require.True(t, ok)
		return app.Message()
	}
	require.Equal(t, "bad_plan: short", message("short"))
	long := message(strings.Repeat("文", 1<<20))
	require.LessOrEqual(t, len(long), 4<<10+len("…"))
	require.True(t, utf8.ValidString(long))
	require.True(t, strings.HasSuffix(long, "文…"), "and shows that it was")
	require.True(t, strings.HasPrefix(long, "bad_plan: 文"))
}
