package regularfile_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/regularfile"
)

func TestReadIsTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(file, []byte("text"), 0o600))
	link := file + "-link"
	require.NoError(t, os.Symlink(file, link))
	for _, path := range []string{file, link} {
		data, err := regularfile.Read(path)
		require.NoError(t, err)
		require.Equal(t, "text", string(data))
	}
	_, err := regularfile.Read(file + "-absent")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, file+"-absent")
}

// Nobody writes to the pipe: a reader that opened it would wait for ever.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // the name of a socket may not be long
	require.NoError(t, syscall.Mkfifo("pipe", 0o600))
	require.NoError(t, os.Symlink("pipe", "link"))
	socket, err := net.Listen("unix", "socket")
	require.NoError(t, err)
	defer socket.Close()
	for path, want := range map[string]string{
		"pipe":      "pipe is a pipe, and only a file is read here: write what it gives into a file, and name that",
		"link":      "link is a pipe, and",
		"socket":    "socket is a socket, and",
		"/dev/zero": "/dev/zero is a device, and",
		dir:         dir + " is a folder, and only a file is read here: name a file in it",
	} {
		_, err := regularfile.Open(path)
		require.ErrorContains(t, err, want)
		_, err = regularfile.Read(path)
		require.ErrorContains(t, err, want)
	}
}
