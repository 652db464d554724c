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

// syncFolders forces the folders above an object to the disk, up to the root:
// any of them may be new.
func (s *Store) syncFolders(key string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there, and need not be
	}
	folder := filepath.Join(s.root, filepath.FromSlash(key))
	for folder != filepath.Clean(s.root) {
		folder = filepath.Dir(folder)
		if err := syncFolder(folder); err != nil {
			return err
		}
	}
	return nil
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
