package sources

import (
	"context"
	"errors"

	"github.com/holdpoint/holdpoint/internal/folder"
	"github.com/holdpoint/holdpoint/workflows"
)

// Dir is a folder of this machine. A task knows its name and never its place.
type Dir struct {
	Root string // path
}

// Kind implements Source.
func (Dir) Kind() string { return workflows.SourceDir }

// Open implements Source. The moment is the folder itself: the files in it are
// compared one by one, and another folder's all differ.
func (d Dir) Open(_ context.Context, o Opening) (Tree, error) {
	opened, err := folder.Open(d.Root)
	if _, machine := errors.AsType[*folder.Unavailable](err); machine {
		return nil, err
	}
	if err != nil {
		return nil, &folder.Problem{
			Code:   "source_root_unusable",
			Reason: "has a folder that cannot be opened on this worker (" + err.Error() + "); correct it in the worker's configuration",
		}
	}
	if o.Moment != "" && o.Moment != opened.Mark() {
		opened.Close()
		return nil, ErrGone
	}
	return dirTree{opened}, nil
}

type dirTree struct{ *folder.Folder }

// Moment implements Tree.
func (t dirTree) Moment() string { return t.Mark() }

// Origin implements Tree.
func (dirTree) Origin() *Origin { return nil }

// List implements Tree.
func (t dirTree) List(ctx context.Context, scope folder.Scope, limit int, visit func(Item) error) error {
	return t.Folder.List(ctx, scope, limit, func(e folder.Entry) error {
		return visit(Item{Path: folder.EscapePath(e.Path), Size: e.Size, Mark: e.Mark, Skipped: e.Skipped, Files: e.Files})
	})
}

// Read implements Tree.
func (t dirTree) Read(_ context.Context, item *Item, limit int64) ([]byte, error) {
	path, err := folder.RawPath(item.Path)
	if err != nil {
		return nil, err
	}
	data, err := t.Folder.Read(path, item.Mark, limit)
	if _, machine := errors.AsType[*folder.Unavailable](err); err == nil || machine {
		return data, err
	}
	if errors.Is(err, folder.ErrChanged) {
		return nil, &Skip{err.Error()}
	}
	return nil, &Skip{"cannot be read (" + err.Error() + ")"}
}
