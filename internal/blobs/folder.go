package blobs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// unfinished ends the name of a file that is being written, or whose writer
// died.
const unfinished = ".tmp"

// folder is a storage of one file for each object.
type folder struct {
	root    string
	durable sync.Map // folders whose own entry is known to be on the disk
}

var _ storage = (*folder)(nil)

// openFolder makes the folder when it is missing, for its owner only.
func openFolder(root string) (*folder, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	return &folder{root: root}, nil
}

func (f *folder) close() error { return nil }

func (f *folder) path(key string) string { return filepath.Join(f.root, filepath.FromSlash(key)) }

// read implements storage. The size is not asked for beforehand: another writer
// may put another file there.
func (f *folder) read(ctx context.Context, key string, limit int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := os.Open(f.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, ErrNotFound
	case info.Size() > limit:
		return nil, ErrTooLarge
	default:
		return io.ReadAll(io.LimitReader(file, info.Size()))
	}
}

// write implements storage: the object is written under another name, forced to
// the disk, and renamed. Histories refer to it from then on, so the rename is
// forced to the disk too.
func (f *folder) write(ctx context.Context, key string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	final := f.path(key)
	if err := os.MkdirAll(filepath.Dir(final), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(final), filepath.Base(final)+".*"+unfinished)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close(), ctx.Err()); err == nil {
		err = os.Rename(file.Name(), final)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return f.syncFolders(filepath.Dir(final))
}

// syncFolders forces a new name to the disk: its entry in its folder, and, once
// for each folder in the life of this storage, the folder's own entry and those
// above it, because any of them may be new.
func (f *folder) syncFolders(in string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there, and need not be
	}
	if err := syncFolder(in); err != nil {
		return err
	}
	if _, known := f.durable.Load(in); known {
		return nil
	}
	for above := in; above != f.root; {
		above = filepath.Dir(above)
		if err := syncFolder(above); err != nil {
			return err
		}
	}
	f.durable.Store(in, true)
	return nil
}

func syncFolder(at string) error {
	opened, err := os.Open(at)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}

// list implements storage. It goes into no folder in which nothing can begin
// with prefix.
func (f *folder) list(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	top := path.Dir(prefix + "x")
	err := filepath.WalkDir(f.path(top), func(at string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // none yet, or taken away meanwhile
		}
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(f.root, at)
		if err != nil {
			return err
		}
		key := filepath.ToSlash(relative)
		switch {
		case d.IsDir() && key != top && !strings.HasPrefix(key, prefix):
			return fs.SkipDir
		case !d.IsDir() && strings.HasPrefix(key, prefix) && !strings.HasSuffix(key, unfinished):
			keys = append(keys, key)
		}
		return nil
	})
	return keys, err
}
