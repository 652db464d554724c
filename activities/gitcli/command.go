// Package gitcli runs the git program with nothing of the machine's or the
// user's configuration: it asks nobody, runs no hook and no helper that was not
// named, and follows no redirect to another server.
package gitcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
)

const (
	// MaxOutput bounds what one git command may answer: a tree, a commit
	// message, or a page that somebody else made large.
	MaxOutput = 16 << 20
	// endGrace is what a canceled git gets to remove its lock files.
	endGrace = 3 * time.Second
	// FatalExit is the status with which git gives up.
	FatalExit = 128
)

// ErrOutput says that git answered more than MaxOutput.
var ErrOutput = errors.New("git answered more than is read")

// Git runs the git program on one repository.
type Git struct {
	Program string   // absolute path
	GitDir  string   // absolute path; "" for none
	Cwd     string   // the work tree, or GitDir of a bare repository
	Label   string   // stands for those paths in error texts
	Env     []string // beyond what every command gets
	Config  []string // settings beyond those of every command
	// Holds stay open for as long as the command runs, also after the end of this
	// process: a lock on one of them is not lost to a command that still works.
	Holds []*os.File
}

// settings go before every command, where they win over the repository's own
// configuration: nothing is run, translated or composed on the way, and a
// commit survives the loss of power once its ref is set.
var settings = []string{
	"-c", "core.hooksPath=" + os.DevNull,
	"-c", "core.fsmonitor=false",
	"-c", "core.precomposeUnicode=false",
	"-c", "core.quotePath=false",
	"-c", "core.protectHFS=true",
	"-c", "core.protectNTFS=true",
	"-c", "core.fsync=objects,reference",
	"-c", "i18n.commitEncoding=UTF-8",
	"-c", "gc.auto=0",
}

// environment is all that git sees of this process's environment.
func (g Git) environment() []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"TMPDIR=" + os.TempDir(),
		"LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_LITERAL_PATHSPECS=1",
	}
	if g.GitDir != "" {
		env = append(env, "GIT_DIR="+g.GitDir)
	}
	return append(env, g.Env...)
}

// With returns a Git that also sees these variables.
func (g Git) With(env ...string) Git {
	g.Env = append(slices.Clip(g.Env), env...)
	return g
}

// Run returns what the command writes to its output. The end of ctx ends the
// command: first by SIGTERM, upon which git removes its lock files.
func (g Git) Run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	stdout := limited{left: MaxOutput}
	err := g.Into(ctx, &stdout, stdin, args...)
	if stdout.full {
		return nil, ErrOutput
	}
	if failed, ok := errors.AsType[*Error](err); ok {
		failed.Stdout = stdout.Bytes()
	}
	if err != nil {
		return nil, err
	}
	return stdout.Bytes(), nil
}

// Into is Run for an output that is read while it is written. An error of
// stdout ends the command; a panic in it is an error of this call.
func (g Git) Into(ctx context.Context, stdout io.Writer, stdin []byte, args ...string) error {
	cmd := g.command(ctx, args)
	cmd.Stdin = bytes.NewReader(stdin)
	stderr := limited{left: MaxOutput}
	into := caught{to: stdout, command: args[0]}
	cmd.Stdout, cmd.Stderr = &into, &stderr

	err := cmd.Run()
	switch {
	case into.panic != nil:
		return into.panic
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("git %s: %w", args[0], ctx.Err())
	case errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound):
		return &faults.Fault{
			Class: faults.Transient, Code: codeMissing, Cause: err,
			Reason: "the git program, or repository " + g.Label + ", is not there any more",
		}
	case cmd.ProcessState == nil:
		return &faults.Fault{
			Class: faults.Transient, Code: codeNotStarted, Cause: err,
			Reason: "the machine did not let git start" + machineSays(err) + "; it may have too many processes or open files, or too little memory",
		}
	default:
		return &Error{
			Command: args[0], Exit: cmd.ProcessState.ExitCode(), Text: g.reason(stderr.Bytes()), Stderr: stderr.String(), cause: err,
		}
	}
}

func (g Git) command(ctx context.Context, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, g.Program, slices.Concat(settings, g.Config, args)...)
	cmd.Dir = g.Cwd
	cmd.Env = g.environment()
	cmd.ExtraFiles = g.Holds
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endGrace
	return cmd
}

// Line is Run for commands that answer with one line.
func (g Git) Line(ctx context.Context, stdin []byte, args ...string) (string, error) {
	out, err := g.Run(ctx, stdin, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// reason picks the line in which git says what is wrong; its advice follows
// on other lines, and what a remote has to say is not git's. The machine's
// paths give way to the repository's name.
func (g Git) reason(stderr []byte) string {
	chosen := ""
	for line := range strings.SplitSeq(strings.TrimSpace(string(stderr)), "\n") {
		if strings.HasPrefix(line, "remote:") {
			continue
		}
		chosen = line
		if strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: ") {
			break
		}
	}
	for _, path := range []string{g.GitDir, g.Cwd} {
		if path != "" {
			chosen = strings.ReplaceAll(chosen, path, g.Label)
		}
	}
	return Clip(chosen)
}

// Clip bounds a text of git's for an error.
func Clip(text string) string {
	const limit = 200
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// Error is a command that git ended with an error. Its text holds none of the
// machine's paths, and may hold a remote's address: see [Address.Redact].
type Error struct {
	Command string
	Exit    int // -1 when git was killed
	Text    string
	cause   error

	// What it wrote, to be read by programs and shown to nobody.
	Stdout []byte
	Stderr string
}

func (e *Error) Error() string {
	if e.Exit < 0 {
		return "git " + e.Command + " was killed"
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Text)
}

func (e *Error) Unwrap() error { return e.cause }

// machineSays is what the operating system answered, without any path.
func machineSays(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return " (" + errno.Error() + ")"
	}
	return ""
}

// RefusesWriting reports whether the file system does not let git write: to
// try again cannot help before a person has changed something.
func (e *Error) RefusesWriting() bool {
	for _, words := range []string{"Permission denied", "insufficient permission", "Read-only file system"} {
		if strings.Contains(e.Text, words) {
			return true
		}
	}
	return false
}

// ExitedWith reports whether err is a git command's exit with that status.
func ExitedWith(err error, status int) bool {
	failed, ok := errors.AsType[*Error](err)
	return ok && failed.Exit == status
}
