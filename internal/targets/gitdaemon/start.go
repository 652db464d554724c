package gitdaemon

import (
	"errors"
	"os"
	"testing"
)

// Start serves the repositories below dir for one test. It skips the test
// where the daemon is missing, or fails it when the environment says CI=true:
// there a skipped test would hide that something was not tested.
func Start(tb testing.TB, dir string) *Server {
	tb.Helper()
	s, err := Launch(tb.Context(), dir)
	switch {
	case errors.Is(err, ErrNoDaemon) && os.Getenv("CI") != "true":
		tb.Skipf("git daemon missing: %v", err)
	case err != nil:
		tb.Fatalf("start a git daemon: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("end the git daemon: %v", err)
		}
	})
	return s
}
