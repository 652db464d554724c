package workflows_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"pgregory.net/rapid"

	"github.com/holdpoint/holdpoint/workflows"
)

// A business id in any letters is a workflow ID that every header carries.
func TestC024_RunIDIsShortVisibleASCII(t *testing.T) {
	hashed := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "%~" + hex.EncodeToString(sum[:])
	}
	long := strings.Repeat("k", 300)
	for name, tt := range map[string]struct{ id, want string }{
		"plain":           {"weekly-report-2026-W48", "weekly-report-2026-W48"},
		"one letter":      {"k", "k"},
		"Chinese":         {"周报 W48", "%E5%91%A8%E6%8A%A5%20W48"},
		"a percent sign":  {"%E5", "%25E5"},
		"a line end":      {"a\nb", "a%0Ab"},
		"quotes":          {`a"b\c`, `a"b\c`},
		"reordered":       {"a\u202eb", "a%E2%80%AEb"},
		"200 bytes":       {strings.Repeat("k", 200), strings.Repeat("k", 200)},
		"200 in Chinese":  {strings.Repeat("报", 66) + "ab", strings.Repeat("%E6%8A%A5", 66) + "ab"},
		"201 bytes":       {strings.Repeat("k", 201), strings.Repeat("k", 124) + hashed(strings.Repeat("k", 201))},
		"300 bytes":       {long, strings.Repeat("k", 124) + hashed(long)},
		"300, another":    {long[:299] + "l", strings.Repeat("k", 124) + hashed(long[:299]+"l")},
		"1,000 Chinese":   {strings.Repeat("报", 333), strings.Repeat("%E6%8A%A5", 13) + hashed(strings.Repeat("报", 333))},
		"what looks like": {"k%~" + strings.Repeat("0", 64), "k%25~" + strings.Repeat("0", 64)},
	} {
		t.Run(name, func(t *testing.T) {
			in := task()
			in.BusinessID = tt.id
			require.NoError(t, in.WithDefaults().Validate())
			require.Equal(t, "tenant-a/"+tt.want, in.RunID())
		})
	}
}

// Two business ids are never one run, and all but those that are written whole
// fit into what a SQL store of Temporal takes.
func TestNoTwoBusinessIDsHaveOneRunID(t *testing.T) {
	// Letters that escapes and hashes are made of, so that one could be taken for
	// another, behind beginnings that are often the same.
	letter := rapid.RuneFrom([]rune("k%~0aF2\n周"))
	id := rapid.Custom(func(t *rapid.T) string {
		beginning := strings.Repeat("k", rapid.SampledFrom([]int{0, 150, 196, 197, 198, 199, 200, 300}).Draw(t, "length"))
		return beginning + rapid.StringOfN(letter, 1, 4, -1).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := task(), task()
		a.BusinessID, b.BusinessID = id.Draw(t, "a"), id.Draw(t, "b")
		if rapid.Bool().Draw(t, "one is the other's run id") {
			b.BusinessID = strings.TrimPrefix(a.RunID(), "tenant-a/")
		}
		require.Equal(t, a.BusinessID == b.BusinessID, a.RunID() == b.RunID(), "%q, %q", a.RunID(), b.RunID())
		for _, c := range a.RunID() {
			require.True(t, '!' <= c && c <= '~', "%q", a.RunID())
		}
		require.True(t, utf8.ValidString(a.RunID()))
		require.LessOrEqual(t, len(a.RunID()), 1000)
		if len(a.BusinessID) > 200 {
			a.Tenant = strings.Repeat("t", 64)
			require.LessOrEqual(t, len(a.RunID()), 255)
		}
	})
}

func TestRunOfAnotherIDIsRefused(t *testing.T) {
	for id, says := range map[string]string{
		"tenant-a/other":           `must be that of the task's tenant and business id, of which there is one run: "tenant-a/weekly-2025-w40"`,
		"tenant-a/weekly-2025-w41": "must be that of the task's tenant and business id",
		"tenant-b/weekly-2025-w40": `must begin with the task's tenant: "tenant-a/"`,
	} {
		t.Run(id, func(t *testing.T) {
			w := newWorld(t, actionsNamed("a")...)
			w.env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: id, TaskQueue: "test"})
			w.env.ExecuteWorkflow(workflows.WorkflowType, task(), nil)
			var refused *temporal.ApplicationError
			require.ErrorAs(t, w.env.GetWorkflowError(), &refused)
			require.Equal(t, "bad_task", refused.Type())
			require.True(t, refused.NonRetryable())
			require.ErrorContains(t, refused, says)
			require.Empty(t, w.made)
		})
	}
}

// Runs that wait under another id began before that was refused: they replay,
// and end as they began.
func TestWaitingRunOfAnotherIDGoesOn(t *testing.T) {
	for _, name := range []string{"waiting.json", "completed.json", "waiting-to-send-again.json"} {
		t.Run(name, func(t *testing.T) {
			history := readHistory(t, "testdata/histories/"+name)
			started := history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
			started.WorkflowId += "-by-hand"
			_, err := replayed(history)
			require.NoError(t, err)

			started.WorkflowId = "another/tenant"
			_, err = replayed(history)
			require.Error(t, err, "of another tenant no version let one wait")
		})
	}
}

// So do those that continue such a run as new, with what it carries.
func TestRunOfAnotherIDContinuesAsNew(t *testing.T) {
	of, carried := newWorld(t, actionsNamed("a")...).flooded(time.Minute)
	w := newWorld(t, actionsNamed("a")...)
	w.env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: "tenant-a/by-hand", TaskQueue: "test"})
	w.env.SetStartTime(carried.DecideBy.Add(-30 * time.Minute))
	w.at(time.Minute, func() { w.send("approve", w.hash(0), "bo.lin") })
	w.continues(of, carried)
	require.NoError(t, w.env.GetWorkflowError())
	require.Equal(t, []string{"a"}, w.executed)
}
