package wire_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/wire"
)

// dyingServer answers the first request on its first connection and keeps it
// open; every other one is read, counted and never answered.
type dyingServer struct {
	address  string
	requests atomic.Int64
}

func newDyingServer(t *testing.T) *dyingServer {
	t.Helper()
	s := &dyingServer{}
	var connections atomic.Int64
	s.address = listen(t, func(conn net.Conn) { s.serve(conn, connections.Add(1) == 1) })
	return s
}

// serve answers one request on the first connection, and none on the others.
func (s *dyingServer) serve(conn net.Conn, first bool) {
	r := bufio.NewReader(conn)
	for answered := !first; ; answered = true {
		request, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		io.Copy(io.Discard, request.Body)
		s.requests.Add(1)
		if answered {
			return
		}
		fmt.Fprint(conn, "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}")
	}
}

// Go's transport sends a request again by itself when its connection, used
// before, dies, and an Idempotency-Key header makes it take a POST for
// repeatable. What is sent is counted; nothing below the caller may do that.
func TestNothingIsResentByTheTransport(t *testing.T) {
	post := func(t *testing.T, address string, over http.RoundTripper) error {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/orders", strings.NewReader("{}"))
		require.NoError(t, err)
		request.Header.Set("Idempotency-Key", "k")
		response, err := over.RoundTrip(request)
		if err == nil {
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
		return err
	}
	t.Run("the trap is real", func(t *testing.T) {
		s := newDyingServer(t)
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		require.NoError(t, post(t, s.address, transport))
		require.Error(t, post(t, s.address, transport))
		require.EqualValues(t, 3, s.requests.Load(), "two calls, three requests")
	})
	t.Run("and closed", func(t *testing.T) {
		s := newDyingServer(t)
		require.NoError(t, post(t, s.address, new(wire.Line).Transport()))
		line := new(wire.Line)
		err := post(t, s.address, line.Transport())
		requireFault(t, line.Failed(s.address, err).Fault(words), faults.Unknown, "answer_cut")
		require.EqualValues(t, 2, s.requests.Load(), "two calls, two requests")
	})
	t.Run("also when one line is used twice", func(t *testing.T) {
		s := newDyingServer(t)
		transport := new(wire.Line).Transport()
		require.NoError(t, post(t, s.address, transport))
		require.Error(t, post(t, s.address, transport))
		require.EqualValues(t, 2, s.requests.Load(), "two calls, two requests")
	})
}

func TestProxiesOfTheEnvironmentAreNotUsed(t *testing.T) {
	require.Nil(t, new(wire.Line).Transport().Proxy)
}

// What HTTP/2 would send again by itself, HTTP/1.1 does not.
func TestOnlyHTTP1IsSpoken(t *testing.T) {
	server, trusted := tlsServer(t)
	response, err := ask(t, &wire.Line{TLS: trusted}, "https://"+server)
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1", response)
	require.Empty(t, trusted.NextProtos, "the line works on a copy")
	require.Empty(t, trusted.ServerName, "the line works on a copy")
}
