package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// Entry is one thing found.
type Entry struct {
	// Path is raw, slash-separated and relative to the root. That of a folder,
	// which is listed only when it is skipped, ends in a slash.
	Path string
	Size int64  // in bytes; 0 for a folder
	Mark string // of what can be read: what Read knows it again by
	// Skipped says why it cannot be read; empty for a regular file.
	Skipped string
	// Files is how many files a skipped folder stands for, at any depth. It is 0
	// when the folder could not be looked into.
	Files int
}

// List tells visit of everything in scope, files bytewise by path, and ends
// with visit's first error. Everything below the scope's folder which its globs
// do not leave out is in scope, and for each such file
//
//	find FOLDER -mindepth 1 ! -type d | wc -l
//
// counts, one Entry or one of an Entry's Files is told. A folder whose name
// begins with a dot is one Entry: nobody wants to read the objects of a Git
// repository, and everybody wants the numbers to add up.
//
// A single folder of more than limit entries ends the walk, before they fill
// the memory. Other errors are *Problem, *Unavailable and the context's.
func (f *Folder) List(ctx context.Context, scope Scope, limit int, visit func(Entry) error) error {
	dir, err := f.openScope(scope)
	if err != nil {
		return err
	}
	defer dir.Close()
	w := walk{scope: scope, top: f.root, limit: limit, visit: visit}
	names, err := w.names(ctx, dir, scope.folder)
	if err == nil {
		err = w.entries(ctx, dir, names, scope.folder)
	}
	if shut, ok := errors.AsType[*closedError](err); ok {
		return &Problem{codeUnreadable, "cannot be listed (" + shut.reason + ")"}
	}
	return err
}

// openScope opens the scope's folder, of which no component may be a link.
func (f *Folder) openScope(scope Scope) (*os.Root, error) {
	dir, err := f.root.OpenRoot(".")
	if err != nil {
		return nil, unopened(err)
	}
	for _, name := range scope.folder {
		next, err := openStep(dir, name)
		dir.Close()
		if err != nil {
			return nil, err
		}
		dir = next
	}
	return dir, nil
}

func openStep(parent *os.Root, name string) (*os.Root, error) {
	info, err := parent.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Problem{CodeMissing, "does not exist; check its spelling"}
	case err != nil:
		return nil, unopened(err)
	case info.Mode()&os.ModeSymlink != 0:
		return nil, &Problem{CodeLink, "is a link, or leads through one; name the folder itself"}
	case !info.IsDir():
		return nil, &Problem{CodeFile, "is a file, or leads through one; name its folder, and the file with include"}
	}
	dir, err := openFolder(parent, name, info)
	if err != nil {
		return nil, unopened(err)
	}
	return dir, nil
}

func unopened(err error) error {
	if machine := unavailable(err); machine != nil {
		return machine
	}
	return &Problem{codeUnreadable, "cannot be opened (" + reasonOf(err) + ")"}
}

// walk goes through one scope.
type walk struct {
	scope Scope
	top   *os.Root // of the folder, to say where links lead
	limit int
	visit func(Entry) error
}

// entries tells of everything in dir, whose path is at.
func (w walk) entries(ctx context.Context, dir *os.Root, names []found, at []string) error {
	for _, f := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		switch {
		case f.isDir() && f.hidden():
			err = w.hiddenFolder(ctx, dir, f, at)
		case f.isDir():
			err = w.subfolder(ctx, dir, f, at)
		default:
			err = w.file(f, join(at, f.name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w walk) subfolder(ctx context.Context, parent *os.Root, f found, at []string) error {
	dir, names, err := w.open(ctx, parent, f, at)
	if shut, ok := errors.AsType[*closedError](err); ok {
		return w.visit(Entry{Path: join(at, f.name) + "/", Skipped: shut.Error()})
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	return w.entries(ctx, dir, names, append(slices.Clip(at), f.name))
}

// open opens and lists the folder f in parent, whose path is at.
func (w walk) open(ctx context.Context, parent *os.Root, f found, at []string) (*os.Root, []found, error) {
	dir, err := w.enter(parent, f, at)
	if err != nil {
		return nil, nil, err
	}
	names, err := w.names(ctx, dir, append(slices.Clip(at), f.name))
	if err != nil {
		dir.Close()
		return nil, nil, err
	}
	return dir, names, nil
}

// hiddenFolder counts what lies in a hidden folder.
func (w walk) hiddenFolder(ctx context.Context, parent *os.Root, f found, at []string) error {
	n, err := w.count(ctx, parent, f, at)
	if err != nil || n == 0 {
		return err
	}
	return w.visit(Entry{Path: join(at, f.name) + "/", Skipped: "hidden folder", Files: n})
}

// count returns how many files in scope lie in the folder f, as far as it can
// be looked into. It keeps none of their names.
func (w walk) count(ctx context.Context, parent *os.Root, f found, at []string) (int, error) {
	dir, err := w.enter(parent, f, at)
	if _, shut := errors.AsType[*closedError](err); shut {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	at = append(slices.Clip(at), f.name)
	n := 0
	err = w.each(ctx, dir, at, func(f found) error {
		if !f.isDir() {
			n++
			return nil
		}
		below, err := w.count(ctx, dir, f, at)
		n += below
		return err
	})
	if _, shut := errors.AsType[*closedError](err); shut {
		err = nil
	}
	return n, err
}

func (w walk) file(f found, path string) error {
	e := Entry{Path: path}
	if f.err != nil {
		if machine := unavailable(f.err); machine != nil {
			return machine
		}
		e.Skipped = "cannot be read (" + reasonOf(f.err) + ")"
		return w.visit(e)
	}
	e.Size = f.info.Size()
	switch mode := f.info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		e.Skipped = w.linkReason(path)
	case !mode.IsRegular():
		e.Skipped = "not a regular file (" + kindOf(mode) + ")"
	case f.hidden():
		e.Skipped = "hidden"
	default:
		e.Mark = markOf(f.info)
	}
	return w.visit(e)
}

// linkReason says where a link leads, which is all that is done with it.
func (w walk) linkReason(path string) string {
	_, err := w.top.Stat(path)
	switch {
	case err == nil:
		return "link inside the root"
	case errors.Is(err, syscall.ELOOP):
		return "link loop"
	case errors.Is(err, fs.ErrNotExist):
		return "dangling link"
	case errors.Is(err, fs.ErrPermission):
		return "link to what cannot be read"
	default:
		return "link leaves the root"
	}
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "fifo"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	default:
		return "special file"
	}
}

// TooMany is the problem of a source that holds more than limit entries.
func TooMany(limit int) *Problem {
	return &Problem{CodeMany, fmt.Sprintf("holds more than %d entries; name a smaller folder, or use include and exclude", limit)}
}
