package blobs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"gocloud.dev/blob"
)

// write makes the object visible whole or not at all: it is written under
// another name, forced to the disk, and renamed. Histories refer to it from
// then on, so the rename is forced to the disk too.
func (s *Store) write(ctx context.Context, key string, data []byte) error {
	// Canceling before Close is how a writer is told to leave nothing behind.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var file *os.File
	w, err := s.bucket.NewWriter(ctx, key, &blob.WriterOptions{
		// A given type keeps the writer from waiting for bytes to guess it from.
		ContentType: "application/octet-stream",
		BeforeWrite: func(as func(any) bool) error {
			as(&file)
			return nil
		},
	})
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	if err == nil && file != nil {
		err = file.Sync()
	}
	if err != nil {
		cancel()
		return errors.Join(err, w.Close())
	}
	if err := w.Close(); err != nil {
		return err
	}
	return s.syncFolders(key)
}

// syncFolders forces an object's name to the disk: its entry in its folder,
// and, once for each folder in the life of this Store, the folder's own entry
// and those above it, because any of them may be new.
func (s *Store) syncFolders(key string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there, and need not be
	}
	folder := filepath.Dir(filepath.Join(s.root, filepath.FromSlash(key)))
	if err := syncFolder(folder); err != nil {
		return err
	}
	if _, known := s.durable.Load(folder); known {
		return nil
	}
	for above := folder; above != s.root; {
		above = filepath.Dir(above)
		if err := syncFolder(above); err != nil {
			return err
		}
	}
	s.durable.Store(folder, true)
	return nil
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
