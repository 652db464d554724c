package workflows_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

func TestTaskThatCannotRunIsRefusedByField(t *testing.T) {
	for field, spoil := range map[string]func(*workflows.Task){
		"tenant":            func(t *workflows.Task) { t.Tenant = "../acme" },
		"business_id":       func(t *workflows.Task) { t.BusinessID = "a\nb" },
		"goal":              func(t *workflows.Task) { t.Goal = strings.Repeat("x", 4001) },
		"requester":         func(t *workflows.Task) { t.Requester = "Ann Wu" },
		"on_failure":        func(t *workflows.Task) { t.OnFailure = "ignore" },
		"context: ":         func(t *workflows.Task) { t.Context = nil },
		"context[0].kind":   func(t *workflows.Task) { t.Context[0].Kind = "ftp" },
		"context[0].root":   func(t *workflows.Task) { t.Context[0].Root = "/etc" },
		"context[0].path":   func(t *workflows.Task) { t.Context[0].Path = "../../etc" },
		"context[0]: at":    func(t *workflows.Task) { t.Context[0].Include = make([]string, 65) },
		"tools: ":           func(t *workflows.Task) { t.Tools = nil },
		"tools[0].path":     func(t *workflows.Task) { t.Tools[0].Path = ".git/hooks" },
		"tools[0].path ":    func(t *workflows.Task) { t.Tools[0].Path = strings.Repeat("x", 513) },
		"tools[0].tool":     func(t *workflows.Task) { t.Tools[0].Tool = "a b" },
		"tools[0].target":   func(t *workflows.Task) { t.Tools[0].Target = "a b" },
		"semantic_version:": func(t *workflows.Task) { t.SemanticVersion = " v1" },
	} {
		t.Run(field, func(t *testing.T) {
			in := task().WithDefaults()
			require.NoError(t, in.Validate())
			spoil(&in)
			require.ErrorContains(t, in.Validate(), field)
		})
	}
}

// A business id in any letters is a workflow ID that every header carries, and
// two ids are never one.
func TestRunIDIsASCII(t *testing.T) {
	in := task()
	in.BusinessID = "周报 W48"
	require.Equal(t, "tenant-a/%E5%91%A8%E6%8A%A5%20W48", in.RunID())
	in.BusinessID = "%E5"
	require.Equal(t, "tenant-a/%25E5", in.RunID())
	in.BusinessID = "weekly-report-2026-W48"
	require.Equal(t, "tenant-a/weekly-report-2026-W48", in.RunID())
}

// A target and what lies below it may be written as one.
func TestTargetMayNameWhatLiesBelowIt(t *testing.T) {
	for _, tc := range []struct{ target, path, wantTarget, wantPath string }{
		{"shop", "", "shop", ""},
		{"shop", "orders", "shop", "orders"},
		{"shop/orders", "", "shop", "orders"},
		{"shop/orders/", "", "shop", "orders"},
		{"shop/", "", "shop", ""},
		{"shop/orders", "2026/", "shop", "orders/2026"},
		{"kb/weekly/w48.md", "", "kb", "weekly/w48.md"},
	} {
		in := task()
		in.Tools = []workflows.ToolUse{{Tool: "open_order", Target: tc.target, Path: tc.path}}
		in = in.WithDefaults()
		require.NoError(t, in.Validate(), tc.target)
		require.Equal(t, []workflows.ToolUse{{Tool: "open_order", Target: tc.wantTarget, Path: tc.wantPath}}, in.Tools)
		require.Equal(t, in, in.WithDefaults(), "it is said once and for all")
	}
	for _, target := range []string{"", "/", "/shop", "shop//orders", "shop/../etc", "shop/.git", "../shop"} {
		in := task()
		in.Tools = []workflows.ToolUse{{Tool: "open_order", Target: target}}
		require.ErrorContains(t, in.WithDefaults().Validate(), "tools[0].", target)
	}
}
