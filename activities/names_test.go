package activities

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

func TestNextVersion(t *testing.T) {
	for version, next := range map[string]string{
		"v1": "v2", "v9": "v10", "v99": "v100",
		"release": "release-2", "release-2": "release-3", "release-9": "release-10",
		"2026-W48":   "2026-W48-2", // no number behind the dash
		"2026-11-24": "2026-11-25", // a number is a number; what counts is that it is another version
		"v01":        "v01-2", "v0": "v0-2", "v": "v-2", "v-1": "v-2", "v+1": "v+1-2", "v1.2": "v1.2-2", "v1-2": "v1-3",
		"V1": "V1-2", "-": "--2", "-1": "-2", "版本": "版本-2", "v１": "v１-2",
		"v999999999":                "v1000000000",
		"v9223372036854775807":      "v9223372036854775807-2", // not beyond what can be counted
		"r-99999999999999999999999": "r-99999999999999999999999-2",
	} {
		require.Equal(t, next, nextVersion(version), version)
		require.NotEqual(t, version, nextVersion(version))
	}
}

// Versions never come round to one that was used.
func TestNextVersionNeverRepeats(t *testing.T) {
	for _, first := range []string{"v1", "v0", "release", "v", "-", "a-b", "2026-W48"} {
		seen := map[string]bool{}
		version := first
		for range maxVersions {
			require.False(t, seen[version], "%s comes back to %s", first, version)
			seen[version] = true
			version = nextVersion(version)
		}
	}
}

func TestAllowedTargets(t *testing.T) {
	for _, tc := range []struct {
		tool, target, path string // what the task allows
		asked, at          string
		ok                 bool
	}{
		{"gitpages", "kb", "", "gitpages", "kb/index.md", true},
		{"gitpages", "kb", "", "gitpages", "kb2/index.md", false},
		{"gitpages", "kb", "", "gitpages", "kb", true},
		{"gitpages", "kb", "", "gitpages", "k", false},
		{"gitpages", "kb", "", "gitpages", "", false},
		{"gitpages", "kb", "", "http", "kb/index.md", false},
		{"gitpages", "kb", "sub", "gitpages", "kb/sub/x.md", true},
		{"gitpages", "kb", "sub", "gitpages", "kb/sub/deep/x.md", true},
		{"gitpages", "kb", "sub", "gitpages", "kb/subx/x.md", false},
		{"gitpages", "kb", "sub", "gitpages", "kb/x.md", false},
		{"gitpages", "kb", "sub", "gitpages", "kb/sub.md", false},
		{"gitpages", "kb", "sub", "gitpages", "kb/SUB/x.md", false},
		{"gitpages", "kb", "weekly/x.md", "gitpages", "kb/weekly/x.md", true},
		{"gitpages", "kb", "weekly/x.md", "gitpages", "kb/weekly/y.md", false},
		{"gitpages", "kb", "weekly/x.md", "gitpages", "kb/weekly/x.mdx", false},
		{"gitpages", "kb", "weekly/x.md", "gitpages", "kb/weekly", false},
	} {
		task := workflows.Task{Tools: []workflows.ToolUse{{Tool: tc.tool, Target: tc.target, Path: tc.path}}}
		_, ok := allowed(task, tc.asked, tc.at)
		require.Equal(t, tc.ok, ok, "%+v", tc)
	}
	_, ok := allowed(workflows.Task{}, "gitpages", "kb/index.md")
	require.False(t, ok, "nothing is allowed by default")
	two := workflows.Task{Tools: []workflows.ToolUse{{Tool: "gitpages", Target: "kb"}, {Tool: "http", Target: "tickets"}}}
	_, ok = allowed(two, "http", "tickets/1")
	require.True(t, ok)
	_, ok = allowed(two, "http", "kb/1")
	require.False(t, ok, "a target of one tool is none of another")
}

// What the task names, and what the planner has chosen within it.
func TestPlaceByWhichATargetIsAllowed(t *testing.T) {
	task := workflows.Task{Tools: []workflows.ToolUse{
		{Tool: "gitpages", Target: "kb"}, {Tool: "gitpages", Target: "kb", Path: "weekly"}, {Tool: "gitpages", Target: "kb", Path: "index.md"},
	}}
	for target, want := range map[string]string{
		"kb/index.md": "kb/index.md", "kb/weekly/x.md": "kb/weekly", "kb/other/x.md": "kb",
	} {
		within, ok := allowed(task, "gitpages", target)
		require.True(t, ok, target)
		require.Equal(t, want, within, target)
	}
}
