// Package objectserver runs an S3-compatible object store inside a program, for
// tests and rehearsals. It listens on the loopback interface only and keeps its
// objects in memory: one that is stopped and started again has the same address
// and the same objects. It takes any keys for valid.
package objectserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/johannesboyne/gofakes3"
)

// stopGrace is how long requests under way may take to end when the server is
// stopped.
const stopGrace = 2 * time.Second

// Options are what a server is launched with.
type Options struct {
	Buckets   []string // those that it has
	Versioned bool     // it keeps the versions of objects
}

// Server is an object store. It is safe for concurrent use.
type Server struct {
	objects *backend
	handler http.Handler

	mu      sync.Mutex
	address string       // host:port; 127.0.0.1:0 before the first start
	running *http.Server // nil while stopped
}

// Launch starts a server on a free port. The caller closes it.
func Launch(ctx context.Context, o Options) (*Server, error) {
	objects, err := newBackend(o)
	if err != nil {
		return nil, err
	}
	s := &Server{objects: objects, address: "127.0.0.1:0"}
	s.handler = headsOfVersions(gofakes3.New(objects, gofakes3.WithIntegrityCheck(true)).Server())
	return s, s.Start(ctx)
}

// headsOfVersions mends that the store answers a HEAD of a version with the
// newest one. A GET is right; net/http leaves out its body.
func headsOfVersions(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead && r.URL.Query().Has("versionId") {
			r = r.Clone(r.Context())
			r.Method = http.MethodGet
		}
		next.ServeHTTP(w, r)
	})
}

// Start starts a stopped server again, at the address that it had. A server
// that runs is left alone.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", s.address)
	if err != nil {
		return err
	}
	s.address = listener.Addr().String()
	s.running = &http.Server{Handler: s.handler, ReadHeaderTimeout: time.Minute}
	go s.running.Serve(listener) //nolint:errcheck // it ends when the server is stopped
	return nil
}

// Stop ends the server; requests under way may still end. Its objects stay.
func (s *Server) Stop() error {
	return s.end(func(running *http.Server) error {
		ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
		defer cancel()
		if err := running.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return running.Close()
	})
}

// Kill ends the server and all its connections at once. Its objects stay.
func (s *Server) Kill() error { return s.end((*http.Server).Close) }

// Close is Kill.
func (s *Server) Close() error { return s.Kill() }

func (s *Server) end(how func(*http.Server) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return nil
	}
	err := how(s.running)
	s.running = nil
	return err
}

// Address is host:port. It stays the same over restarts.
func (s *Server) Address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.address
}

// URL is the address as clients take it.
func (s *Server) URL() string { return "http://" + s.Address() }

// Writes says how many writes the store has made that carried this text in the
// user metadata of that name (x-amz-meta-…, in lower case), whatever became of
// the objects since. A write that it refused is none.
func (s *Server) Writes(name, text string) int { return s.objects.count(name, text) }
