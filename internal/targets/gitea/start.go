package gitea

import (
	"errors"
	"os"
	"testing"

	"github.com/holdpoint/holdpoint/internal/pgtest"
)

// Start starts a server for one test and ends it with the test. It skips the
// test where Gitea or PostgreSQL is missing, or fails it when the environment
// says CI=true: there a skipped test would hide that something was not tested.
func Start(tb testing.TB, options Options) *Server {
	tb.Helper()
	s, err := Launch(tb.Context(), options)
	switch {
	case err == nil:
	case (errors.Is(err, ErrNoGitea) || errors.Is(err, pgtest.ErrNoPostgreSQL)) && os.Getenv("CI") != "true":
		tb.Skipf("Gitea missing: %v", err)
	default:
		tb.Fatalf("start Gitea: %v", err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("Gitea's log:\n%s", s.Log())
		}
		if err := s.Close(); err != nil {
			tb.Errorf("end Gitea: %v", err)
		}
	})
	return s
}
