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

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// transactionTimeout bounds one ref transaction. It takes milliseconds; Git
// itself gives up a lock that it does not get after one second at most.
const transactionTimeout = 10 * time.Second

// localRefs are the refs in the repository itself.
type localRefs struct{ *repository }

// position reads the marker before the branch: a transaction moves the branch
// first, so a marker that is seen here has its branch moved already, except
// after a crash.
func (l localRefs) position(ctx context.Context, key string) (position, error) {
	asked := l.branchRef() + "\n"
	if key != "" {
		asked = markerRef(key) + "\n" + asked
	}
	out, err := l.git.Line(ctx, []byte(asked), "cat-file", "--batch-check=%(objectname)")
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

// move is one ref transaction. One that has begun is not canceled with ctx: it
// ends at once by itself, and killing it is what could leave locks and half a
// result behind.
func (l localRefs) move(ctx context.Context, key string, from, to position) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var script bytes.Buffer
	script.WriteString("start\n")
	if from.head != to.head {
		script.WriteString(refCommand(l.branchRef(), from.head, to.head))
	}
	script.WriteString(refCommand(markerRef(key), from.marker, to.marker))
	script.WriteString("prepare\ncommit\n")

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), transactionTimeout)
	defer cancel()
	if _, err := l.signing(time.Now()).Run(ctx, script.Bytes(), "update-ref", "-m", "holdpoint "+key, "--stdin"); err != nil {
		return &lostError{cause: err, doubt: wasKilled(err)}
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

// wasKilled reports whether git did not come to its own end, so that nobody
// can say what it did before someone has read the refs.
func wasKilled(err error) bool {
	failed, ok := errors.AsType[*gitcli.Error](err)
	return !ok || failed.Exit < 0
}

func (l localRefs) stuck(key string, lost *lostError) *faults.Fault {
	if file, age := l.lockFile(key); file != "" {
		return transient(codeRefsLocked, lost,
			"%s of repository %s is locked (%s old): a git process is at work, or a crash left the lock; when no git process runs there, remove it",
			file, l.Name, age)
	}
	return asFault(lost)
}

// lockFile names a lock of a ref transaction that exists now, as a path below
// the repository's git directory, and its age. "" when there is none.
func (l localRefs) lockFile(key string) (name string, age time.Duration) {
	places := []struct{ dir, name string }{
		{l.commonDir, l.branchRef() + ".lock"},
		{l.commonDir, markerRef(key) + ".lock"},
		{l.commonDir, "packed-refs.lock"},
		{l.git.GitDir, "HEAD.lock"},
	}
	for _, p := range places {
		if info, err := os.Lstat(filepath.Join(p.dir, filepath.FromSlash(p.name))); err == nil {
			return p.name, time.Since(info.ModTime()).Round(time.Second)
		}
	}
	return "", 0
}
