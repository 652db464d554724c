package gitpages

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
)

const (
	// maxOutput bounds what one git command may answer: a tree, a commit
	// message, or a page that somebody else made large.
	maxOutput = 16 << 20
	// endGrace is what a canceled git gets to remove its lock files.
	endGrace = 3 * time.Second
	// fatalExit is the status with which git gives up.
	fatalExit = 128
)

// errOutput says that git answered more than maxOutput.
var errOutput = errors.New("git answered more than this tool reads")

// git runs the git program on one repository, with nothing of the machine's
// or the user's configuration.
type git struct {
	program string   // absolute path
	gitDir  string   // absolute path
	cwd     string   // the work tree, or gitDir of a bare repository
	label   string   // stands for those paths in error texts
	env     []string // beyond what every command gets
	config  []string // settings beyond those of every command
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
func (g git) environment() []string {
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
	if g.gitDir != "" {
		env = append(env, "GIT_DIR="+g.gitDir)
	}
	return append(env, g.env...)
}

// with returns a git that also sees these variables.
func (g git) with(env ...string) git {
	g.env = append(slices.Clip(g.env), env...)
	return g
}

// run returns what the command writes to its output. The end of ctx ends the
// command: first by SIGTERM, upon which git removes its lock files.
func (g git) run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	stdout := limited{left: maxOutput}
	err := g.into(ctx, &stdout, stdin, args...)
	if stdout.full {
		return nil, errOutput
	}
	if failed, ok := errors.AsType[*gitError](err); ok {
		failed.stdout = stdout.Bytes()
	}
	if err != nil {
		return nil, err
	}
	return stdout.Bytes(), nil
}

// into is run for an output that is read while it is written.
func (g git) into(ctx context.Context, stdout io.Writer, stdin []byte, args ...string) error {
	cmd := exec.CommandContext(ctx, g.program, slices.Concat(settings, g.config, args)...)
	cmd.Dir = g.cwd
	cmd.Env = g.environment()
	cmd.Stdin = bytes.NewReader(stdin)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endGrace
	stderr := limited{left: maxOutput}
	cmd.Stdout, cmd.Stderr = stdout, &stderr

	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("git %s: %w", args[0], ctx.Err())
	case errors.Is(err, os.ErrNotExist) || errors.Is(err, exec.ErrNotFound):
		return transient(codeGitMissing, err, "the git program, or repository %s, is not there any more", g.label)
	default:
		return &gitError{
			command: args[0], exit: cmd.ProcessState.ExitCode(), text: g.reason(stderr.Bytes()), stderr: stderr.String(), cause: err,
		}
	}
}

// line is run for commands that answer with one line.
func (g git) line(ctx context.Context, stdin []byte, args ...string) (string, error) {
	out, err := g.run(ctx, stdin, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// reason picks the line in which git says what is wrong; its advice follows
// on other lines, and what a remote has to say is not git's. The machine's
// paths give way to the repository's name.
func (g git) reason(stderr []byte) string {
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
	for _, path := range []string{g.gitDir, g.cwd} {
		if path != "" {
			chosen = strings.ReplaceAll(chosen, path, g.label)
		}
	}
	return clip(chosen)
}

// gitError is a command that git ended with an error.
type gitError struct {
	command string
	exit    int // -1 when git was killed
	text    string
	cause   error

	// What it wrote, to be read here and shown to nobody.
	stdout []byte
	stderr string
}

func (e *gitError) Error() string {
	if e.exit < 0 {
		return "git " + e.command + " was killed"
	}
	return fmt.Sprintf("git %s: %s", e.command, e.text)
}

func (e *gitError) Unwrap() error { return e.cause }

// refusesWriting reports whether the file system does not let git write: to
// try again cannot help before a person has changed something.
func (e *gitError) refusesWriting() bool {
	for _, words := range []string{"Permission denied", "insufficient permission", "Read-only file system"} {
		if strings.Contains(e.text, words) {
			return true
		}
	}
	return false
}

// exitedWith reports whether err is a git command's exit with that status.
func exitedWith(err error, status int) bool {
	var failed *gitError
	return errors.As(err, &failed) && failed.exit == status
}

// limited keeps what is written to it, up to a limit.
type limited struct {
	bytes.Buffer
	left int
	full bool
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		l.full = true
		return 0, errOutput
	}
	l.left -= len(p)
	return l.Buffer.Write(p)
}
