package toolchain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Tool is one pinned program, as its go.mod declares it.
type Tool struct {
	Name    string // its folder in internal/toolchain, and its file in .holdpoint/bin
	Package string // the import path of its main package
	Module  string // the module that holds Package
	Version string // the module's version
	Dir     string // the folder of its go.mod
}

// Load reads the declaration of the tool called name from the repository at
// root.
func Load(ctx context.Context, root, name string) (Tool, error) {
	dir := filepath.Join(root, "internal", "toolchain", name)
	module, err := readModule(ctx, filepath.Join(dir, "go.mod"))
	if err != nil {
		return Tool{}, fmt.Errorf("tool %s: %w", name, err)
	}
	if len(module.Tool) != 1 {
		return Tool{}, fmt.Errorf("tool %s: its go.mod declares %d tools, want 1", name, len(module.Tool))
	}
	tool := Tool{Name: name, Package: module.Tool[0].Path, Dir: dir}
	for _, r := range module.Require {
		// The longest matching path is the package's module; a shorter one is
		// a module that the longer one was split from.
		if holds(r.Path, tool.Package) && len(r.Path) > len(tool.Module) {
			tool.Module, tool.Version = r.Path, r.Version
		}
	}
	if tool.Module == "" {
		return Tool{}, fmt.Errorf("tool %s: its go.mod requires no module that holds %s", name, tool.Package)
	}
	return tool, nil
}

// path is where the tool's binary is, or will be once it is built.
func (t Tool) path(root string) string {
	name := t.Name
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(root, ".holdpoint", "bin", name)
}

// goMod is the part of a go.mod that matters here, as `go mod edit -json`
// prints it.
type goMod struct {
	Require []struct{ Path, Version string }
	Tool    []struct{ Path string }
}

func readModule(ctx context.Context, file string) (goMod, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "edit", "-json", file)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return goMod{}, fmt.Errorf("read go.mod: %w: %s", err, strings.TrimSpace(complaint.String()))
	}
	var m goMod
	if err := json.Unmarshal(out, &m); err != nil { //nolint:musttag // the Go command's names
		return goMod{}, fmt.Errorf("read go.mod: %w", err)
	}
	return m, nil
}

// holds reports whether a module of that path can contain the package.
func holds(module, pkg string) bool {
	return pkg == module || strings.HasPrefix(pkg, module+"/")
}
