package gitcli

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The oldest Git that this package is tested with.
const (
	oldestMajor = 2
	oldestMinor = 39
)

// The codes of the faults about the program itself.
const (
	codeMissing = "git_missing" // no git program
	codeVersion = "git_version" // a git program that is too old

	codeNotStarted = "git_not_started" // the machine has no room for another process
)

// Find returns the absolute path of a git program that is new enough. The error
// is a Permanent fault.
func Find(ctx context.Context, name string) (string, error) {
	program, err := exec.LookPath(name)
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return "", permanent(codeMissing, "there is no git program %s; install Git %d.%d or later", Quote(name), oldestMajor, oldestMinor)
	}
	out, err := Git{Program: program, Label: "git"}.Line(ctx, nil, "version")
	if err != nil {
		return "", permanent(codeMissing, "the git program %s does not run", Quote(name))
	}
	var major, minor int
	if _, err := fmt.Sscanf(out, "git version %d.%d", &major, &minor); err != nil {
		return "", permanent(codeVersion, "the git program does not tell its version: %s", Quote(out))
	}
	if major < oldestMajor || major == oldestMajor && minor < oldestMinor {
		return "", permanent(codeVersion, "Git %d.%d is too old; install %d.%d or later", major, minor, oldestMajor, oldestMinor)
	}
	return program, nil
}

func permanent(code, format string, args ...any) *faults.Fault {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: fmt.Sprintf(format, args...)}
}

// Quote shows a text that came from outside: on one line, with nothing in it
// that a terminal would hide or obey, and not long.
func Quote(text string) string { return `"` + Clip(plan.Escape(text)) + `"` }
