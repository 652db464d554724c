package sources

import (
	"context"
	"fmt"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/folder"
	"github.com/holdpoint/holdpoint/internal/upload"
	"github.com/holdpoint/holdpoint/workflows"
)

// Upload is what a requester has put into the blob store, see package upload.
type Upload struct {
	List plan.Digest // the address of its list
}

// Kind implements Source.
func (Upload) Kind() string { return workflows.SourceUpload }

// Open implements Source. Its only moment is the list's.
func (u Upload) Open(ctx context.Context, o Opening) (Tree, error) {
	raw, err := o.Store.Get(ctx, u.List, upload.MaxListBytes)
	if faults.ClassOf(err) == faults.Permanent {
		return nil, &folder.Problem{
			Code: "upload_missing",
			Reason: "is an upload that is not in this worker's blob store, or not whole; " +
				"store it with the tenant of the task, and where this worker reads",
		}
	}
	if err != nil {
		return nil, err
	}
	list, err := upload.Parse(raw)
	if err != nil {
		return nil, &folder.Problem{Code: "upload_invalid", Reason: "is no list of uploaded files (" + plan.Clip(plan.Escape(err.Error()), 300) + ")"}
	}
	return uploadTree{u.List, list, o.Store}, nil
}

type uploadTree struct {
	digest plan.Digest
	list   upload.List
	store  Store
}

// Moment implements Tree.
func (t uploadTree) Moment() string { return t.digest.String() }

// Origin implements Tree.
func (t uploadTree) Origin() *Origin { return &Origin{Upload: t.digest} }

// List implements Tree. The list is held as a whole, so that one of more than
// limit files is refused, whatever the scope leaves of it.
func (t uploadTree) List(_ context.Context, scope folder.Scope, limit int, visit func(Item) error) error {
	if len(t.list.Files) > limit {
		return &folder.Problem{
			Code: folder.CodeMany,
			Reason: fmt.Sprintf("is an upload of %d files, and %d are allowed; attach a smaller folder, or use --include and --exclude",
				len(t.list.Files), limit),
		}
	}
	hidden := HiddenFolders{Within: scope.Folder(), Visit: visit}
	for _, f := range t.list.Files {
		raw, err := folder.RawPath(f.Path)
		if err != nil {
			return err
		}
		if !scope.Holds(raw) {
			continue
		}
		item := Item{Path: f.Path, Size: f.Size, Digest: f.Digest, Files: f.Files}
		if f.Skipped != "" {
			item.Skipped = "left out of the upload: " + plan.Escape(f.Skipped)
		}
		if err := hidden.Add(raw, item); err != nil {
			return err
		}
	}
	return hidden.End()
}

// Read implements Tree.
func (t uploadTree) Read(ctx context.Context, item *Item, _ int64) ([]byte, error) {
	data, err := t.store.Get(ctx, item.Digest, item.Size)
	switch {
	case faults.ClassOf(err) == faults.Permanent:
		return nil, &folder.Problem{
			Code: "upload_incomplete",
			Reason: fmt.Sprintf("is an upload that is not complete: the bytes of %q are not in this worker's blob store, or not whole; "+
				"attach the folder again, with the tenant of the task, and where this worker reads", plan.Clip(plan.Escape(item.Path), maxShownPath)),
		}
	case err == nil && int64(len(data)) != item.Size:
		return nil, &folder.Problem{Code: "upload_invalid", Reason: "lists sizes that are not those of its files"}
	default:
		return data, err
	}
}

// maxShownPath bounds a path in an error, in bytes.
const maxShownPath = 300

// Close implements Tree.
func (uploadTree) Close() error { return nil }
