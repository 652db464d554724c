// Package natsserver runs a real NATS server with JetStream inside a program,
// for tests and rehearsals. It listens on the loopback interface only, keeps
// its streams in a temporary folder, and can be stopped and started again on
// the same port with the same streams, as a broker that restarts.
package natsserver

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// readyTimeout bounds a start. Streams are recovered within it.
const readyTimeout = 30 * time.Second

// Options are what a server is launched with. The zero value has no
// authentication and no TLS.
type Options struct {
	// Configure may change the server's own options before each start, such as
	// its users. Address, folder and JetStream are set after it.
	Configure func(*server.Options)
}

// Server is a NATS server with JetStream. It is safe for concurrent use.
type Server struct {
	options Options
	folder  string

	mu      sync.Mutex
	port    int            // 0 before the first start
	running *server.Server // nil while stopped
}

// Launch starts a server on a free port. The caller closes it.
func Launch(o Options) (*Server, error) {
	folder, err := os.MkdirTemp("", "natsserver-")
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, folder: folder}
	if err := s.Start(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Start starts a stopped server again, on the port that it had. A server that
// runs is left alone.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return nil
	}
	o := &server.Options{}
	if s.options.Configure != nil {
		s.options.Configure(o)
	}
	o.Host, o.Port = "127.0.0.1", s.port
	if s.port == 0 {
		o.Port = server.RANDOM_PORT
	}
	o.JetStream, o.StoreDir = true, s.folder
	o.NoSigs, o.NoLog = true, true
	started, err := server.NewServer(o)
	if err != nil {
		return fmt.Errorf("nats server: %w", err)
	}
	started.Start()
	if !started.ReadyForConnections(readyTimeout) {
		started.Shutdown()
		started.WaitForShutdown()
		return errors.New("nats server: not ready in time")
	}
	address, ok := started.Addr().(*net.TCPAddr)
	if !ok {
		return errors.New("nats server: it does not listen on TCP")
	}
	s.running, s.port = started, address.Port
	return nil
}

// Stop ends the server and all its connections. Its streams stay.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return
	}
	s.running.Shutdown()
	s.running.WaitForShutdown()
	s.running = nil
}

// Close ends the server and removes its streams.
func (s *Server) Close() error {
	s.Stop()
	return os.RemoveAll(s.folder)
}

// Address is host:port. It stays the same over restarts.
func (s *Server) Address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port))
}

// URL is the address as clients take it.
func (s *Server) URL() string { return "nats://" + s.Address() }
