package main

import (
	"bufio"
	"io"
	"net"
	"os"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// echo is a target that answers each line with "done: " and the line, and keeps
// the lines.
type echo struct {
	net.Listener

	mu    sync.Mutex
	lines []string
}

func newEcho(t *testing.T) *echo {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	e := &echo{Listener: listener}
	go func() {
		for {
			conn, err := e.Accept()
			if err != nil {
				return
			}
			go e.serve(conn)
		}
	}()
	return e
}

func (e *echo) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		e.mu.Lock()
		e.lines = append(e.lines, line)
		e.mu.Unlock()
		_, _ = io.WriteString(conn, "done: "+line)
	}
}

func (e *echo) has(line string) func() bool {
	return func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return slices.Contains(e.lines, line)
	}
}

// travel opens a road to an echo, and a client on it.
func travel(t *testing.T) (*echo, *road, *net.TCPConn) {
	t.Helper()
	e := newEcho(t)
	r, err := newRoad(t.Context(), "echo", e.Addr().String(), regexp.MustCompile(`WRITE`), 1)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.close()) })
	conn, err := net.Dial("tcp4", r.address())
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	return e, r, conn.(*net.TCPConn)
}

const (
	soon = 20 * time.Second // bounds a hang
	tick = time.Millisecond
)

func TestAnswerToAWriteIsHeldAndThenHeard(t *testing.T) {
	e, r, conn := travel(t)
	in := bufio.NewReader(conn)
	for _, request := range []string{"read run-0001-x\n", "WRITE run-0001-x\n"} {
		_, err := io.WriteString(conn, request[:3])
		require.NoError(t, err)
		_, err = io.WriteString(conn, request[3:])
		require.NoError(t, err)
		if request[0] == 'W' {
			require.Eventually(t, r.passage.holds, soon, tick, "the answer to a write waits")
			require.True(t, e.has(request)(), "and its effect is made")
		}
		answer, err := in.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "done: "+request, answer)
	}
	require.Eventually(t, func() bool { return !r.passage.holds() }, soon, tick)
	require.NoError(t, conn.Close())
	require.Never(t, func() bool { return r.passage.wasUnheard("run-0001-x") }, 100*time.Millisecond, tick, "it was heard")
}

func TestWriterThatIsGoneLeavesItsAnswerUnheard(t *testing.T) {
	e, r, conn := travel(t)
	_, err := io.WriteString(conn, "WRITE run-0002-x\n")
	require.NoError(t, err)
	require.Eventually(t, r.passage.holds, soon, tick)
	require.NoError(t, conn.SetLinger(0))
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { return r.passage.wasUnheard("run-0002-x") }, soon, tick)
	require.True(t, e.has("WRITE run-0002-x\n")())
	require.False(t, r.passage.wasUnheard("run-0001-x"))
}

// A link breaks when an answer is on its way, and not before.
func TestFaultsBreakTheAnswerThatIsHeld(t *testing.T) {
	for name, tt := range map[string]struct {
		fault string
		err   error
		heard string
	}{
		"reset": {fault: resetAnswers, err: syscall.ECONNRESET},
		"cut":   {fault: cutAnswers, err: io.EOF, heard: "done: WRIT"},
	} {
		t.Run(name, func(t *testing.T) {
			e, r, conn := travel(t)
			_, err := io.WriteString(conn, "WRITE run-0003-x\n")
			require.NoError(t, err)
			require.Eventually(t, r.passage.holds, soon, tick)
			require.NoError(t, r.hurt(tt.fault))
			heard, err := bufio.NewReader(conn).ReadString('\n')
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.heard, heard)
			require.True(t, e.has("WRITE run-0003-x\n")())
			r.heal(t.Context())
		})
	}
	t.Run("lost", func(t *testing.T) {
		_, r, conn := travel(t)
		_, err := io.WriteString(conn, "WRITE run-0004-x\n")
		require.NoError(t, err)
		require.Eventually(t, r.passage.holds, soon, tick)
		require.NoError(t, r.hurt(loseAnswers))
		require.Eventually(t, func() bool { return !r.passage.holds() }, soon, tick)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
		heard, err := bufio.NewReader(conn).ReadString('\n')
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Empty(t, heard)
		r.heal(t.Context())
	})
}
