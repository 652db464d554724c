package devserver

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServerVersion(t *testing.T) {
	for _, c := range []struct {
		line         string
		major, minor int
		wrong        bool
	}{
		{line: "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)\n", major: 1, minor: 29},
		{line: "temporal version 0.0.0-DEV (Server 1.31.0-155.0, UI 2.42.1)", major: 1, minor: 31},
		{line: "temporal version 2.0.0 (Server 2.0.0, UI 3.0.0)", major: 2, minor: 0},
		{line: "temporal version 1.5.1", wrong: true},
		{line: "", wrong: true},
		{line: "1.29.1", wrong: true},
		{line: "(Server 99999999999999999999.1.0, UI 1)", wrong: true},
	} {
		major, minor, err := serverVersion(c.line)
		if c.wrong {
			require.Error(t, err, c.line)
			continue
		}
		require.NoError(t, err, c.line)
		require.Equal(t, [2]int{c.major, c.minor}, [2]int{major, minor}, c.line)
	}
}

// A CLI on the PATH is used from server 1.29 on; an older one, or a program
// that only has the name, is passed over for the pinned one.
func TestLookCLITakesTheOneOnThePathWhenRecent(t *testing.T) {
	for _, c := range []struct {
		prints string
		exit   string
		taken  bool
	}{
		{prints: "temporal version 1.5.1 (Server 1.29.0, UI 2.42.1)", exit: "0", taken: true},
		{prints: "temporal version 3.0.0 (Server 2.1.0, UI 2.42.1)", exit: "0", taken: true},
		{prints: "temporal version 1.4.1 (Server 1.28.4, UI 2.40.0)", exit: "0"},
		{prints: "temporal version 1.0.0 (Server 0.99.0, UI 2.40.0)", exit: "0"},
		{prints: "temporal version 1.5.1 (Server 1.29.0, UI 2.42.1)", exit: "1"},
		{prints: "the god of time", exit: "0"},
	} {
		t.Run(c.prints+" exit "+c.exit, func(t *testing.T) {
			// The repository has no temporal tool built: its go.mod is all there is.
			root, onPath := bareRepository(t), filepath.Join(t.TempDir(), "temporal")
			script := "#!/bin/sh\necho '" + c.prints + "'\nexit " + c.exit + "\n"
			require.NoError(t, os.WriteFile(onPath, []byte(script), 0o755))
			t.Setenv("PATH", filepath.Dir(onPath)+string(os.PathListSeparator)+os.Getenv("PATH"))

			path, err := LookCLI(t.Context(), root)
			if c.taken {
				require.NoError(t, err)
				require.Equal(t, onPath, path)
				return
			}
			require.ErrorIs(t, err, ErrNoCLI)
		})
	}
}

func TestFindCLISaysWhatItCannotBuild(t *testing.T) {
	root := bareRepository(t)
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	hideTemporal(t)
	_, err := FindCLI(t.Context(), root, io.Discard)
	require.ErrorContains(t, err, "example.com/cli/cmd/temporal@v1.9.9")
}

func bareRepository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "internal", "toolchain", "temporal")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	mod := "module example.com/tools\n\ngo 1.26\n\ntool example.com/cli/cmd/temporal\n\nrequire example.com/cli v1.9.9\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o644))
	return root
}

// hideTemporal shadows a temporal CLI that this machine may have by one that
// is no such thing.
func hideTemporal(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "temporal"), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}
