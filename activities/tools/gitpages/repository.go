package gitpages

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// repository is one opened knowledge base.
type repository struct {
	Repo
	git       gitcli.Git
	commonDir string        // where the refs are; differs from git.gitDir in a linked work tree
	worktree  string        // absolute path; "" for a bare repository
	sha256    bool          // the repository names objects by SHA-256
	patience  time.Duration // see Options
	turn      chan struct{} // holds one token while an Apply of this process writes
	refs      refs
	trailers  trailers
}

// open finds the repository, or makes it, and checks that its branch can be
// written to.
func open(ctx context.Context, program string, cfg Repo, o Options) (*repository, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(cfg.Path)
	if err != nil {
		return nil, permanent(gitcli.CodeRepository, "repository %s: its path has no absolute form", cfg.Name)
	}
	remote, wrong := gitcli.ParseAddress(cfg.Remote)
	if wrong == "" && remote.Text == path {
		wrong = "is its path; the path is for a cache of the remote"
	}
	if wrong != "" {
		return nil, permanent(gitcli.CodeRepository, "repository %s: the address of its remote %s", cfg.Name, wrong)
	}
	r := &repository{Repo: cfg, patience: cmp.Or(o.Patience, defaultPatience), turn: make(chan struct{}, 1)}
	r.git, r.refs = gitcli.Git{Program: program, Cwd: path, Label: cfg.Name}, localRefs{r}
	if _, err := (gitcli.Git{Program: program}).Run(ctx, nil, "check-ref-format", r.branchRef()); err != nil {
		return nil, permanent(gitcli.CodeRepository, "repository %s: %s is no name for a branch", cfg.Name, gitcli.Quote(cfg.Branch))
	}
	if err := r.locate(ctx, path); err != nil {
		return nil, err
	}
	if cfg.Remote != "" {
		return r, r.openRemote(ctx, remote, cmp.Or(o.PushTimeout, defaultPushTimeout))
	}
	return r, r.checkBranch(ctx)
}

// locate tells the layouts apart: a work tree with .git in it, a bare
// repository, nothing there yet.
func (r *repository) locate(ctx context.Context, path string) error {
	switch {
	case exists(filepath.Join(path, ".git")):
		r.git.GitDir, r.worktree = filepath.Join(path, ".git"), path
	case isBare(path):
		r.git.GitDir = path
	case r.Remote != "":
		if err := r.createCache(ctx, path); err != nil {
			return err
		}
		r.git.GitDir = path
	default:
		if err := r.create(ctx, path); err != nil {
			return err
		}
		r.git.GitDir, r.worktree = filepath.Join(path, ".git"), path
	}
	out, err := r.git.Line(ctx, nil, "rev-parse", "--path-format=absolute", "--git-common-dir", "--is-bare-repository", "--show-object-format")
	if err != nil {
		return r.unusable(err)
	}
	answers := strings.Split(out, "\n")
	if len(answers) != 3 {
		return r.unusable(errors.New("git rev-parse answered something else than was asked"))
	}
	r.commonDir = answers[0]
	if answers[1] == "true" {
		r.worktree = ""
	}
	r.sha256 = answers[2] == "sha256"
	return nil
}

// initPrefix begins the names of the folders in which repositories are made.
const initPrefix = ".holdpoint-init-"

// create makes a repository in a folder that is missing or empty. It is made
// aside and moved into place in one step, so that of several workers that
// start at once each finds a whole one.
func (r *repository) create(ctx context.Context, path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return permanent(gitcli.CodeRepository, "repository %s: its folder cannot be made", r.Name)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return permanent(gitcli.CodeRepository, "repository %s: its folder cannot be read", r.Name)
	}
	for _, entry := range entries {
		if name := entry.Name(); name != ".git" && !strings.HasPrefix(name, initPrefix) {
			return permanent(gitcli.CodeRepository,
				`repository %s: its folder has files in it and is no Git repository; run "git init" and a first commit there, or name another folder`, r.Name)
		}
	}
	aside, err := os.MkdirTemp(path, initPrefix)
	if err != nil {
		return permanent(gitcli.CodeRepository, "repository %s: its folder cannot be written to", r.Name)
	}
	defer os.RemoveAll(aside)
	if _, err := r.git.Run(ctx, nil, "init", "--quiet", "--template=", "--initial-branch="+r.Branch, aside); err != nil {
		return r.unusable(err)
	}
	made := filepath.Join(path, ".git")
	if err := os.Rename(filepath.Join(aside, ".git"), made); err != nil && !exists(made) {
		return permanent(gitcli.CodeRepository, "repository %s cannot be made in its folder", r.Name)
	}
	return nil
}

// checkBranch refuses a repository that has branches but not this one: a
// misspelled name would begin a second history beside the one people read. In
// a repository without any commit the branch becomes the one that is checked
// out, so that the first page shows up in the work tree.
func (r *repository) checkBranch(ctx context.Context) error {
	// One reading: another worker may be making the first commit.
	branches, err := r.git.Line(ctx, nil, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/")
	if err != nil {
		return r.unusable(err)
	}
	if branches != "" {
		if slices.Contains(strings.Split(branches, "\n"), r.Branch) {
			return nil
		}
		return permanent(gitcli.CodeRepository, "repository %s has no branch %s, but has %s; name the branch in the configuration",
			r.Name, gitcli.Quote(r.Branch), gitcli.Quote(strings.ReplaceAll(branches, "\n", ", ")))
	}
	return r.checkOutUnborn(ctx)
}

// checkOutUnborn points HEAD at the branch. HEAD is written only when it has
// to be: another worker may be making the first commit.
func (r *repository) checkOutUnborn(ctx context.Context) error {
	for range 2 {
		if ref, err := r.git.Line(ctx, nil, "symbolic-ref", "--quiet", "HEAD"); err == nil && ref == r.branchRef() {
			return nil
		}
		if _, err := r.git.Run(ctx, nil, "symbolic-ref", "HEAD", r.branchRef()); err == nil {
			return nil
		}
	}
	return permanent(gitcli.CodeRepository, "repository %s: its HEAD cannot be pointed at branch %s", r.Name, r.Branch)
}

func (r *repository) unusable(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return asFault(err)
	}
	return permanent(gitcli.CodeRepository, "repository %s cannot be used: %s", r.Name, gitcli.Clip(err.Error()))
}

func (r *repository) branchRef() string { return "refs/heads/" + r.Branch }

// begin waits for this process's turn to write to the repository and returns
// the function that ends it. Correctness does not need it: Git decides who
// wins. It spares the processes of one worker from losing to each other.
func (r *repository) begin(ctx context.Context) (end func(), err error) {
	select {
	case r.turn <- struct{}{}:
		return func() { <-r.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
