package gitsource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/gitcli"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/internal/folder"
)

// tree is one commit.
type tree struct {
	source *Source
	commit string
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
	links := &links{git: t.source.git, commit: t.commit}
	defer links.close()
	l := &lister{
		scope: scope, items: sources.HiddenFolders{Within: scope.Folder(), Visit: visit},
		leads: func(path string) (string, error) { return links.leads(ctx, path) },
	}
	err := t.source.git.Into(ctx, l, nil, "ls-tree", "-r", "-z", "--long", "--full-tree", t.commit)
	if err == nil {
		l.err = l.end()
	}
	_, refused := errors.AsType[*folder.Problem](l.err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case refused:
		return l.err
	case l.err != nil:
		return t.failed(l.err)
	default:
		return t.failed(err)
	}
}

// Read implements sources.Tree.
func (t *tree) Read(ctx context.Context, item *sources.Item, _ int64) ([]byte, error) {
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
func (t *tree) read(ctx context.Context, item *sources.Item) (data []byte, err error) {
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
		return nil, errAnswer
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
	if failed, ok := errors.AsType[*gitcli.Error](err); ok && isBroken(failed) {
		return errBroken
	}
	return &faults.Fault{
		Class: faults.Transient, Code: "git_failed", Cause: err,
		Reason: "the cache of " + t.source.who() + " cannot be read; remove it, while no worker runs, if this lasts",
	}
}
