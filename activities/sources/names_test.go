package sources

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/corpora"
	"github.com/holdpoint/holdpoint/internal/folder"
)

func TestC064_EveryNameIsItsOwnDocument(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("names of any bytes, in two cases and two normal forms, need a file system of Linux")
	}
	root := t.TempDir()
	long := strings.Repeat("文", 80) + ".md" // 243 bytes
	want := map[string]string{}
	for raw, c := range map[string]struct{ path, content string }{
		"README.md":            {"README.md", "upper\n"},
		"readme.md":            {"readme.md", "lower\n"},
		"caf\u00e9.md":         {"caf\u00e9.md", "NFC-FILE\n"},
		"cafe\u0301.md":        {"cafe\u0301.md", "NFD-FILE\n"},
		"caf\xe9.md":           {`caf\xe9.md`, "LATIN1-FILE\n"},
		`caf\xe9.md`:           {`caf\\xe9.md`, "BACKSLASH-FILE\n"},
		"with space & amp;.md": {"with space & amp;.md", "space\n"},
		"-rf.md":               {"-rf.md", "dash\n"},
		"line\nbreak.md":       {"line\nbreak.md", "newline in the name\n"},
		long:                   {long, "long name (240 bytes + ext)\n"},
	} {
		write(t, root, raw, c.content)
		want[c.path] = c.content
	}

	m, contents := collect(t, root)

	require.Equal(t, want, contents)
	require.Empty(t, skipped(m))
	for _, e := range m.Entries {
		raw, err := folder.RawPath(e.Path)
		require.NoError(t, err)
		again, err := os.ReadFile(filepath.Join(root, raw))
		require.NoError(t, err)
		require.Equal(t, contents[e.Path], string(again))
		require.NotContains(t, plan.Escape(e.Path), "\n")
	}

	second, _ := collect(t, root)
	require.Equal(t, m, second)
	stored, err := m.Canonical()
	require.NoError(t, err)
	parsed, err := ParseManifest(stored)
	require.NoError(t, err)
	require.Equal(t, m, parsed)
}

// In the corpora find counts 77, 40 and 51 files, in the samples of them 8, 9
// and 11; one of them has no claimed format.
func TestC064_Corpora(t *testing.T) {
	for name, want := range map[string]struct {
		read, sample int
		skipped      map[string]string
	}{
		"k8s-keps-sig-cli": {76, 7, map[string]string{"keps/sig-cli/OWNERS": "unsupported format (no extension)"}},
		"rocketmq-docs-cn": {40, 9, map[string]string{}},
		"mixed-formats":    {51, 11, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			root, whole := corpora.Folder(t, name)
			if !whole {
				want.read = want.sample
			}
			m, contents := collect(t, root)
			require.Equal(t, want.skipped, skipped(m))
			require.Equal(t, want.read, m.Read)
			require.Len(t, contents, want.read)
			require.Equal(t, countFiles(t, root), m.Read+m.Skipped)

			second, _ := collect(t, root)
			require.Equal(t, m, second)
		})
	}
}
