package smtpserver

import (
	"os"
	"testing"

	"github.com/holdpoint/holdpoint/internal/toolchain"
)

// Start launches a server for one test, and ends it with the test. The test is
// skipped where Mailpit is not built; under CI it fails.
func Start(tb testing.TB, o Options) *Server {
	tb.Helper()
	if o.Program == "" {
		o.Program = program(tb)
	}
	s, err := Launch(tb.Context(), o)
	if err != nil {
		tb.Fatalf("launch a mail server: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("end the mail server: %v", err)
		}
	})
	return s
}

func program(tb testing.TB) string {
	tb.Helper()
	root, err := toolchain.Root(".")
	if err != nil {
		tb.Fatal(err)
	}
	path, err := toolchain.Installed(tb.Context(), root, "mailpit")
	switch {
	case err != nil:
		tb.Fatal(err)
	case path != "":
	case os.Getenv("CI") == "true":
		tb.Fatal("mailpit is not built; run: go run ./internal/toolchain/ensure mailpit")
	default:
		tb.Skip("mailpit is not built; run: go run ./internal/toolchain/ensure mailpit")
	}
	return path
}
