package gitpages

import (
	"context"
	"errors"
	"slices"
	"strings"
)

const (
	// showRounds bounds how often a page that others go on changing is
	// brought up to date again.
	showRounds = 5
	// indexRounds bounds the wait for somebody else's lock on the index.
	indexRounds = 10
)

// show brings the page in the index and in the work tree to what the head now
// holds, where both still are what they were before the effect or after it.
// Best effort, see the package comment: the effect is the commit, which is
// made, so nothing here is an error.
func (w *write) show(ctx context.Context, done effect) {
	if w.repo.worktree == "" || !done.wrote(w.key) {
		return
	}
	known := []place{done.before, done.after}
	var shown place
	for range showRounds {
		head, err := w.repo.checkedOut(ctx)
		if err != nil || head == "" {
			return
		}
		wanted := done.after
		if head != done.id {
			if wanted, err = w.repo.look(ctx, head, w.page); err != nil || wanted.blob == "" {
				return // a person made the page unreadable, or deleted it
			}
		}
		if wanted == shown {
			return
		}
		w.repo.showInIndex(ctx, w.page, known, wanted)
		w.showFile(ctx, known, wanted)
		shown, known = wanted, append(known, wanted)
	}
}

// checkedOut returns the branch's head when the branch is the one that the
// work tree shows, "" otherwise.
func (r *repository) checkedOut(ctx context.Context) (string, error) {
	out, err := r.git.Line(ctx, nil, "for-each-ref", "--format=%(HEAD)%(objectname)", r.branchRef())
	head, is := strings.CutPrefix(out, "*")
	if err != nil || !is {
		return "", err
	}
	return head, nil
}

// showInIndex comes first: an index that lags behind the head would take the
// page back with a person's next commit.
func (r *repository) showInIndex(ctx context.Context, page string, known []place, wanted place) {
	for round := range indexRounds {
		held, err := r.indexed(ctx, page)
		if err != nil || held == wanted || !slices.Contains(known, held) {
			return
		}
		if _, err = r.git.Run(ctx, indexLine(page, wanted), "update-index", "-z", "--index-info"); err == nil || !pause(ctx, round) {
			return
		}
	}
}

var errUnmerged = errors.New("the page is being merged")

// indexed returns what the index holds for the page.
func (r *repository) indexed(ctx context.Context, page string) (place, error) {
	out, err := r.git.Run(ctx, nil, "ls-files", "--stage", "-z", "--full-name", "--", page)
	if err != nil || len(out) == 0 {
		return place{}, err
	}
	// mode SP id SP stage TAB path NUL
	entry, _, _ := strings.Cut(string(out), "\t")
	fields := strings.Fields(entry)
	if len(fields) != 3 || fields[2] != "0" {
		return place{}, errUnmerged
	}
	return place{mode: fields[0], blob: fields[1]}, nil
}
