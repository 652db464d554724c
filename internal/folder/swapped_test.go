package folder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A folder is listed, and before it is entered another stands in its place.
func TestC062_FolderThatWasSwappedIsNotEntered(t *testing.T) {
	for name, swap := range map[string]func(t *testing.T, at string){
		"a link to another within the root": func(t *testing.T, at string) { require.NoError(t, os.Symlink("other", at)) },
		"another folder":                    func(t *testing.T, at string) { require.NoError(t, os.Mkdir(at, 0o755)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			for _, folder := range []string{"listed", "other"} {
				require.NoError(t, os.Mkdir(filepath.Join(path, folder), 0o755))
			}
			root, err := os.OpenRoot(path)
			require.NoError(t, err)
			defer root.Close()
			info, err := root.Lstat("listed")
			require.NoError(t, err)
			same, err := openFolder(root, "listed", info)
			require.NoError(t, err)
			require.NoError(t, same.Close())

			require.NoError(t, os.Rename(filepath.Join(path, "listed"), filepath.Join(path, "aside")))
			swap(t, filepath.Join(path, "listed"))
			_, err = openFolder(root, "listed", info)
			require.ErrorIs(t, err, errSwapped)
		})
	}
}
