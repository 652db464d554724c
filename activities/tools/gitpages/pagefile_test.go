package gitpages

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func openRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	return root
}

func requireOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	require.Equal(t, names, got)
}

func TestFileSavedAtTheLastMomentIsKept(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "page.md")
	require.NoError(t, os.WriteFile(file, []byte("saved just now\n"), 0o600))
	folder := openRoot(t, dir)

	require.ErrorIs(t, addFile(folder, "page.md", []byte("ours\n")), os.ErrExist)
	require.NoError(t, replaceFile(folder, "page.md", []byte("what was there before\n"), []byte("ours\n"), 0o600))

	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "saved just now\n", string(content))
	requireOnly(t, dir, "page.md")
}

func TestFolderThatIsALinkIsNotEntered(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755))
	require.NoError(t, os.Symlink(".git", filepath.Join(dir, "inside")))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, "outside")))
	require.NoError(t, os.Symlink("missing", filepath.Join(dir, "dangling")))
	for _, name := range []string{"inside", "outside", "dangling"} {
		for _, create := range []bool{true, false} {
			_, _, err := openFolder(dir, name+"/page.md", create)
			require.Error(t, err, name)
			_, _, err = openFolder(dir, name+"/deeper/page.md", create)
			require.Error(t, err, name)
		}
	}
	requireOnly(t, filepath.Join(dir, ".git"))
	requireOnly(t, elsewhere)
}

func TestFoldersAreMadeOnlyWhereAPageMayBeNew(t *testing.T) {
	dir := t.TempDir()
	_, _, err := openFolder(dir, "a/b/page.md", false)
	require.ErrorIs(t, err, os.ErrNotExist)
	requireOnly(t, dir)

	folder, name, err := openFolder(dir, "a/b/page.md", true)
	require.NoError(t, err)
	defer folder.Close()
	require.Equal(t, "page.md", name)
	require.NoError(t, addFile(folder, name, []byte("ours\n")))
	requireOnly(t, filepath.Join(dir, "a", "b"), "page.md")
}
