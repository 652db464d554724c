package pgtest

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// ErrNoPostgreSQL says that this machine has no PostgreSQL server programs.
var ErrNoPostgreSQL = errors.New("no initdb and postgres in PATH or in /usr/lib/postgresql/*/bin")

// look returns the folder that has initdb and postgres. Debian keeps the
// server's programs out of PATH, one folder a major version.
func look() (string, error) {
	if initdb, err := exec.LookPath("initdb"); err == nil && hasServer(filepath.Dir(initdb)) {
		return filepath.Dir(initdb), nil
	}
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	slices.SortFunc(folders, func(a, b string) int { return major(b) - major(a) })
	if i := slices.IndexFunc(folders, hasServer); i >= 0 {
		return folders[i], nil
	}
	return "", ErrNoPostgreSQL
}

func hasServer(folder string) bool {
	for _, program := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(folder, program)); err != nil {
			return false
		}
	}
	return true
}

// major is the version in /usr/lib/postgresql/15/bin; 0 when it is none.
func major(folder string) int {
	version, err := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
	if err != nil {
		return 0
	}
	return version
}
