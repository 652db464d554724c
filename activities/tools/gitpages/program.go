package gitpages

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// The oldest Git that this tool is tested with.
const (
	oldestMajor = 2
	oldestMinor = 39
)

// findGit returns the absolute path of a git program that is new enough.
func findGit(ctx context.Context, name string) (string, error) {
	program, err := exec.LookPath(name)
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return "", permanent(codeGitMissing, "there is no git program %s; install Git %d.%d or later", quote(name), oldestMajor, oldestMinor)
	}
	out, err := git{program: program, label: "git"}.line(ctx, nil, "version")
	if err != nil {
		return "", permanent(codeGitMissing, "the git program %s does not run", quote(name))
	}
	var major, minor int
	if _, err := fmt.Sscanf(out, "git version %d.%d", &major, &minor); err != nil {
		return "", permanent(codeGitVersion, "the git program does not tell its version: %s", quote(out))
	}
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return "", permanent(codeGitVersion, "Git %d.%d is too old; install %d.%d or later", major, minor, oldestMajor, oldestMinor)
	}
	return program, nil
}
