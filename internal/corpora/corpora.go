// Package corpora gives tests real documents: the whole folders that lie
// beside the repository, and where these are not, the few of their files that
// it has itself, with their licences. So there is always something real to
// read, on every machine.
package corpora

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/holdpoint/holdpoint/internal/toolchain"
)

// Names lists the corpora: proposals in Markdown with metadata in YAML,
// documentation in Chinese, and a mix of formats.
func Names() []string { return []string{"k8s-keps-sig-cli", "rocketmq-docs-cn", "mixed-formats"} }

// Folder returns the folder of a corpus, and whether it is the whole one.
func Folder(tb testing.TB, name string) (folder string, whole bool) {
	tb.Helper()
	root, err := toolchain.Root(".")
	if err != nil {
		tb.Fatal(err)
	}
	folder = filepath.Join(root, "..", "shared", "corpora", name)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return filepath.Join(root, "internal", "corpora", "testdata", name), false
	}
	return folder, true
}
