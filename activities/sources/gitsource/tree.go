package gitsource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/gitcli"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/internal/folder"
)

// tree is one commit.
type tree struct {
	source *Source
	commit string
	limit  int64                // bytes of a file
	blobs  *gitcli.Conversation // started with the first file
}

// Moment implements sources.Tree.
func (t *tree) Moment() string { return t.commit }

// Origin implements sources.Tree.
func (t *tree) Origin() *sources.Origin {
	return &sources.Origin{URL: t.source.address.Public(), Ref: t.source.Ref, Commit: t.commit}
}

// List implements sources.Tree.
func (t *tree) List(ctx context.Context, scope folder.Scope, _ int, visit func(sources.Item) error) error {
	l := &lister{scope: scope, visit: visit}
	err := t.source.git.Into(ctx, l, nil, "ls-tree", "-r", "-z", "--long", "--full-tree", t.commit)
	if err == nil {
		l.err = l.end()
	}
	switch {
	case l.err != nil:
		return l.err
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		return t.failed(err)
	}
}

// Read implements sources.Tree.
func (t *tree) Read(ctx context.Context, item sources.Item) ([]byte, error) {
	if item.Size > t.limit {
		return nil, &sources.Skip{Reason: sources.TooLarge(item.Size, t.limit)}
	}
	data, err := t.read(ctx, item)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err()
	default:
		return nil, t.failed(err)
	}
	// https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
	if len(data) < 1024 && bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/spec/")) {
		return nil, &sources.Skip{Reason: "kept by Git LFS, which is not fetched"}
	}
	return data, nil
}

// read asks for one object and takes all of the answer, "<id> blob <size>" and
// the content on the lines after it.
func (t *tree) read(ctx context.Context, item sources.Item) (data []byte, err error) {
	if t.blobs == nil {
		if t.blobs, err = t.source.git.Talk(ctx, "cat-file", "--batch"); err != nil {
			return nil, err
		}
	}
	if _, err := io.WriteString(t.blobs.In, item.Mark+"\n"); err != nil {
		return nil, err
	}
	header, err := t.blobs.Out.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	if want := fmt.Sprintf("%s blob %d\n", item.Mark, item.Size); string(header) != want {
		return nil, fmt.Errorf("git answered something else than was asked, in %d bytes", len(header))
	}
	data = make([]byte, item.Size+1)
	if _, err := io.ReadFull(t.blobs.Out, data); err != nil {
		return nil, err
	}
	return data[:item.Size], nil
}

// Close implements sources.Tree.
func (t *tree) Close() error {
	if t.blobs == nil {
		return nil
	}
	return t.blobs.Close()
}

// failed is the fault for a cache that does not give what was fetched into it.
func (t *tree) failed(err error) error {
	if err == nil {
		return nil
	}
	if fault, ok := errors.AsType[*faults.Fault](err); ok {
		return fault
	}
	return &faults.Fault{
		Class: faults.Transient, Code: "git_failed", Cause: err,
		Reason: "the cache of " + t.source.who() + " cannot be read; remove it, while no worker runs, if this lasts",
	}
}

// lister takes what ls-tree -r -z --long writes, and hands on each entry as
// soon as it is whole.
type lister struct {
	scope folder.Scope
	visit func(sources.Item) error

	rest   []byte
	seen   bool // something lies in the scope's folder
	onWay  string
	hidden sources.Item // the hidden folder that the entries are in
	err    error
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
		l.err = errors.New("an entry of git ls-tree is too long")
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
	if !ok || len(fields) != 4 {
		return errors.New("git ls-tree answered something else than was asked")
	}
	within := l.scope.Folder()
	if within != "" && (path == within || strings.HasPrefix(within, path+"/")) {
		l.onWay = fields[0]
	}
	below, inside := path, true
	if within != "" {
		below, inside = strings.CutPrefix(path, within+"/")
	}
	l.seen = l.seen || inside
	if !inside || !l.scope.Holds(path) {
		return nil
	}
	if at := hiddenFolder(below); at > 0 {
		return l.inHidden(path[:len(path)-len(below)+at])
	}
	if err := l.flush(); err != nil {
		return err
	}
	item := sources.Item{Path: folder.EscapePath(path), Mark: fields[2]}
	item.Size, _ = strconv.ParseInt(fields[3], 10, 64) // "-" for what is no file
	switch fields[0] {
	case modeLink:
		item.Skipped = "link"
	case modeSubmodule:
		item.Skipped = "submodule"
	}
	return l.visit(item)
}

// The modes of what is no file.
const (
	modeLink      = "120000"
	modeSubmodule = "160000"
)

// hiddenFolder returns the length of the first folder on the path whose name
// begins with a dot, with its slash; 0 for none.
func hiddenFolder(path string) int {
	at := 0
	for {
		name, rest, folder := strings.Cut(path[at:], "/")
		switch {
		case !folder:
			return 0
		case name[0] == '.':
			return len(path) - len(rest)
		}
		at = len(path) - len(rest)
	}
}

// inHidden counts a file of a hidden folder. Those of one folder follow one
// another.
func (l *lister) inHidden(path string) error {
	path = folder.EscapePath(path)
	if l.hidden.Path != path {
		if err := l.flush(); err != nil {
			return err
		}
		l.hidden = sources.Item{Path: path, Skipped: "hidden folder"}
	}
	l.hidden.Files++
	return nil
}

func (l *lister) flush() error {
	if l.hidden.Path == "" {
		return nil
	}
	item := l.hidden
	l.hidden = sources.Item{}
	return l.visit(item)
}

// end says why nothing lies where the task looks.
func (l *lister) end() error {
	switch {
	case l.seen || l.scope.Folder() == "":
		return l.flush()
	case l.onWay == modeLink:
		return &folder.Problem{Code: folder.CodeLink, Reason: "is a link, or leads through one; name the folder itself"}
	case l.onWay != "":
		return &folder.Problem{Code: folder.CodeFile, Reason: "is a file, or leads through one; name its folder, and the file with include"}
	default:
		return &folder.Problem{Code: folder.CodeMissing, Reason: "does not exist; check its spelling"}
	}
}
