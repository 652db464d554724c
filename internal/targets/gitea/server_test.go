package gitea_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/targets/gitea"
)

func TestAServerCountsIssuesByTheirText(t *testing.T) {
	server := gitea.Start(t, gitea.Options{PageSize: 2})
	require.NoError(t, server.CreateRepository(t.Context(), "ops"))
	marked, err := server.CreateIssue(t.Context(), "ops", "disk full", "on db-3 (k1)")
	require.NoError(t, err)
	require.Equal(t, int64(1), marked.Number)
	// More than one page of them.
	for i := range 3 {
		_, err := server.CreateIssue(t.Context(), "ops", fmt.Sprint("other ", i), "(k2)")
		require.NoError(t, err)
	}

	found, err := server.Issues(t.Context(), "ops", "k1")
	require.NoError(t, err)
	require.Equal(t, []gitea.Issue{{Number: 1, Title: "disk full", Body: "on db-3 (k1)"}}, found)
	found, err = server.Issues(t.Context(), "ops", "k2")
	require.NoError(t, err)
	require.Len(t, found, 3)
	found, err = server.Issues(t.Context(), "ops", "k3")
	require.NoError(t, err)
	require.Empty(t, found)

	_, err = server.Issues(t.Context(), "elsewhere", "k1")
	require.ErrorContains(t, err, "404")
}
