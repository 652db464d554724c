package outline

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden pages anew; read them before committing")

// The golden pages are what a reader of the example gets. They are read and
// judged by people, not only compared.
func TestGoldenPagesOfTheExample(t *testing.T) {
	dir := filepath.Join("testdata", "golden")
	written := pages(t, request(example(t)))
	if *update {
		require.NoError(t, os.RemoveAll(dir))
		for name, p := range written {
			path := filepath.Join(dir, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(p.Content), 0o644))
		}
	}
	golden := 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		golden++
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, strings.Split(string(want), "\n"), strings.Split(written[filepath.ToSlash(name)].Content, "\n"), name)
		return nil
	}))
	require.Equal(t, len(written), golden)
}
