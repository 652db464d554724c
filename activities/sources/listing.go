package sources

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// maxDepth bounds the folders that are open at one time.
const maxDepth = 100

// found is one name in a folder, as it was listed.
type found struct {
	name string
	info fs.FileInfo // of the name itself, never of what a link leads to
	err  error       // why info is missing
}

func (f found) isDir() bool  { return f.info != nil && f.info.IsDir() }
func (f found) hidden() bool { return f.name[0] == '.' }

// sortKey makes the order of names the order of the paths below them.
func (f found) sortKey() string {
	if f.isDir() {
		return f.name + "/"
	}
	return f.name
}

// unreadable is a folder that cannot be looked into. The run goes on.
type unreadable struct{ reason string }

func (e *unreadable) Error() string { return "folder cannot be read (" + e.reason + ")" }

// open opens and lists the folder f in parent, whose path is at.
func (w walk) open(ctx context.Context, parent *os.Root, f found, at []string) (*os.Root, []found, error) {
	if len(at) >= maxDepth {
		return nil, nil, refuse("context_too_deep", fmt.Sprintf(
			"source %q holds more than %d folders in one another; exclude them", w.source, maxDepth))
	}
	dir, err := openFolder(parent, f.name, f.info)
	if err != nil {
		return nil, nil, closedFolder(err)
	}
	list, err := w.list(ctx, dir, append(slices.Clip(at), f.name))
	if err != nil {
		dir.Close()
		return nil, nil, err
	}
	return dir, list, nil
}

// list returns what is in dir and in scope, in the order of the manifest.
func (w walk) list(ctx context.Context, dir *os.Root, at []string) ([]found, error) {
	d, err := dir.Open(".")
	if err != nil {
		return nil, closedFolder(err)
	}
	defer d.Close()
	var list []found
	for {
		batch, err := d.ReadDir(1024)
		if ctx.Err() != nil {
			return nil, faults.Name(ctx.Err())
		}
		for _, entry := range batch {
			if f, ok := w.look(dir, entry.Name(), at); ok {
				list = append(list, f)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, closedFolder(err)
		}
	}
	slices.SortFunc(list, func(a, b found) int { return strings.Compare(a.sortKey(), b.sortKey()) })
	return list, nil
}

// look finds out what name is, without opening it, and whether it is in scope.
func (w walk) look(dir *os.Root, name string, at []string) (found, bool) {
	path := join(at, name)
	if !w.scope.enters(path) {
		return found{}, false
	}
	info, err := dir.Lstat(name)
	f := found{name: name, info: info, err: err}
	return f, f.isDir() || w.scope.holds(path)
}

// openFolder opens the folder name in parent, which was listed as info. The
// trailing dot makes the system open name as a folder or not at all, so that a
// pipe put in its place cannot hold the open up.
func openFolder(parent *os.Root, name string, info fs.FileInfo) (*os.Root, error) {
	dir, err := parent.OpenRoot(name + "/.")
	if err != nil {
		return nil, err
	}
	now, err := dir.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = errSwapped
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return dir, nil
}

// errSwapped says that a name stands for something else than when it was listed.
var errSwapped = errors.New("replaced while the folder was being read")

// closedFolder is the error for a folder that could not be opened or listed.
func closedFolder(err error) error {
	if fault := machineFault(err); fault != nil {
		return fault
	}
	return &unreadable{reasonOf(err)}
}

// machineFault returns the fault when err speaks of the machine and not of the
// file: then another attempt may read what this one could not, and skipping
// would quietly leave out documents.
func machineFault(err error) error {
	for _, errno := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT} {
		if errors.Is(err, errno) {
			return &faults.Fault{Class: faults.Transient, Code: "source_unavailable", Reason: "the file system answered: " + errno.Error(), Cause: err}
		}
	}
	return nil
}

// reasonOf says why something could not be opened, without the machine's paths.
func reasonOf(err error) string {
	var errno syscall.Errno
	switch {
	case errors.Is(err, errSwapped):
		return errSwapped.Error()
	case errors.Is(err, fs.ErrNotExist):
		return "no longer there"
	case errors.As(err, &errno):
		return errno.Error()
	default:
		// os.Root's refusal to leave the root has no name of its own.
		return "leads out of the root, or is no folder"
	}
}

func join(at []string, name string) string {
	if len(at) == 0 {
		return name
	}
	return strings.Join(at, "/") + "/" + name
}
