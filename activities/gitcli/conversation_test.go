package gitcli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func newGit(t *testing.T) Git {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "git is missing")
		t.Skip("git is missing")
	}
	program, err := Find(t.Context(), "git")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "r.git")
	_, err = Git{Program: program}.Run(t.Context(), nil, "init", "--quiet", "--bare", "--template=", dir)
	require.NoError(t, err)
	return Git{Program: program, GitDir: dir, Cwd: dir, Label: "r"}
}

func TestTalk(t *testing.T) {
	g := newGit(t)
	id, err := g.Line(t.Context(), []byte("hello\n"), "hash-object", "-w", "--stdin")
	require.NoError(t, err)
	c, err := g.Talk(t.Context(), "cat-file", "--batch")
	require.NoError(t, err)
	for range 2 {
		_, err := io.WriteString(c.In, id+"\n")
		require.NoError(t, err)
		answer := make([]byte, len(id+" blob 6\nhello\n\n"))
		_, err = io.ReadFull(c.Out, answer)
		require.NoError(t, err)
		require.Equal(t, id+" blob 6\nhello\n\n", string(answer))
	}
	require.NoError(t, c.Close())
}

// A command whose answer nobody reads to its end is no reason to wait for ever.
func TestTalkIsClosedInTheMiddleOfAnAnswer(t *testing.T) {
	g := newGit(t)
	id, err := g.Line(t.Context(), make([]byte, 4<<20), "hash-object", "-w", "--stdin")
	require.NoError(t, err)
	c, err := g.Talk(t.Context(), "cat-file", "--batch")
	require.NoError(t, err)
	_, err = io.WriteString(c.In, id+"\n")
	require.NoError(t, err)
	_, err = c.Out.ReadByte()
	require.NoError(t, err)
	require.Error(t, c.Close())
}

// A lock lasts for as long as the command works, though the process that
// started it has let go of it, as it does when it is killed.
func TestHoldsLastAsLongAsTheCommand(t *testing.T) {
	g := newGit(t)
	path := filepath.Join(t.TempDir(), "lock")
	held, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, syscall.Flock(int(held.Fd()), syscall.LOCK_EX))
	g.Holds = []*os.File{held}
	c, err := g.Talk(t.Context(), "cat-file", "--batch")
	require.NoError(t, err)
	require.NoError(t, held.Close())

	other, err := os.Open(path)
	require.NoError(t, err)
	defer other.Close()
	require.ErrorIs(t, syscall.Flock(int(other.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
	require.NoError(t, c.Close())
	require.NoError(t, syscall.Flock(int(other.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
}
