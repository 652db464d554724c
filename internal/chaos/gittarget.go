package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/gitdaemon"
)

// remote is a bare Git repository behind git's own daemon.
type remote struct {
	*gitdaemon.Server
	bare string
}

func newRemote(ctx context.Context, dir string) (*remote, error) {
	served := filepath.Join(dir, "git")
	r := &remote{bare: filepath.Join(served, "kb.git")}
	if err := os.MkdirAll(served, 0o755); err != nil {
		return nil, err
	}
	if said, err := exec.CommandContext(ctx, "git", "init", "--bare", "--initial-branch=main", r.bare).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git init: %w: %s", err, said)
	}
	var err error
	r.Server, err = gitdaemon.Launch(ctx, served)
	return r, err
}

func (r *remote) address() string { return r.Address() }
func (r *remote) close() error    { return r.Close() }

// count counts the commits that wrote the page. A second effect would be a
// second commit, whatever it wrote.
func (r *remote) count(ctx context.Context, _, effect string) (int, error) {
	said, err := exec.CommandContext(ctx, "git", "-C", r.bare, "rev-list", "--count", "--all", "--", effect+".md").Output()
	if err != nil {
		return 0, err
	}
	var n int
	_, err = fmt.Sscan(strings.TrimSpace(string(said)), &n)
	return n, err
}

func (r *remote) tools(proxied string) ([]tool, declarations) {
	return []tool{{
			name: "gitpages", kind: "gitpages", class: plan.Conditional, target: "kb",
			parameters: func(effect string) map[string]any {
				return map[string]any{"page": effect + ".md", "title": effect, "content": "# " + effect + "\n"}
			},
		}}, declarations{
			repositories: fmt.Sprintf("  kb: {remote: \"git://%s/kb.git\", branch: main}\n", proxied),
		}
}
