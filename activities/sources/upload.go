package sources

import (
	"context"

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

// List implements Tree.
func (t uploadTree) List(_ context.Context, scope folder.Scope, _ int, visit func(Item) error) error {
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
		if err := visit(item); err != nil {
			return err
		}
	}
	return nil
}

// Read implements Tree.
func (t uploadTree) Read(ctx context.Context, item Item) ([]byte, error) {
	data, err := t.store.Get(ctx, item.Digest, item.Size)
	if err == nil && int64(len(data)) != item.Size {
		return nil, &folder.Problem{Code: "upload_invalid", Reason: "lists sizes that are not those of its files"}
	}
	return data, err
}

// Close implements Tree.
func (uploadTree) Close() error { return nil }
