package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// writes is in the first command of a push (gitprotocol-pack(5)).
func (r *remote) writes() *regexp.Regexp { return regexp.MustCompile(`report-status`) }

// count counts the commits of the branch, over its whole history, that carry
// the action's key in a trailer or its title as subject: a second effect would
// be a second commit, whether or not it changed anything, whatever its key.
func (r *remote) count(ctx context.Context, a *action) (int, error) {
	head := exec.CommandContext(ctx, "git", "-C", r.bare, "rev-parse", "--verify", "--quiet", "refs/heads/main")
	if head.Run() != nil {
		return 0, ctx.Err() // no commit yet
	}
	said, err := exec.CommandContext(ctx, "git", "-C", r.bare, "log", "refs/heads/main",
		"--format=%s%x09%(trailers:key=Holdpoint-Key,valueonly,separator=%x20)").Output()
	if err != nil {
		return 0, err
	}
	n := 0
	for commit := range strings.Lines(string(said)) {
		subject, keys, _ := strings.Cut(strings.TrimSpace(commit), "\t")
		if subject == a.Effect || a.key != "" && slices.Contains(strings.Fields(keys), a.key) {
			n++
		}
	}
	return n, nil
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
