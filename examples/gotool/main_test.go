package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// asProgram lets the test's own program be the example's.
const asProgram = "GOTOOL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// site makes a folder with a configuration, and returns how to run the program
// in it.
func site(t *testing.T) (dir string, run func(args ...string) (out string, code int)) {
	t.Helper()
	dir = t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	for _, folder := range []string{"notes", "book"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o755))
	}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("holdpoint.yaml", "sources: {notes: notes}\npolicy: policy.yaml\ndata: data\n")
	write("policy.yaml", "label: test\napprovers: [bo.lin]\ndecide_within: 1h\ngrant_life: 1h\n")
	write("page.yaml", "page: \"{{drill_id}}\"\ntext: hello\n")
	return dir, func(args ...string) (string, int) {
		var out bytes.Buffer
		cmd := exec.Command(self, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
		cmd.Env = append(os.Environ(), asProgram+"=1", "NOTEBOOK="+filepath.Join(dir, "book"))
		_ = cmd.Run() // how it ended is its exit code
		return out.String(), cmd.ProcessState.ExitCode()
	}
}

// The program is the real worker, with the tool among its others, and the
// tool's class stands the drill.
func TestWorkerWithATool(t *testing.T) {
	dir, run := site(t)
	out, code := run("config")
	require.Zero(t, code, out)
	require.Regexp(t, `notebook +go +1 +conditional +low +the target: it refuses a second effect`, out)

	out, code = run("drill", "notebook", "--parameters", "page.yaml", "--target", "notebook", "--yes")
	require.Zero(t, code, out)
	require.Contains(t, out, "\nclass conditional holds\n")
	require.NotContains(t, out, "open  ")
	pages, err := filepath.Glob(filepath.Join(dir, "book", "*"))
	require.NoError(t, err)
	require.Len(t, pages, 2, "one effect of each of its two keys, counted at the target")
	require.Contains(t, out, "ok      two at once: the target answered both with one receipt")
}
