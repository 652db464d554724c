package toolchain_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/toolchain"
)

func TestEnsureBuildsOnceAndReachesNothingLater(t *testing.T) {
	w := newWorkshop(t)
	w.publish(firstPin, saysOne)
	w.pin(firstPin)

	path, err := toolchain.Installed(t.Context(), w.root, "hello")
	require.NoError(t, err)
	require.Empty(t, path, "nothing is built yet")

	var said bytes.Buffer
	path, err = toolchain.Ensure(t.Context(), w.root, "hello", &said)
	require.NoError(t, err)
	require.Contains(t, said.String(), "building hello v2.0.1")
	require.Equal(t, "one", output(t, path))

	// No proxy and no module cache: a second build could not succeed.
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	said.Reset()
	again, err := toolchain.Ensure(t.Context(), w.root, "hello", &said)
	require.NoError(t, err)
	require.Equal(t, path, again)
	require.Empty(t, said.String())
}

func TestEnsureBuildsAnewForAnotherVersion(t *testing.T) {
	w := newWorkshop(t)
	w.publish(firstPin, saysOne)
	w.publish(nextPin, saysTwo)
	w.pin(firstPin)
	_, err := toolchain.Ensure(t.Context(), w.root, "hello", io.Discard)
	require.NoError(t, err)

	w.pin(nextPin)
	path, err := toolchain.Installed(t.Context(), w.root, "hello")
	require.NoError(t, err)
	require.Empty(t, path, "the binary that is there is of the version before")
	path, err = toolchain.Ensure(t.Context(), w.root, "hello", io.Discard)
	require.NoError(t, err)
	require.Equal(t, "two", output(t, path))
}

func TestEnsureInParallelBuildsOnce(t *testing.T) {
	w := newWorkshop(t)
	w.publish(firstPin, saysOne)
	w.pin(firstPin)

	const callers = 4
	var (
		wg   sync.WaitGroup
		said = make([]bytes.Buffer, callers)
		errs = make([]error, callers)
	)
	for i := range callers {
		wg.Go(func() { _, errs[i] = toolchain.Ensure(t.Context(), w.root, "hello", &said[i]) })
	}
	wg.Wait()
	builds := 0
	for i := range callers {
		require.NoError(t, errs[i])
		builds += strings.Count(said[i].String(), "building hello")
	}
	require.Equal(t, 1, builds)
}

func TestEnsureThatFailsLeavesTheOldToolAndNothingElse(t *testing.T) {
	w := newWorkshop(t)
	w.publish(firstPin, saysOne)
	w.publish(nextPin, unsound)
	w.pin(firstPin)
	path, err := toolchain.Ensure(t.Context(), w.root, "hello", io.Discard)
	require.NoError(t, err)

	w.pin(nextPin)
	_, err = toolchain.Ensure(t.Context(), w.root, "hello", io.Discard)
	require.ErrorContains(t, err, "undefined: undefined", "the compiler's reason is passed on")
	require.Equal(t, "one", output(t, path))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	for _, e := range entries {
		require.Contains(t, []string{"hello", "hello.lock"}, e.Name())
	}
}

func TestEnsureBrokenOffSaysSo(t *testing.T) {
	w := newWorkshop(t)
	w.publish(firstPin, saysOne)
	w.pin(firstPin)
	ctx, cancel := context.WithCancel(t.Context())
	// The first line is written right before the build begins.
	_, err := toolchain.Ensure(ctx, w.root, "hello", writerFunc(func(p []byte) (int, error) {
		cancel()
		return len(p), nil
	}))
	require.ErrorIs(t, err, context.Canceled)
	path, err := toolchain.Installed(t.Context(), w.root, "hello")
	require.NoError(t, err)
	require.Empty(t, path)
}

func TestLoadRefusesWhatIsNoTool(t *testing.T) {
	w := newWorkshop(t)
	_, err := toolchain.Load(t.Context(), w.root, "hello")
	require.ErrorContains(t, err, "declares 0 tools")
	_, err = toolchain.Load(t.Context(), w.root, "absent")
	require.ErrorContains(t, err, "tool absent")
}

// The versions that were tried together; a change here is a change of what the
// project is checked with.
func TestPinnedVersions(t *testing.T) {
	root, err := toolchain.Root(".")
	require.NoError(t, err)
	for name, want := range map[string]string{
		"temporal":      "github.com/temporalio/cli@v1.5.1",
		"golangci-lint": "github.com/golangci/golangci-lint/v2@v2.15.0",
		"workflowcheck": "go.temporal.io/sdk/contrib/tools/workflowcheck@v0.6.0",
		"compose":       "github.com/docker/compose/v2@v2.40.3",
	} {
		tool, err := toolchain.Load(t.Context(), root, name)
		require.NoError(t, err)
		require.Equal(t, want, tool.Module+"@"+tool.Version)
	}
}

func TestRoot(t *testing.T) {
	w := newWorkshop(t)
	got, err := toolchain.Root(w.toolDir())
	require.NoError(t, err)
	require.Equal(t, w.root, got, "a tool's own go.mod is not the top")
	_, err = toolchain.Root(t.TempDir())
	require.ErrorContains(t, err, "not inside a working copy of holdpoint")
}

func output(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command(path).CombinedOutput()
	require.NoError(t, err)
	return string(out)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
