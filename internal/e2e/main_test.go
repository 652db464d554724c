// Package e2e tests the built programs together: real worker processes, a
// real Temporal development server, the real temporal CLI, and real Git.
// Effects are counted in Git, never in a log of ours.
package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/devserver/devtest"
	"github.com/holdpoint/holdpoint/internal/toolchain"
	"github.com/holdpoint/holdpoint/workflows"
)

// parallel is how many tests run at one time, unless the command line says
// otherwise. They wait for timers and leases more than for a processor.
const parallel = "6"

// programs are the paths of the programs under test.
var programs struct{ worker, starter, approver, temporal, dir string }

// missing says why the programs could not be had; empty when they are there.
var missing string

// shared is the server of all sites that need none of their own: each has a
// task queue and a tenant to itself.
var shared = devtest.Shared{Options: devserver.Options{SearchAttributes: searchAttributes()}}

func TestMain(m *testing.M) {
	if calls := os.Getenv(asWorker); calls != "" {
		os.Exit(workerProgram(calls))
	}
	os.Exit(runAll(m))
}

func runAll(m *testing.M) int {
	dir, err := os.MkdirTemp("", "holdpoint-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	switch err := build(dir); {
	case errors.Is(err, devserver.ErrNoCLI):
		missing = err.Error()
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := flag.Set("test.parallel", parallel); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return shared.Run(m)
}

func build(dir string) error {
	root, err := toolchain.Root(".")
	if err != nil {
		return err
	}
	if programs.temporal, err = devserver.LookCLI(context.Background(), root); err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "./worker", "./starter", "./approver")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	programs.dir = dir
	programs.worker = filepath.Join(dir, "worker")
	programs.starter = filepath.Join(dir, "starter")
	programs.approver = filepath.Join(dir, "approver")
	return nil
}

// need skips a test whose real parts are missing; under CI that is a failure.
func need(t *testing.T) {
	t.Helper()
	switch {
	case missing == "":
	case os.Getenv("CI") == "true":
		t.Fatalf("real parts are missing: %s", missing)
	default:
		t.Skipf("real parts are missing: %s", missing)
	}
}

// startServer starts a server for one test, which may kill it.
func startServer(t *testing.T) *devserver.Server {
	t.Helper()
	need(t)
	return devtest.Start(t, devserver.Options{
		CLI: programs.temporal, DBFile: filepath.Join(t.TempDir(), "temporal.db"), SearchAttributes: searchAttributes(),
	})
}

func searchAttributes() map[string]enumspb.IndexedValueType {
	attributes := map[string]enumspb.IndexedValueType{}
	for _, a := range workflows.SearchAttributes() {
		attributes[a.Name] = a.Type
	}
	return attributes
}

// programEnv lets every program, ours and the temporal CLI, find the server.
func programEnv(server *devserver.Server, dir string) []string {
	return []string{
		"TEMPORAL_ADDRESS=" + server.Address(),
		"TEMPORAL_CONFIG_FILE=" + filepath.Join(dir, "no-profile.toml"),
		"HOME=" + dir, "LANG=C.UTF-8",
		"PATH=" + programs.dir + string(os.PathListSeparator) + filepath.Dir(programs.temporal) +
			string(os.PathListSeparator) + os.Getenv("PATH"),
	}
}
