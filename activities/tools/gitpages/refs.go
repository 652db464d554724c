package gitpages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// transactionTimeout bounds one ref transaction. It takes milliseconds; Git
// itself gives up a lock that it does not get after one second at most.
const transactionTimeout = 10 * time.Second

// position is where the two refs of one action stand: commit ids, "" for a
// ref that does not exist.
type position struct {
	marker, head string
}

func markerRef(key string) string { return "refs/holdpoint/" + key }

// position reads the marker of key, then the branch; with key "" the branch
// only. The order matters: a transaction moves the branch first, so a marker
// that is seen here has its branch moved already, except after a crash.
func (r *repository) position(ctx context.Context, key string) (position, error) {
	asked := r.branchRef() + "\n"
	if key != "" {
		asked = markerRef(key) + "\n" + asked
	}
	out, err := r.git.line(ctx, []byte(asked), "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return position{}, err
	}
	var ids []string
	for line := range strings.SplitSeq(out, "\n") {
		if strings.HasSuffix(line, " missing") {
			line = ""
		}
		ids = append(ids, line)
	}
	switch {
	case key == "" && len(ids) == 1:
		return position{head: ids[0]}, nil
	case key != "" && len(ids) == 2:
		return position{marker: ids[0], head: ids[1]}, nil
	default:
		return position{}, fmt.Errorf("git cat-file answered %d lines", len(ids))
	}
}

// moveRefs makes the step from one position to another in one transaction,
// and does so only when both refs still are where from says. A ref that does
// not change is still compared, except the branch when only the marker is
// made: that marker says what the page was at some head, whatever follows it.
//
// A transaction that has begun is not canceled with ctx: it ends at once by
// itself, and killing it is what could leave locks and half a result behind.
func (r *repository) moveRefs(ctx context.Context, key string, from, to position) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var script bytes.Buffer
	script.WriteString("start\n")
	if from.head != to.head {
		script.WriteString(refCommand(r.branchRef(), from.head, to.head))
	}
	script.WriteString(refCommand(markerRef(key), from.marker, to.marker))
	script.WriteString("prepare\ncommit\n")

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), transactionTimeout)
	defer cancel()
	if _, err := r.signing(time.Now()).run(ctx, script.Bytes(), "update-ref", "-m", "holdpoint "+key, "--stdin"); err != nil {
		return &lostError{err}
	}
	return nil
}

func refCommand(ref, from, to string) string {
	switch from {
	case "":
		return "create " + ref + " " + to + "\n"
	case to:
		return "verify " + ref + " " + to + "\n"
	default:
		return "update " + ref + " " + to + " " + from + "\n"
	}
}

// lostError is a ref transaction that git did not report as done. What became
// of it stands in the refs, and nowhere else.
type lostError struct{ cause error }

func (e *lostError) Error() string { return e.cause.Error() }
func (e *lostError) Unwrap() error { return e.cause }

// killed reports whether git did not come to its own end, so that nobody can
// say what it did before someone has read the refs.
func (e *lostError) killed() bool {
	var failed *gitError
	return !errors.As(e.cause, &failed) || failed.exit < 0
}

// lockFile names a lock of a ref transaction that exists now, as a path below
// the repository's git directory, and its age. "" when there is none.
func (r *repository) lockFile(key string) (name string, age time.Duration) {
	places := []struct{ dir, name string }{
		{r.commonDir, r.branchRef() + ".lock"},
		{r.commonDir, markerRef(key) + ".lock"},
		{r.commonDir, "packed-refs.lock"},
		{r.git.gitDir, "HEAD.lock"},
	}
	for _, p := range places {
		if info, err := os.Lstat(filepath.Join(p.dir, filepath.FromSlash(p.name))); err == nil {
			return p.name, time.Since(info.ModTime()).Round(time.Second)
		}
	}
	return "", 0
}
