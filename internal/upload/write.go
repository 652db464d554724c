package upload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/folder"
)

// Limits bound one upload.
type Limits struct {
	FileBytes  int64 // a larger file is left out
	TotalBytes int64 // a file that does not fit into what is left of it is left out
	Entries    int   // more refuse the folder
}

// Put stores bytes and returns their digest. It may keep data.
type Put func(ctx context.Context, data []byte) (plan.Digest, error)

// Written is an upload that is in the store.
type Written struct {
	Digest plan.Digest // of the list: what a task names as Source.Upload
	List   List
	Stored int   // files
	Bytes  int64 // of them
}

// ErrEmpty says that a folder holds nothing that could be stored.
var ErrEmpty = errors.New("holds no file that can be uploaded")

// Write stores the files of the folder at path that are in scope, one after the
// other, and their list. It goes through the folder as a worker does through
// its own (see package folder): links are never followed, what is hidden or no
// regular file is left out, and the list says so. Of which formats text can be
// read is the worker's business, so files of every format are stored.
//
// A *folder.Problem and ErrEmpty are texts that go on from the folder's name;
// other errors are *folder.Unavailable, put's and the context's.
func Write(ctx context.Context, path string, scope folder.Scope, limits Limits, put Put) (Written, error) {
	from, err := folder.Open(path)
	if err != nil {
		return Written{}, err
	}
	defer from.Close()
	found, err := entries(ctx, from, scope, limits.Entries)
	if err != nil {
		return Written{}, err
	}
	w := Written{List: List{Format: Format, Files: make([]File, 0, len(found))}}
	for _, e := range found {
		file, err := w.store(ctx, from, e, limits, put)
		if err != nil {
			return Written{}, err
		}
		w.List.Files = append(w.List.Files, file)
	}
	if w.Stored == 0 {
		return w, ErrEmpty
	}
	return w, w.finish(ctx, limits.Entries, put)
}

// One stores one file, under a name of the caller's choice, and the list that
// has it alone.
func One(ctx context.Context, name string, data []byte, put Put) (Written, error) {
	digest, err := put(ctx, data)
	if err != nil {
		return Written{}, err
	}
	file := File{Path: folder.EscapePath(name), Size: int64(len(data)), Digest: digest}
	w := Written{List: List{Format: Format, Files: []File{file}}, Stored: 1, Bytes: file.Size}
	return w, w.finish(ctx, 1, put)
}

// finish stores the list.
func (w *Written) finish(ctx context.Context, entries int, put Put) error {
	raw, err := json.Marshal(w.List)
	if err != nil {
		return err
	}
	if len(raw) > MaxListBytes {
		return folder.TooMany(entries)
	}
	w.Digest, err = put(ctx, raw)
	return err
}

func entries(ctx context.Context, from *folder.Folder, scope folder.Scope, limit int) ([]folder.Entry, error) {
	var found []folder.Entry
	err := from.List(ctx, scope, limit, func(e folder.Entry) error {
		if len(found) >= limit {
			return folder.TooMany(limit)
		}
		found = append(found, e)
		return nil
	})
	return found, err
}

func (w *Written) store(ctx context.Context, from *folder.Folder, e folder.Entry, limits Limits, put Put) (File, error) {
	f := File{Path: folder.EscapePath(e.Path), Size: e.Size, Skipped: e.Skipped, Files: e.Files}
	switch left := limits.TotalBytes - w.Bytes; {
	case f.Skipped != "":
	case e.Size == 0:
		f.Skipped = "empty"
	case e.Size > limits.FileBytes:
		f.Skipped = fmt.Sprintf("too large: %d bytes, the limit for a file is %d", e.Size, limits.FileBytes)
	case e.Size > left:
		f.Skipped = fmt.Sprintf("past the total limit: %d bytes, of %d in all %d are left", e.Size, limits.TotalBytes, left)
	}
	if f.Skipped != "" {
		return f, nil
	}
	if err := ctx.Err(); err != nil {
		return File{}, err
	}
	data, err := from.Read(e.Path, e.Mark, limits.FileBytes)
	if err != nil {
		f.Skipped, err = unread(err)
		return f, err
	}
	if f.Digest, err = put(ctx, data); err != nil {
		return File{}, err
	}
	w.Stored++
	w.Bytes += f.Size
	return f, nil
}

// unread is the reason to leave a file out, or the error to give up for.
func unread(err error) (reason string, _ error) {
	if _, machine := errors.AsType[*folder.Unavailable](err); machine {
		return "", err
	}
	if errors.Is(err, folder.ErrChanged) {
		return err.Error(), nil
	}
	return "cannot be read (" + err.Error() + ")", nil
}
