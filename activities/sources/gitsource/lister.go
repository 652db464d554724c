package gitsource

import (
	"bytes"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/holdpoint/holdpoint/activities/gitcli"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/internal/folder"
)

// lister takes what ls-tree -r -z --long writes, and hands on each entry as
// soon as it is whole. Whoever can push may have made the tree by hand, and Git
// passes on what its own commands would never make: names like "../x", "a//b"
// and "/x", a name twice, names out of order.
type lister struct {
	scope folder.Scope
	items sources.HiddenFolders
	leads func(path string) (string, error) // where a link leads

	rest  []byte
	last  string // the path of the entry before
	seen  bool   // something lies in the scope's folder
	onWay string
	err   error
}

// maxEntry bounds one entry: Git allows paths that no file system does.
const maxEntry = 1 << 20

// Write implements io.Writer.
func (l *lister) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for l.err == nil {
		entry, after, whole := bytes.Cut(l.rest, []byte{0})
		if !whole {
			break
		}
		l.err = l.entry(string(entry))
		l.rest = after
	}
	if l.err == nil && len(l.rest) > maxEntry {
		l.err = broken("a path of more than %d bytes", maxEntry)
	}
	if l.err != nil {
		return 0, l.err
	}
	return len(p), nil
}

// entry reads "<mode> <type> <id> <size>\t<path>"; the size is right-aligned.
func (l *lister) entry(text string) error {
	meta, path, ok := strings.Cut(text, "\t")
	fields := strings.Fields(meta)
	if !ok || len(fields) != 4 || path == "" {
		return errAnswer
	}
	twice := path == l.last
	if path < l.last {
		return broken("its names are not in order at %s", gitcli.Quote(path))
	}
	l.last = path
	if !l.inside(path, fields[0]) || !l.scope.Holds(path) {
		return nil
	}
	item := sources.Item{Path: folder.EscapePath(path), Mark: fields[2]}
	item.Size, _ = strconv.ParseInt(fields[3], 10, 64) // "-" for what is no file
	var err error
	switch {
	case !isPath(path):
		item.Skipped = "a name that no file can have"
		if strings.HasSuffix(path, "/") {
			item.Files = 1 // though it is written as a folder
		}
	case twice:
		item.Skipped = "the second of its name"
	case fields[0] == modeLink:
		item.Skipped, err = l.leads(path)
	case fields[0] == modeSubmodule:
		item.Skipped = "submodule"
	}
	if err != nil {
		return err
	}
	return l.items.Add(path, item)
}

// inside reports whether a path lies in the scope's folder, and notes what lies
// there or on the way to it.
func (l *lister) inside(path, mode string) bool {
	within := l.scope.Folder()
	if within == "" {
		l.seen = true
		return true
	}
	if path == within || strings.HasPrefix(within, path+"/") {
		l.onWay = mode
	}
	inside := strings.HasPrefix(path, within+"/")
	l.seen = l.seen || inside
	return inside
}

// The modes of what is no file.
const (
	modeLink      = "120000"
	modeSubmodule = "160000"
)

// isPath reports whether a file can have this path: no part of it is empty, "."
// or "..". That it is UTF-8 is not asked.
func isPath(path string) bool { return path != "." && fs.ValidPath(strings.ToValidUTF8(path, "?")) }

// end says why nothing lies where the task looks.
func (l *lister) end() error {
	switch {
	case l.seen || l.scope.Folder() == "":
		return l.items.End()
	case l.onWay == modeLink:
		return &folder.Problem{Code: folder.CodeLink, Reason: "is a link, or leads through one; name the folder itself"}
	case l.onWay != "":
		return &folder.Problem{Code: folder.CodeFile, Reason: "is a file, or leads through one; name its folder, and the file with include"}
	default:
		return &folder.Problem{Code: folder.CodeMissing, Reason: "does not exist; check its spelling"}
	}
}

// broken is the problem of a commit whose trees are not what Git makes.
//
// A fetch could check that too (fetch.fsckObjects). It would refuse all of a
// repository for one old commit with a time zone that nobody knows, and only
// warns of the names above; what matters here is seen here, entry by entry.
func broken(format string, args ...any) *folder.Problem {
	return &folder.Problem{
		Code:   "git_tree_broken",
		Reason: "has a commit with a broken tree (" + fmt.Sprintf(format, args...) + "); git fsck shows it, and who made it can mend it",
	}
}

// errBroken is the problem of a tree that Git itself cannot read.
var errBroken = broken("Git cannot read it")

// isBroken reports that git gave up on a tree, as its tree-walk.c says it.
func isBroken(failed *gitcli.Error) bool {
	for _, words := range []string{"in tree entry", "too-short tree", "corrupt tree file"} {
		if _, ok := failed.LineWith(words); ok {
			return true
		}
	}
	return false
}
