package gitpages

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// inspect is look, and refuses links in the work tree as well, which nobody
// may have committed yet.
func (r *repository) inspect(ctx context.Context, commit, page string) (place, error) {
	p, err := r.look(ctx, commit, page)
	if err != nil {
		return place{}, err
	}
	return p, r.refuseLinks(page)
}

// refuseLinks refuses a page whose path, as far as it exists in the work tree,
// has a symbolic link in it.
func (r *repository) refuseLinks(page string) error {
	if r.worktree == "" {
		return nil
	}
	root, err := os.OpenRoot(r.worktree)
	if err != nil {
		return permanent(gitcli.CodeRepository, "the folder of repository %s cannot be opened", r.Name)
	}
	defer root.Close()
	for end := range len(page) + 1 {
		if end < len(page) && page[end] != '/' {
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(page[:end]))
		if err != nil {
			return nil // what does not exist is no link, and nothing can exist below it
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return permanent(codePageLink, "%s is a link in the work tree of repository %s; pages are not written through it", gitcli.Quote(page[:end]), r.Name)
		}
	}
	return nil
}
