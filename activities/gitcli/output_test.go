package gitcli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// The answer is copied in a goroutine that nobody guards: a panic there would
// end the process.
func TestAPanicOfTheReaderIsAnErrorOfTheCall(t *testing.T) {
	g := newGit(t)
	calls := 0
	err := g.Into(t.Context(), writerFunc(func(p []byte) (int, error) {
		calls++
		return int(p[len(p)+calls]), nil // the panic: an index out of range
	}), nil, "version")
	fault, ok := errors.AsType[*faults.Fault](err)
	require.True(t, ok, err)
	require.Equal(t, faults.CodePanic, fault.Code)
	require.Equal(t, "panic in reading what git version answered; see the worker's log", fault.Reason)
	require.ErrorContains(t, fault.Cause, "index out of range")
	require.ErrorContains(t, fault.Cause, "output_test.go", "where it happened")
	require.Equal(t, 1, calls)
}

func TestAnErrorOfTheReaderEndsTheCommand(t *testing.T) {
	g := newGit(t)
	id, err := g.Line(t.Context(), make([]byte, 4<<20), "hash-object", "-w", "--stdin")
	require.NoError(t, err)
	require.Error(t, g.Into(t.Context(), writerFunc(func([]byte) (int, error) { return 0, io.ErrShortWrite }), nil, "cat-file", "blob", id))
}

// A machine that has no room for another process says nothing about git or the
// repository.
func TestAGitThatDoesNotStart(t *testing.T) {
	program := filepath.Join(t.TempDir(), "git")
	require.NoError(t, os.WriteFile(program, nil, 0o600)) // execve(2) answers as it does for too many processes: there is none
	_, err := Git{Program: program}.Run(t.Context(), nil, "version")
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.ErrorContains(t, err, "git_not_started: the machine did not let git start (permission denied)")
	require.ErrorIs(t, err, syscall.EACCES)

	_, err = Git{Program: filepath.Join(t.TempDir(), "git")}.Run(t.Context(), nil, "version")
	require.ErrorContains(t, err, codeMissing)
}

func TestMachineTrouble(t *testing.T) {
	for stderr, words := range map[string]string{
		"fatal: write error: No space left on device\nfatal: fetch-pack: invalid index-pack output\n":         "No space left on device",
		"error: cannot create standard output pipe for git-upload-pack '/r': Too many open files\nfatal: x\n": "Too many open files",
		"fatal: Out of memory, malloc failed (tried to allocate 9 bytes)\n":                                   "Out of memory",
		"error: unable to create '/c/shallow.lock': Permission denied\n":                                      "Permission denied",
		"mei@git.example.com: Permission denied (publickey).\n":                                               "",
		"remote: fatal: write error: No space left on device\nfatal: the remote end hung up\n":                "",
		"fatal: couldn't find remote ref x\n":                                                                 "",
	} {
		got, ok := (&Error{Stderr: stderr}).MachineTrouble()
		require.Equal(t, words, got, stderr)
		require.Equal(t, words != "", ok, stderr)
	}
}
