package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// demoRun is `make demo` with a folder of its own.
type demoRun struct {
	t    *testing.T
	home string
	bin  string
}

// newDemo makes a folder in which the programs are built already, as in that of
// whoever starts the demo a second time: to link them takes longer than the demo.
func newDemo(t *testing.T) *demoRun {
	t.Helper()
	need(t)
	d := &demoRun{t: t, home: filepath.Join(t.TempDir(), "home"), bin: filepath.Join(t.TempDir(), "demo")}
	build := exec.Command("go", "build", "-o", d.bin, "../demo")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, os.MkdirAll(filepath.Join(d.home, "bin"), 0o755))
	for _, program := range []string{programs.worker, programs.starter, programs.approver} {
		require.NoError(t, os.Link(program, filepath.Join(d.home, "bin", filepath.Base(program))))
	}
	return d
}

func (d *demoRun) command(approve string) *exec.Cmd {
	cmd := exec.Command(d.bin, "-home", d.home)
	cmd.Env = append(os.Environ(), "APPROVE="+approve, "CGO_ENABLED=0",
		"PATH="+filepath.Dir(programs.temporal)+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd
}

func (d *demoRun) run(approve string) string {
	d.t.Helper()
	out, err := d.command(approve).CombinedOutput()
	require.NoError(d.t, err, string(out))
	return string(out)
}

func (d *demoRun) commits() string {
	d.t.Helper()
	out, err := exec.Command("git", "-C", filepath.Join(d.home, "kb"), "rev-list", "--count", "main").CombinedOutput()
	require.NoError(d.t, err, string(out))
	return strings.TrimSpace(string(out))
}

// alive lists the processes whose command line names the demo's folder.
func (d *demoRun) alive() (lines []string) {
	d.t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(d.t, err)
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Contains(line, []byte(d.home)) {
			lines = append(lines, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return lines
}

// The demo writes thirteen pages; again, it makes nothing twice and says so,
// also after its Temporal database has been deleted.
func TestDemoMakesNothingTwice(t *testing.T) {
	t.Parallel()
	d := newDemo(t)
	first := d.run("yes")
	require.Contains(t, first, "plan_hash sha256:")
	require.Contains(t, first, "+# Weekly report 2026-W48")
	require.Contains(t, first, "temporal workflow signal --workflow-id acme/weekly-report-2026-W48 --name approval")
	require.Contains(t, first, "commits in Git: 0 before, 13 now")
	require.Equal(t, "13", d.commits())

	second := d.run("yes")
	require.Contains(t, second, "is there already")
	require.Contains(t, second, "commits in Git: 13 before, 13 now")
	require.Contains(t, second, "nothing was made twice")

	databases, err := filepath.Glob(filepath.Join(d.home, "temporal.db*"))
	require.NoError(t, err)
	require.NotEmpty(t, databases)
	for _, file := range databases {
		require.NoError(t, os.Remove(file))
	}
	third := d.run("no") // nothing is left to approve, so nobody is asked
	require.Contains(t, third, "ALREADY DONE")
	require.Contains(t, third, "nothing was made twice")
	require.Equal(t, "13", d.commits())
	require.Empty(t, d.alive())
}

// Ctrl-C at the question stops all that the demo started, and the next demo
// goes on at the hold point.
func TestDemoStopsAllThatItStarted(t *testing.T) {
	t.Parallel()
	d := newDemo(t)
	cmd := d.command("")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	log, err := os.Create(filepath.Join(t.TempDir(), "out"))
	require.NoError(t, err)
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		said, err := os.ReadFile(log.Name())
		return err == nil && strings.Contains(string(said), "[yes/no]")
	}, patience, 100*time.Millisecond)
	require.GreaterOrEqual(t, len(d.alive()), 3, "demo, server and worker")

	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	err = cmd.Wait()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 130, exit.ExitCode())
	require.Empty(t, d.alive())

	require.Contains(t, d.run("yes"), "commits in Git: 0 before, 13 now")
}
