package toolchain_test

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// workshop is a repository with one tool, "hello", and a module proxy in a
// folder that serves it, so that real builds need no network.
type workshop struct {
	t     *testing.T
	root  string
	proxy string
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	w := &workshop{t: t, root: t.TempDir(), proxy: t.TempDir()}
	t.Setenv("GOPROXY", "file://"+w.proxy)
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw") // else the temporary folder cannot be removed
	w.write(filepath.Join(w.root, "go.mod"), "module github.com/holdpoint/holdpoint\n")
	w.write(filepath.Join(w.toolDir(), "go.mod"), "module example.com/tools\n\ngo 1.26\n")
	return w
}

func (w *workshop) toolDir() string { return filepath.Join(w.root, "internal", "toolchain", "hello") }

// publish puts a version of the tool's module on the proxy.
func (w *workshop) publish(version, source string) {
	w.t.Helper()
	const module = "example.com/hello/v2"
	mod := "module " + module + "\n\ngo 1.26\n"
	at := filepath.Join(w.proxy, filepath.FromSlash(module), "@v")
	w.write(filepath.Join(at, version+".mod"), mod)
	w.write(filepath.Join(at, version+".info"), fmt.Sprintf(`{"Version":%q,"Time":"2026-11-23T08:00:00Z"}`, version))
	archive, err := os.Create(filepath.Join(at, version+".zip"))
	require.NoError(w.t, err)
	defer archive.Close()
	z := zip.NewWriter(archive)
	for name, text := range map[string]string{"go.mod": mod, "cmd/hello/main.go": source} {
		f, err := z.Create(module + "@" + version + "/" + name)
		require.NoError(w.t, err)
		_, err = f.Write([]byte(text))
		require.NoError(w.t, err)
	}
	require.NoError(w.t, z.Close())
}

// pin makes the tool's go.mod name a version, as a maintainer would.
func (w *workshop) pin(version string) {
	w.t.Helper()
	cmd := exec.Command("go", "get", "-C", w.toolDir(), "-tool", "example.com/hello/v2/cmd/hello@"+version)
	out, err := cmd.CombinedOutput()
	require.NoError(w.t, err, string(out))
}

func (w *workshop) write(path, text string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o644))
}

const (
	saysOne  = "package main\n\nfunc main() { print(\"one\") }\n"
	saysTwo  = "package main\n\nfunc main() { print(\"two\") }\n"
	unsound  = "package main\n\nfunc main() { undefined() }\n"
	firstPin = "v2.0.1"
	nextPin  = "v2.1.0"
)
