package gitpages

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// openRemote makes the repository a cache of its remote. A cache that has
// never seen the remote's branch fetches it now, when no call's time limit
// runs. A remote that cannot be reached is no reason not to start.
func (r *repository) openRemote(ctx context.Context, at gitcli.Address, pushTimeout time.Duration) error {
	if r.worktree != "" {
		return permanent(gitcli.CodeRepository,
			"repository %s: its folder has a work tree; beside a remote it is the worker's cache, so name a folder of its own", r.Name)
	}
	m := &remoteRefs{
		repository: r, address: at, pushTimeout: pushTimeout,
		net:      r.git.Network(at.Scheme, r.CredentialHelper),
		fetching: make(chan struct{}, 1),
	}
	r.refs = m
	if _, err := r.git.Run(ctx, nil, "rev-parse", "--verify", "--quiet", m.cachedRef()); err == nil {
		return nil
	}
	if _, err := m.position(ctx, ""); faults.ClassOf(err) == faults.Permanent {
		return err
	}
	return nil
}

// createCache makes a bare repository of a folder that is missing or empty: it
// is made aside and moved into place in one step, as create does.
func (r *repository) createCache(ctx context.Context, path string) error {
	parent := filepath.Dir(path)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return permanent(gitcli.CodeRepository, "repository %s: the folder of its cache cannot be made", r.Name)
	}
	aside, err := os.MkdirTemp(parent, initPrefix)
	if err != nil {
		return permanent(gitcli.CodeRepository, "repository %s: the folder of its cache cannot be written to", r.Name)
	}
	defer os.RemoveAll(aside)
	maker := r.git
	maker.Cwd = parent
	if _, err := maker.Run(ctx, nil, "init", "--quiet", "--bare", "--template=", "--initial-branch="+r.Branch, aside); err != nil {
		return r.unusable(err)
	}
	_ = os.Remove(path) // only an empty folder lets itself be removed
	if err := os.Rename(aside, path); err != nil && !isBare(path) {
		return permanent(gitcli.CodeRepository, "repository %s: the folder of its cache is neither empty nor a bare repository", r.Name)
	}
	return nil
}

func isBare(path string) bool {
	return exists(filepath.Join(path, "HEAD")) && exists(filepath.Join(path, "objects"))
}
