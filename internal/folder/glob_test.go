package folder

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		pattern string
		matches []string
		not     []string
	}{
		{"*.md", []string{"a.md", ".md", "支付.md"}, []string{"x/a.md", "a.txt", "a.md.bak", "A.MD"}},
		{"**/*.md", []string{"a.md", "x/a.md", "x/y/z/a.md"}, []string{"a.txt", "x/amd"}},
		{"docs/**/*.md", []string{"docs/a.md", "docs/x/y/a.md"}, []string{"a.md", "other/docs/a.md"}},
		{"drafts", []string{"drafts", "drafts/a.md", "drafts/x/a.md"}, []string{"x/drafts/a.md", "draftsman"}},
		{"drafts/", []string{"drafts/a.md"}, []string{"draft/a.md"}},
		{"drafts/**", []string{"drafts/a.md", "drafts/x/a.md"}, []string{"x/drafts/a.md"}},
		{"**/drafts", []string{"drafts/a.md", "x/drafts/a.md"}, []string{"x/drafts2/a.md"}},
		{"**", []string{"a", "x/y"}, nil},
		{"a/**/b/**/c", []string{"a/b/c", "a/x/b/y/z/c", "a/b/b/c/d"}, []string{"a/b", "a/c/b"}},
		{"?.md", []string{"a.md", "文.md"}, []string{"ab.md", ".md", "文文.md"}},
		{"*?.md", []string{"文.md", "a文.md"}, []string{".md"}},
		{"*??", []string{"文文"}, []string{"文", "a"}},
		{"a*b*c", []string{"abc", "axxbyyc", "abbc"}, []string{"abcd", "acb"}},
		{"[draft].md", nil, nil},
	} {
		globs, err := ParseGlobs([]string{c.pattern})
		if c.matches == nil {
			require.Error(t, err, c.pattern)
			continue
		}
		require.NoError(t, err, c.pattern)
		for _, path := range c.matches {
			require.True(t, globs.Match(path), "%q should match %q", c.pattern, path)
		}
		for _, path := range c.not {
			require.False(t, globs.Match(path), "%q should not match %q", c.pattern, path)
		}
	}
}

func TestGlobs_AnyOfSeveral(t *testing.T) {
	globs, err := ParseGlobs([]string{"*.md", "*.txt"})
	require.NoError(t, err)
	require.True(t, globs.Match("a.md"))
	require.True(t, globs.Match("a.txt"))
	require.False(t, globs.Match("a.csv"))
	require.False(t, Globs(nil).Match("a.md"))
}

func TestParseGlobs_RefusesWhatWouldQuietlyMatchNothing(t *testing.T) {
	for _, p := range []string{"", "/", "/abs/*.md", "*.{md,txt}", "[a-z].md", `a\*`, "a//b", "../*", "./a", "a**b", "**.md", strings.Repeat("x", 513)} {
		_, err := ParseGlobs([]string{p})
		require.Error(t, err, "%q", p)
	}
}

// A pattern of stars only and a name that never matches takes exponential time
// in a matcher that tries every split.
func TestGlobs_StayFastOnHostilePatterns(t *testing.T) {
	globs, err := ParseGlobs([]string{strings.Repeat("*a", 200) + "b", strings.TrimSuffix(strings.Repeat("**/a/", 80), "/") + "/b"})
	require.NoError(t, err)
	require.False(t, globs.Match(strings.Repeat("a", 4000)))
	require.False(t, globs.Match(strings.TrimSuffix(strings.Repeat("a/", 2000), "/")))
}
