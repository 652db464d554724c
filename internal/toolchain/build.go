package toolchain

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// cost tells, before a first build, what it will take: measured on two cores
// with an empty build cache, download excluded.
var cost = map[string]string{
	"temporal":      "about 3 minutes and 250 MB",
	"golangci-lint": "about 3 minutes and 45 MB",
	"compose":       "about 3 minutes and 70 MB",
	"gitea":         "about 6 minutes and 107 MB",
	"workflowcheck": "about half a minute and 7 MB",
	"mailpit":       "about 2 minutes and 25 MB",
}

// analyzer names the tools that read Go code: one that was built by an older
// Go release misreads the code of a later one, so it is built anew.
var analyzer = map[string]bool{"golangci-lint": true, "workflowcheck": true}

// stillBuilding is how often a build that runs says so.
const stillBuilding = 30 * time.Second

// Installed returns the path of the tool called name when the pinned version
// of it is built, and "" when it is not. It reaches no network.
func Installed(ctx context.Context, root, name string) (string, error) {
	tool, err := Load(ctx, root, name)
	if err != nil {
		return "", err
	}
	return tool.installed(root), nil
}

// Ensure returns the path of the tool called name in the repository at root,
// and builds it first unless the pinned version is there. Before it builds, it
// says on out what and how long. Processes that need the same tool at the same
// time build it once; a build that is broken off leaves nothing behind that
// could pass for a tool.
func Ensure(ctx context.Context, root, name string, out io.Writer) (string, error) {
	tool, err := Load(ctx, root, name)
	if err != nil {
		return "", err
	}
	if path := tool.installed(root); path != "" {
		return path, nil
	}
	path := tool.path(root)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("tool %s: %w", name, err)
	}
	unlock, err := lockedfile.MutexAt(path + ".lock").Lock()
	if err != nil {
		return "", fmt.Errorf("tool %s: lock: %w", name, err)
	}
	defer unlock()
	if path := tool.installed(root); path != "" {
		return path, nil // another process built it while this one waited
	}
	if err := tool.build(ctx, path, out); err != nil {
		return "", fmt.Errorf("tool %s: %w", name, err)
	}
	return path, nil
}

// installed asks the binary itself which package and version it was built
// from: no record beside it can be wrong about it.
func (t Tool) installed(root string) string {
	path := t.path(root)
	info, err := buildinfo.ReadFile(path)
	if err != nil || info.Path != t.Package || info.Main.Version != t.Version {
		return ""
	}
	if analyzer[t.Name] && info.GoVersion != runtime.Version() {
		return ""
	}
	return path
}

func (t Tool) build(ctx context.Context, path string, out io.Writer) error {
	fmt.Fprintf(out, "building %s %s into %s (%s, this once)\n",
		t.Name, t.Version, relative(path), cost[t.Name])
	start := time.Now()
	stop := t.reportProgress(out, start)
	defer stop()

	half := path + ".building"
	defer os.Remove(half)
	cmd := exec.CommandContext(ctx, "go", "build", "-C", t.Dir, "-mod=readonly", "-trimpath",
		"-ldflags=-s -w", "-o", half, t.Package)
	// Without C the result is the same on a machine that has no C compiler; a
	// go.work above the repository would replace the pinned versions.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	// Interrupted, the Go command ends its compilers too; killed, it leaves them.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("build broken off: %w", context.Cause(ctx))
		}
		return fmt.Errorf("go build %s@%s: %w\n%s", t.Package, t.Version, err, lastLines(complaint.String(), 20))
	}
	if err := os.Rename(half, path); err != nil {
		return err
	}
	fmt.Fprintf(out, "built %s in %s\n", t.Name, time.Since(start).Round(time.Second))
	return nil
}

// reportProgress writes a line now and then until the returned function is
// called, which also waits for the last line.
func (t Tool) reportProgress(out io.Writer, start time.Time) (stop func()) {
	ticker := time.NewTicker(stillBuilding)
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
				fmt.Fprintf(out, "still building %s, %s so far\n", t.Name, time.Since(start).Round(time.Second))
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(quit)
		<-gone
	}
}

// relative shortens a path for people when it lies below the working folder.
func relative(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// lastLines keeps the end of a compiler's complaints, where the reason is.
func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
