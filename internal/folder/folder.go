// Package folder lists and reads a folder that may hold anything. It never
// writes, and it accounts for every entry: what can be read, and the rest with
// the reason.
//
// Links are never followed, wherever they lead, and what is not a regular file
// is never opened. Every path is resolved below the root by [os.Root]. A file
// is read only while it is what was listed, so that one that was replaced or
// written to in between is not taken for it.
//
// Names are bytes, as the file system has them: two that differ in case or in
// Unicode normal form are two, and one that is no UTF-8 is a name.
package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// The codes of a Problem.
const (
	codePath       = "context_path_invalid"
	codeGlob       = "glob_invalid"
	CodeMissing    = "context_path_missing"
	codeUnreadable = "context_path_unreadable"
	CodeLink       = "context_path_is_link"
	CodeFile       = "context_path_is_file"
	codeDeep       = "context_too_deep"
	CodeMany       = "context_too_many_entries"
)

// Problem says why a folder, or a scope of it, cannot be listed at all. To try
// again cannot help before a person has changed something.
type Problem struct {
	Code   string
	Reason string // goes on from "folder X": "does not exist; check its spelling"
}

func (p *Problem) Error() string { return p.Reason }

// Unavailable says that the machine, and not the file, kept something from
// being read. Another attempt may read it, so it is never skipped.
type Unavailable struct{ Errno error }

func (u *Unavailable) Error() string { return "the file system answered: " + u.Errno.Error() }
func (u *Unavailable) Unwrap() error { return u.Errno }

// ErrChanged says that a file is not any more what was listed.
var ErrChanged = errors.New("changed since it was listed")

// Folder is an opened folder.
type Folder struct {
	root *os.Root
	mark string
}

// Open opens the folder at path. The error is *Unavailable, or its text says
// why, without the path.
func Open(path string) (*Folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, unread(err)
	}
	info, err := root.Stat(".")
	if err != nil {
		root.Close()
		return nil, unread(err)
	}
	device, inode := placeOf(info)
	return &Folder{root: root, mark: fmt.Sprintf("%x.%x", device, inode)}, nil
}

// Close ends the folder's use.
func (f *Folder) Close() error { return f.root.Close() }

// Mark tells this folder from others, such as a copy of it on another machine,
// in which every file would look changed.
func (f *Folder) Mark() string { return f.mark }

// Read returns the bytes of a file that was listed: all of them, and at most
// limit. It fails with ErrChanged when the file is another than when it was
// listed, or was written to since, with *Unavailable when another attempt may
// read it, and else with an error whose text says why it cannot be read,
// without the machine's paths.
func (f *Folder) Read(path, mark string, limit int64) ([]byte, error) {
	// Without waiting: what was a file may be a pipe now.
	file, err := f.root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, unread(err)
	}
	defer file.Close()
	before, err := file.Stat()
	if err != nil {
		return nil, unread(err)
	}
	if !before.Mode().IsRegular() || markOf(before) != mark {
		return nil, ErrChanged
	}
	if before.Size() > limit {
		return nil, fmt.Errorf("has %d bytes, and %d are allowed", before.Size(), limit)
	}
	data := make([]byte, before.Size())
	if _, err := io.ReadFull(file, data); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return nil, ErrChanged
		}
		return nil, unread(err)
	}
	after, err := file.Stat()
	if err != nil {
		return nil, unread(err)
	}
	if markOf(after) != mark {
		return nil, ErrChanged
	}
	return data, nil
}

// markOf is what a file is known again by: where it lies on the disk, its size,
// and when it was last written to.
func markOf(info fs.FileInfo) string {
	device, inode := placeOf(info)
	return fmt.Sprintf("%x.%x.%x.%x", device, inode, info.Size(), info.ModTime().UnixNano())
}

func placeOf(info fs.FileInfo) (device, inode uint64) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Dev), uint64(stat.Ino) //nolint:unconvert,nolintlint // their types differ from system to system
	}
	return 0, 0
}
