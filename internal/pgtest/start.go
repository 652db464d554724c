package pgtest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
)

// Start starts a cluster for one test and ends it with the test.
func Start(tb testing.TB) *Server {
	tb.Helper()
	return StartWith(tb, Options{})
}

// StartWith is Start with options. It skips the test where PostgreSQL is
// missing, or fails it when the environment says CI=true: there a skipped test
// would hide that something was not tested.
func StartWith(tb testing.TB, options Options) *Server {
	tb.Helper()
	s, err := Launch(tb.Context(), options)
	require(tb, err)
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("PostgreSQL's log:\n%s", s.Log())
		}
		if err := s.Close(); err != nil {
			tb.Errorf("end the PostgreSQL cluster: %v", err)
		}
	})
	return s
}

// NewDatabase makes a fresh, empty database for a test and returns its URL.
// It goes with the cluster.
func (s *Server) NewDatabase(tb testing.TB) string {
	tb.Helper()
	address, err := s.CreateDatabase(tb.Context())
	if err != nil {
		tb.Fatalf("make a database: %v", err)
	}
	return address
}

// require lets a test go on only with a server.
func require(tb testing.TB, err error) {
	tb.Helper()
	switch {
	case err == nil:
	case errors.Is(err, ErrNoPostgreSQL) && os.Getenv("CI") != "true":
		tb.Skipf("PostgreSQL missing: %v", err)
	default:
		tb.Fatalf("start a PostgreSQL cluster: %v", err)
	}
}

// Shared is one cluster for all tests of a package, each with a database of
// its own. The zero value, or one with Options set, is ready to use:
//
//	var cluster pgtest.Shared
//
//	func TestMain(m *testing.M) { os.Exit(cluster.Run(m)) }
type Shared struct {
	Options Options

	once   sync.Once
	server *Server
	err    error
}

// Server returns the cluster, which the first call starts. It skips or fails
// the test like StartWith.
func (s *Shared) Server(tb testing.TB) *Server {
	tb.Helper()
	s.once.Do(func() {
		// Not the test's context: the cluster outlives the test that asks first.
		s.server, s.err = Launch(context.Background(), s.Options)
	})
	require(tb, s.err)
	return s.server
}

// Run runs the package's tests, ends the cluster if any of them started it,
// and returns the exit code.
func (s *Shared) Run(m *testing.M) int {
	code := m.Run()
	if err := s.Close(); err != nil {
		os.Stderr.WriteString("end the shared PostgreSQL cluster: " + err.Error() + "\n")
		return max(code, 1)
	}
	return code
}

// Close ends the cluster if a test has started it. Run does that too.
func (s *Shared) Close() error {
	if s.server == nil {
		return nil
	}
	return s.server.Close()
}
