package toolchain

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// modLine begins the go.mod at the top of the repository, and no other.
const modLine = "module github.com/holdpoint/holdpoint\n"

// Root returns the top folder of the repository that dir lies in.
func Root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && bytes.HasPrefix(mod, []byte(modLine)) {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s: not inside a working copy of holdpoint", dir)
		}
	}
}
