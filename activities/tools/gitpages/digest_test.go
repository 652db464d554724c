package gitpages_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestDigestIsOfWhereARepositorysPagesGo(t *testing.T) {
	digest := func(change func(*gitpages.Repo)) plan.Digest {
		repo := gitpages.Repo{Name: "kb", Path: filepath.Join(t.TempDir(), "kb"), Place: "kb"}
		if change != nil {
			change(&repo)
		}
		beside := gitpages.Repo{Name: "wiki", Path: filepath.Join(t.TempDir(), "wiki")}
		tool, err := gitpages.New(t.Context(), []gitpages.Repo{repo, beside}, gitpages.Options{})
		require.NoError(t, err)
		d := tools.DigestOf(tool, "kb/weekly/w48.md")
		require.NotZero(t, d)
		require.Equal(t, d, tools.DigestOf(tool, "kb/index.md"), "of the repository, not of the page")
		require.NotEqual(t, d, tools.DigestOf(tool, "wiki/index.md"))
		return d
	}
	first := digest(nil)
	require.Equal(t, first, digest(nil), "the same on every machine")
	require.Equal(t, first, digest(func(r *gitpages.Repo) { r.Branch = "main" }), "which is the default")
	seen := map[plan.Digest]bool{first: true}
	for name, change := range map[string]func(*gitpages.Repo){
		"branch":           func(r *gitpages.Repo) { r.Branch = "trunk" },
		"path":             func(r *gitpages.Repo) { r.Place = "other" },
		"path, as written": func(r *gitpages.Repo) { r.Place = "" },
	} {
		d := digest(change)
		require.False(t, seen[d], name)
		seen[d] = true
	}
}

func TestDigestOfARepositoryThatIsGone(t *testing.T) {
	tool, err := gitpages.New(t.Context(), nil, gitpages.Options{})
	require.NoError(t, err)
	require.Zero(t, tools.DigestOf(tool, "kb/index.md"))
}
