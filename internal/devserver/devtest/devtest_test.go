package devtest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/devserver/devtest"
)

var shared devtest.Shared

func TestMain(m *testing.M) { os.Exit(shared.Run(m)) }

func TestSharedIsStartedOnce(t *testing.T) {
	first := shared.Server(t)
	require.Same(t, first, shared.Server(t))
}

// The server belongs to the package, not to the test that asked for it first.
func TestSharedOutlivesATest(t *testing.T) {
	var first *devserver.Server
	t.Run("first", func(t *testing.T) { first = shared.Server(t) })
	select {
	case <-first.Done():
		t.Fatal("the shared server ended with the test")
	default:
	}
}

func TestStartEndsWithItsTest(t *testing.T) {
	var server *devserver.Server
	t.Run("test", func(t *testing.T) { server = devtest.Start(t, devserver.Options{}) })
	<-server.Done()
}

// Without a CLI a test is skipped by name on a developer's machine, and fails
// where CI=true.
func TestMissingCLI(t *testing.T) {
	for _, c := range []struct{ ci, verdict string }{
		{ci: "", verdict: "skip"},
		{ci: "false", verdict: "skip"},
		{ci: "true", verdict: "fatal"},
	} {
		t.Run("CI="+c.ci, func(t *testing.T) {
			repositoryWithoutCLI(t)
			t.Setenv("CI", c.ci)
			require.Equal(t, c.verdict, verdictOf(t, func(tb testing.TB) { devtest.CLI(tb) }).verdict)
			require.Contains(t, verdictOf(t, func(tb testing.TB) { shared.Server(tb) }).text, "make tools")
		})
	}
}

// repositoryWithoutCLI makes the working folder one where no temporal CLI is
// built, and hides one that may be on the PATH.
func repositoryWithoutCLI(t *testing.T) {
	t.Helper()
	root := t.TempDir()
	pin := filepath.Join(root, "internal", "toolchain", "temporal", "go.mod")
	require.NoError(t, os.MkdirAll(filepath.Dir(pin), 0o755))
	for path, text := range map[string]string{
		filepath.Join(root, "go.mod"): "module github.com/holdpoint/holdpoint\n",
		pin:                           "module example.com/tools\n\ntool example.com/cli\n\nrequire example.com/cli v1.0.0\n",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	hidden := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(hidden, "temporal"), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	t.Setenv("PATH", hidden+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Chdir(root)
}

// recorder is a test that notes how it was ended.
type recorder struct {
	testing.TB
	verdict, text string
}

func verdictOf(t *testing.T, test func(testing.TB)) recorder {
	r := recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(&r)
	}()
	<-done
	return r
}

func (r *recorder) Helper() {}

func (r *recorder) Skipf(format string, args ...any) { r.endf("skip", format, args...) }

func (r *recorder) Fatalf(format string, args ...any) { r.endf("fatal", format, args...) }

func (r *recorder) endf(verdict, format string, args ...any) {
	r.verdict, r.text = verdict, fmt.Sprintf(format, args...)
	runtime.Goexit()
}
