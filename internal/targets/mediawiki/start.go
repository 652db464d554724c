package mediawiki

import (
	"errors"
	"os"
	"testing"
)

// Start starts a wiki for one test and ends it with the test. It skips the
// test where MediaWiki is missing, or fails it when the environment says
// CI=true: there a skipped test would hide that something was not tested.
func Start(tb testing.TB, options Options) *Server {
	tb.Helper()
	s, err := Launch(tb.Context(), options)
	switch {
	case err == nil:
	case errors.Is(err, ErrNoMediaWiki) && os.Getenv("CI") != "true":
		tb.Skipf("MediaWiki missing: %v", err)
	default:
		tb.Fatalf("start a wiki: %v", err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("PHP's log:\n%s", s.Log())
		}
		if err := s.Close(); err != nil {
			tb.Errorf("end the wiki: %v", err)
		}
	})
	return s
}
