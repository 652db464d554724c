// Package regularfile opens the files that a person names. A pipe that nobody
// writes to would keep a program waiting where no signal reaches it, and what a
// pipe or a device gives once it does not give again.
package regularfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Open opens a regular file, or what links to one, for reading, and waits for
// nobody. Its errors name the path; that of a file that is not there is
// fs.ErrNotExist.
func Open(path string) (*os.File, error) {
	// Before it is opened: to open a device can have an effect.
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := check(path, info); err != nil {
		return nil, err
	}
	// Without waiting: what was a file may be a pipe now.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = check(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Read reads a regular file whole, as Open opens it.
func Read(path string) (data []byte, err error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return io.ReadAll(file)
}

func check(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("%s is %s, and only a file is read here: %s", path, kindOf(info.Mode()), remedyOf(info.Mode()))
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	default:
		return "no regular file"
	}
}

func remedyOf(mode fs.FileMode) string {
	if mode.IsDir() {
		return "name a file in it"
	}
	return "write what it gives into a file, and name that"
}
