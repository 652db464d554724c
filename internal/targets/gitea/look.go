package gitea

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/holdpoint/holdpoint/internal/toolchain"
)

// ErrNoGitea says that Gitea is not built on this machine.
var ErrNoGitea = errors.New("no Gitea is built; run: make tools")

// installation is what a server is made of: it is only read.
type installation struct {
	program string // .holdpoint/bin/gitea
	source  string // the folder of its module, which holds its texts and templates
}

func look(ctx context.Context) (installation, error) {
	root, err := toolchain.Root(".")
	if err != nil {
		return installation{}, err
	}
	tool, err := toolchain.Load(ctx, root, "gitea")
	if err != nil {
		return installation{}, err
	}
	program, err := toolchain.Installed(ctx, root, tool.Name)
	if err != nil {
		return installation{}, err
	}
	if program == "" {
		return installation{}, ErrNoGitea
	}
	// Most often the module is where the build has left it.
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", tool.Module+"@"+tool.Version)
	cmd.Dir, cmd.Env = tool.Dir, append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return installation{}, fmt.Errorf("%w: its source is not there: %w", ErrNoGitea, err)
	}
	var module struct {
		Dir string `json:"Dir"` //nolint:tagliatelle // the Go command's name
	}
	if err := json.Unmarshal(out, &module); err != nil {
		return installation{}, fmt.Errorf("go mod download: %w", err)
	}
	return installation{program: program, source: filepath.Clean(module.Dir)}, nil
}
