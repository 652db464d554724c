package devserver

import (
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOwnsListener(t *testing.T) {
	mine, err := holdPort(t.Context())
	require.NoError(t, err)
	defer mine.Close()
	owned, err := ownsListener(os.Getpid(), portOf(mine))
	require.NoError(t, err)
	require.True(t, owned)

	stranger := exec.Command("sleep", "60")
	require.NoError(t, stranger.Start())
	t.Cleanup(func() { _ = stranger.Process.Kill(); _ = stranger.Wait() })
	owned, err = ownsListener(stranger.Process.Pid, portOf(mine))
	require.NoError(t, err)
	require.False(t, owned, "a process that listens nowhere")
}

// A connection, or a listener on another address, is no listener of ours.
func TestOwnsListenerIgnoresConnections(t *testing.T) {
	listener, err := holdPort(t.Context())
	require.NoError(t, err)
	conn, err := net.Dial("tcp4", listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	accepted, err := listener.Accept()
	require.NoError(t, err)
	defer accepted.Close()
	require.NoError(t, listener.Close())

	owned, err := ownsListener(os.Getpid(), portOf(listener))
	require.NoError(t, err)
	require.False(t, owned)
}
