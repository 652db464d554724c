package gitpages

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What checkPath lets through has one meaning everywhere: made of the pieces
// that tricks are made of, it is local, clean, and never names Git's folder.
func TestAcceptedPathsHaveOneMeaning(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"a", "Notes", "周报", "/", "//", ".", "..", "../", "/..", ".git", ".GIT", "git~1", "-", " ", `\`, "%2e", "%2E", "%", ":",
		"\x00", "\n", "\u200b", "\u202e", "\u0301", "\ufe0f", ".md", ".md/", "~", "C:",
	})
	rapid.Check(t, func(t *rapid.T) {
		page := strings.Join(rapid.SliceOfN(pieces, 1, 8).Draw(t, "pieces"), "")
		if rapid.Bool().Draw(t, "ending") {
			page += ".md"
		}
		if checkPath(page) != nil {
			return
		}
		require.True(t, filepath.IsLocal(page))
		require.Equal(t, page, path.Clean(page))
		require.Equal(t, ".md", path.Ext(page))
		for segment := range strings.SplitSeq(page, "/") {
			require.False(t, strings.EqualFold(segment, ".git"))
			require.NotContains(t, []string{"", ".", ".."}, segment)
		}
		require.NotContains(t, page, "\x00")
		require.NotContains(t, page, "\u202e")
	})
}
