// Package e2e tests the built programs together: real worker processes, a
// real Temporal development server, the real temporal CLI, and real Git.
// Effects are counted in Git, never in a log of ours.
package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/toolchain"
	enumspb "go.temporal.io/api/enums/v1"

	"github.com/holdpoint/holdpoint/workflows"
)

// programs are the paths of the programs under test.
var programs struct{ worker, starter, approver, temporal, dir string }

// missing says why the programs could not be had; empty when they are there.
var missing string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "holdpoint-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := build(dir); err != nil {
		missing = err.Error()
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
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

func startServer(t *testing.T, db string) *devserver.Server {
	t.Helper()
	need(t)
	attributes := map[string]enumspb.IndexedValueType{}
	for _, a := range workflows.SearchAttributes() {
		attributes[a.Name] = a.Type
	}
	server, err := devserver.Start(context.Background(), devserver.Options{
		CLI: programs.temporal, DBFile: db, SearchAttributes: attributes,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	return server
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
