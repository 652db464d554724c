package gitpages

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestPreview(t *testing.T) {
	there := place{mode: modeFile, blob: "x"}
	tests := []struct {
		name        string
		before      place
		old, wanted string
		want        string
	}{
		{"new", place{}, "", "a\nb\n", "--- /dev/null\n+++ b/p.md\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"new, one line", place{}, "", "a\n", "--- /dev/null\n+++ b/p.md\n@@ -0,0 +1,1 @@\n+a\n"},
		{"from empty", there, "", "a\n", "--- a/p.md\n+++ b/p.md\n@@ -0,0 +1,1 @@\n+a\n"},
		{"changed", there, "a\nb\nc\n", "a\nB\nc\n", "--- a/p.md\n+++ b/p.md\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{
			"no line end before", there, "a", "a\n",
			"--- a/p.md\n+++ b/p.md\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n",
		},
		{"bytes of another encoding", there, "caf\xe9\n", "caf\u00e9\n", "--- a/p.md\n+++ b/p.md\n@@ -1,1 +1,1 @@\n-caf\uFFFD\n+caf\u00e9\n"},
		{"the same", there, "a\n", "a\n", "no change: p.md already has this content\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := preview("p.md", tt.before, []byte(tt.old), []byte(tt.wanted))
			require.Equal(t, tt.want, got)
			require.True(t, utf8.ValidString(got))
		})
	}
}

func TestPreviewShowsFarChangesInHunks(t *testing.T) {
	var old, wanted []string
	for i := range 40 {
		line := "line " + strings.Repeat("x", i)
		old, wanted = append(old, line), append(wanted, line)
	}
	wanted[1], wanted[38] = "first", "second"
	got := preview("p.md", place{blob: "x"}, []byte(strings.Join(old, "\n")+"\n"), []byte(strings.Join(wanted, "\n")+"\n"))
	require.Equal(t, 2, strings.Count(got, "\n@@ "))
	require.Contains(t, got, "\n@@ -1,5 +1,5 @@\n")
	require.Contains(t, got, "\n@@ -36,5 +36,5 @@\n")
}
