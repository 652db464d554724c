package gitpages

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// signing is git with the author of this repository's commits and their time.
func (r *repository) signing(at time.Time) gitcli.Git {
	date := fmt.Sprintf("@%d +0000", at.Unix())
	return r.git.With(
		"GIT_AUTHOR_NAME="+r.AuthorName, "GIT_AUTHOR_EMAIL="+r.AuthorEmail, "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME="+r.AuthorName, "GIT_COMMITTER_EMAIL="+r.AuthorEmail, "GIT_COMMITTER_DATE="+date,
	)
}

// change is one page's new content on top of one commit.
type change struct {
	parent  string // "" for the first commit of a branch
	page    string
	mode    string
	content []byte
	message string
}

// record makes the commit of a change. No ref moves, so nobody sees it yet. The tree is made in an index of its own, in a
// temporary folder: what a person has in the work tree or the index does not
// enter it.
func (r *repository) record(ctx context.Context, c change) (commit, error) {
	dir, err := os.MkdirTemp("", "holdpoint-git-")
	if err != nil {
		return commit{}, fmt.Errorf("no temporary folder: %w", err)
	}
	defer os.RemoveAll(dir)

	blob, err := r.git.Line(ctx, c.content, "hash-object", "-w", "--stdin")
	if err != nil {
		return commit{}, err
	}
	index := r.git.With("GIT_INDEX_FILE=" + filepath.Join(dir, "index"))
	if c.parent != "" {
		if _, err := index.Run(ctx, nil, "read-tree", c.parent); err != nil {
			return commit{}, err
		}
	}
	if _, err := index.Run(ctx, indexLine(c.page, place{c.mode, blob}), "update-index", "-z", "--index-info"); err != nil {
		return commit{}, err
	}
	tree, err := index.Line(ctx, nil, "write-tree")
	if err != nil {
		return commit{}, err
	}
	made := commit{at: time.Now().UTC().Truncate(time.Second), keys: keysIn(c.message)}
	args := []string{"commit-tree", tree}
	if c.parent != "" {
		made.parents = []string{c.parent}
		args = append(args, "-p", c.parent)
	}
	made.id, err = r.signing(made.at).Line(ctx, []byte(c.message), args...)
	return made, err
}

// indexLine is an entry as "update-index -z --index-info" takes it. The form
// takes every path literally, and refuses one that reaches .git by any of the
// spellings that file systems know.
func indexLine(page string, p place) []byte {
	return []byte(p.mode + " " + p.blob + "\t" + page + "\x00")
}
