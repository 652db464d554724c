package devserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strconv"

	"github.com/holdpoint/holdpoint/internal/toolchain"
)

// ErrNoCLI says that no usable temporal CLI is on the PATH or built yet.
var ErrNoCLI = errors.New("no temporal CLI with a server of at least 1.29 on the PATH, and none built: run `make tools`")

// The oldest embedded server that the workflows were tried with.
const (
	oldestMajor = 1
	oldestMinor = 29
)

// CLIName is the CLI's name, on the PATH and in internal/toolchain.
const CLIName = "temporal"

// FindCLI returns the path of a temporal CLI: one on the PATH whose embedded
// server is at least 1.29, else the one that internal/toolchain pins, which is
// built first if it has to be. What a build takes is said on out before it
// begins: about 3 minutes and 250 MB.
func FindCLI(ctx context.Context, repoRoot string, out io.Writer) (string, error) {
	path, err := LookCLI(ctx, repoRoot)
	if !errors.Is(err, ErrNoCLI) {
		return path, err
	}
	return toolchain.Ensure(ctx, repoRoot, CLIName, out)
}

// LookCLI is FindCLI without the build: ErrNoCLI when one would be needed.
func LookCLI(ctx context.Context, repoRoot string) (string, error) {
	if path, err := exec.LookPath(CLIName); err == nil && recentEnough(ctx, path) {
		return path, nil
	}
	path, err := toolchain.Installed(ctx, repoRoot, CLIName)
	if err != nil {
		return "", err
	}
	if path == "" {
		return "", ErrNoCLI
	}
	return path, nil
}

// recentEnough asks a CLI for its version. One that does not answer as a
// temporal CLI does is passed over like one that is too old.
func recentEnough(ctx context.Context, path string) bool {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return false
	}
	major, minor, err := serverVersion(string(out))
	if err != nil {
		return false
	}
	return major > oldestMajor || major == oldestMajor && minor >= oldestMinor
}

// versionForm is how the CLI tells its embedded server's version:
// "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)".
var versionForm = regexp.MustCompile(`\(Server (\d+)\.(\d+)\.`)

func serverVersion(line string) (major, minor int, err error) {
	found := versionForm.FindStringSubmatch(line)
	if found == nil {
		return 0, 0, fmt.Errorf("no server version in %q", line)
	}
	if major, err = strconv.Atoi(found[1]); err != nil {
		return 0, 0, err
	}
	minor, err = strconv.Atoi(found[2])
	return major, minor, err
}
