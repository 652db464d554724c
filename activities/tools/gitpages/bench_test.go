package gitpages_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

// BenchmarkApply is one page after another on one repository.
func BenchmarkApply(b *testing.B) {
	tool, err := gitpages.New(b.Context(), []gitpages.Repo{{Name: "kb", Path: b.TempDir()}}, gitpages.Options{})
	require.NoError(b, err)
	n := 0
	for b.Loop() {
		n++
		prepared, err := tool.Prepare(b.Context(), tools.Proposal{
			AllowedTarget: "kb",
			Parameters:    fmt.Appendf(nil, `{"page":"topics/%d.md","content":"text\n","title":"t"}`, n),
		})
		require.NoError(b, err)
		_, err = tool.Apply(b.Context(), approved(prepared, "v1"))
		require.NoError(b, err)
	}
}
