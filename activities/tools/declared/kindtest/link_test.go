package kindtest

import (
	"bufio"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// speak opens a connection through a link, reads the greeting, and sends.
func speak(t *testing.T, l *Link, request string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", l.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	lines := bufio.NewReader(conn)
	greeting, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "hello\n", greeting)
	for _, half := range []string{request[:3], request[3:] + "\n"} {
		_, err = io.WriteString(conn, half)
		require.NoError(t, err)
	}
	return conn, lines
}

func TestLinkBreaksOnlyTheAnswer(t *testing.T) {
	const request, answer = "put key-0123456789 1", "done key-0123456789-1\n"
	tests := []struct {
		name    string
		fault   func(*Link, string)
		arrives string
		err     error
	}{
		{"cut", (*Link).CutAnswers, answer[:cutAt], io.EOF},
		{"reset", (*Link).ResetAnswers, "", syscall.ECONNRESET},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := newTarget(t)
			l := NewLink(t, server.address)
			tt.fault(l, "t key") // in both halves of the request
			_, lines := speak(t, l, request)
			got, err := lines.ReadString('\n')
			require.ErrorIs(t, err, tt.err)
			if tt.arrives != "" { // a reset may also take back what had arrived
				require.Equal(t, tt.arrives, got)
			}
			require.Equal(t, 1, server.count(t, "key-0123456789"), "the target got its request")
			require.Equal(t, 1, l.Fired())

			l.Heal()
			_, lines = speak(t, l, request)
			got, err = lines.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, answer, got)
		})
	}
	t.Run("lost", func(t *testing.T) {
		server := newTarget(t)
		l := NewLink(t, server.address)
		l.LoseAnswers("put key")
		conn, lines := speak(t, l, request)
		require.Eventually(t, func() bool { return server.count(t, "key-0123456789") == 1 }, patience, time.Millisecond)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(20*time.Millisecond)))
		_, err := lines.ReadString('\n')
		require.ErrorIs(t, err, os.ErrDeadlineExceeded, "the connection is open, and silent")

		require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
		l.Heal()
		_, err = lines.ReadString('\n')
		require.Error(t, err, "what had begun to fail does not come back")
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	})
	t.Run("another request is whole", func(t *testing.T) {
		l := NewLink(t, newTarget(t).address)
		l.CutAnswers("put other")
		_, lines := speak(t, l, request)
		got, err := lines.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, answer, got)
		require.Zero(t, l.Fired())
	})
}

func TestLinkDownAndUp(t *testing.T) {
	l := NewLink(t, newTarget(t).address)
	_, lines := speak(t, l, "find key")
	_, err := lines.ReadString('\n')
	require.NoError(t, err)
	address := l.Addr()

	l.Down()
	_, err = lines.ReadString('\n')
	require.Error(t, err, "connections end")
	_, err = net.Dial("tcp", address)
	require.ErrorIs(t, err, syscall.ECONNREFUSED)

	l.Up(t)
	require.Equal(t, address, l.Addr())
	_, lines = speak(t, l, "find key")
	got, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "absent\n", got)
}
