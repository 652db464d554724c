// Package devtest gives tests a real Temporal development server, or skips
// them by name when there is no temporal CLI. It never builds the CLI: that
// takes minutes, which a test's time limit does not have; `make test` and
// `make tools` do it beforehand.
package devtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/toolchain"
)

// CLI returns the path of the temporal CLI. Without one it skips the test, or
// fails it when the environment says CI=true: there a skipped test would hide
// that something was not tested.
func CLI(tb testing.TB) string {
	tb.Helper()
	path, err := lookCLI(tb.Context())
	if err == nil {
		return path
	}
	if !errors.Is(err, devserver.ErrNoCLI) || os.Getenv("CI") == "true" {
		tb.Fatalf("temporal CLI: %v", err)
	}
	tb.Skipf("temporal CLI missing: %v", err)
	return ""
}

func lookCLI(ctx context.Context) (string, error) {
	root, err := toolchain.Root(".")
	if err != nil {
		return "", err
	}
	return devserver.LookCLI(ctx, root)
}

// Start starts a server for one test and ends it with the test. It fills in
// the CLI and the log file where options leave them empty; the log is shown
// when the test fails.
func Start(tb testing.TB, options devserver.Options) *devserver.Server {
	tb.Helper()
	if options.CLI == "" {
		options.CLI = CLI(tb)
	}
	if options.LogFile == "" {
		options.LogFile = filepath.Join(tb.TempDir(), "temporal-server.log")
	}
	server, err := devserver.Start(tb.Context(), options)
	if err != nil {
		tb.Fatalf("start a development server: %v", err)
	}
	tb.Cleanup(func() {
		if err := errors.Join(server.Kill(), server.Stop()); err != nil {
			tb.Errorf("stop the development server: %v", err)
		}
		if tb.Failed() {
			showLog(tb, options.LogFile)
		}
	})
	return server
}

func showLog(tb testing.TB, path string) {
	tb.Helper()
	const most = 8000 // bytes
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Logf("server log: %v", err)
		return
	}
	tb.Logf("server log:\n%s", text[max(0, len(text)-most):])
}

// Shared is one server for all tests of a package that do not disturb each
// other, because each uses a tenant and a task queue of its own. The zero value
// with Options set is ready to use:
//
//	var shared = devtest.Shared{Options: …}
//
//	func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }
type Shared struct {
	// Options are as for Start; without a LogFile the log is dropped.
	Options devserver.Options

	once   sync.Once
	server *devserver.Server
	err    error
}

// Server returns the server, which the first call starts. It skips or fails
// the test like CLI.
func (s *Shared) Server(tb testing.TB) *devserver.Server {
	tb.Helper()
	cli := CLI(tb)
	s.once.Do(func() {
		options := s.Options
		if options.CLI == "" {
			options.CLI = cli
		}
		// Not the test's context: the server outlives the test that asks first.
		s.server, s.err = devserver.Start(context.Background(), options)
	})
	if s.err != nil {
		tb.Fatalf("start the shared development server: %v", s.err)
	}
	return s.server
}

// Run runs the package's tests, stops the server if any of them started it,
// and returns the exit code.
func (s *Shared) Run(m *testing.M) int {
	code := m.Run()
	if s.server == nil {
		return code
	}
	if err := errors.Join(s.server.Kill(), s.server.Stop()); err != nil {
		os.Stderr.WriteString("stop the shared development server: " + err.Error() + "\n")
		return max(code, 1)
	}
	return code
}
