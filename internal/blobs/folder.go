package blobs

import (
	"context"
	"errors"
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
	link    func(from, to string) error // os.Link, which leaves alone what is there
	durable sync.Map                    // folders whose own entry is known to be on the disk
}

var _ storage = (*folder)(nil)

// openFolder makes the folder when it is missing, for its owner only.
func openFolder(root string) (*folder, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	return &folder{root: root, link: os.Link}, nil
}

func (f *folder) close() error { return nil }

func (f *folder) path(key string) string { return filepath.Join(f.root, filepath.FromSlash(key)) }

// open implements storage. The size is that of the file that was opened: another
// writer may put another one in its place, and changes none.
func (f *folder) open(ctx context.Context, key string) (object, error) {
	if err := ctx.Err(); err != nil {
		return object{}, err
	}
	file, err := os.Open(f.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return object{}, ErrNotFound
	}
	if err != nil {
		return object{}, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = ErrNotFound
	}
	if err != nil {
		return object{}, errors.Join(err, file.Close())
	}
	return object{file, info.Size()}, nil
}

// write implements storage.
func (f *folder) write(ctx context.Context, key string, data []byte) error {
	return f.place(ctx, key, data, os.Rename)
}

// add implements storage.
func (f *folder) add(ctx context.Context, key string, data []byte) error {
	err := f.place(ctx, key, data, f.moveToFree)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	// Whoever is told of another's object relies on it.
	if err := f.syncFolders(filepath.Dir(f.path(key))); err != nil {
		return err
	}
	return ErrExists
}

// moveToFree gives a file another name that nothing has. On a file system without
// links it looks whether that is so, and another may come in between.
func (f *folder) moveToFree(from, to string) error {
	err := f.link(from, to)
	switch {
	case err == nil:
		_ = os.Remove(from) // one that stays is what a killed writer leaves
		return nil
	case !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission):
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

// place writes an object under another name, forces it to the disk, and moves it
// to its own. Histories refer to it from then on, so the move is forced to the disk
// too.
func (f *folder) place(ctx context.Context, key string, data []byte, move func(from, to string) error) error {
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
		err = move(file.Name(), final)
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
