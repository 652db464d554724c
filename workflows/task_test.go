package workflows_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

func TestTaskThatCannotRunIsRefusedByField(t *testing.T) {
	for field, spoil := range map[string]func(*workflows.Task){
		"tenant":                       func(t *workflows.Task) { t.Tenant = "../acme" },
		"business_id":                  func(t *workflows.Task) { t.BusinessID = strings.Repeat("k", 1001) },
		"goal":                         func(t *workflows.Task) { t.Goal = strings.Repeat("x", 4001) },
		"requester":                    func(t *workflows.Task) { t.Requester = "Ann Wu" },
		"on_failure":                   func(t *workflows.Task) { t.OnFailure = "ignore" },
		"context: ":                    func(t *workflows.Task) { t.Context = nil },
		"context[0].kind":              func(t *workflows.Task) { t.Context[0].Kind = "ftp" },
		"context[0].upload ":           func(t *workflows.Task) { t.Context[0].Upload = plan.Sum(nil) },
		"context[0].upload is missing": func(t *workflows.Task) { t.Context[0].Kind = "upload" },
		"context[0].root":              func(t *workflows.Task) { t.Context[0].Root = "/etc" },
		"context[0].path":              func(t *workflows.Task) { t.Context[0].Path = "../../etc" },
		"context[0]: at":               func(t *workflows.Task) { t.Context[0].Include = make([]string, 65) },
		"tools: ":                      func(t *workflows.Task) { t.Tools = nil },
		"tools[0].path":                func(t *workflows.Task) { t.Tools[0].Path = ".git/hooks" },
		"tools[0].path ":               func(t *workflows.Task) { t.Tools[0].Path = strings.Repeat("x", 513) },
		"tools[0].tool":                func(t *workflows.Task) { t.Tools[0].Tool = "a b" },
		"tools[0].target":              func(t *workflows.Task) { t.Tools[0].Target = "a b" },
		"semantic_version:":            func(t *workflows.Task) { t.SemanticVersion = " v1" },
	} {
		t.Run(field, func(t *testing.T) {
			in := task().WithDefaults()
			require.NoError(t, in.Validate())
			spoil(&in)
			require.ErrorContains(t, in.Validate(), field)
		})
	}
}

// An upload needs no name, and nothing of other sources' words changes.
func TestSourcesOfATask(t *testing.T) {
	in := task()
	in.Context = []workflows.Source{
		{Root: "notes"}, {Kind: "git", Root: "handbook", Path: "guide/"}, {Kind: "http", Root: "site"},
		{Kind: "upload", Upload: plan.Sum([]byte("x"))}, {Kind: "upload", Root: "mine", Upload: plan.Sum([]byte("y"))},
	}
	in = in.WithDefaults()
	require.NoError(t, in.Validate())
	raw, err := json.Marshal(in.Context)
	require.NoError(t, err)
	// printf x | sha256sum; printf y | sha256sum
	require.JSONEq(t, `[
		{"kind": "dir", "root": "notes"}, {"kind": "git", "root": "handbook", "path": "guide"}, {"kind": "http", "root": "site"},
		{"kind": "upload", "root": "upload", "upload": "sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"},
		{"kind": "upload", "root": "mine", "upload": "sha256:a1fce4363854ff888cff4b8e7875d600c2682390412a8cf79b37d0b11148b0fa"}
	]`, string(raw))
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
