package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
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

// names returns what is in dir and in scope, in the order of List.
func (w walk) names(ctx context.Context, dir *os.Root, at []string) ([]found, error) {
	var all []found
	err := w.each(ctx, dir, at, func(f found) error {
		if len(all) >= w.limit {
			return TooMany(w.limit)
		}
		all = append(all, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b found) int { return strings.Compare(a.sortKey(), b.sortKey()) })
	return all, nil
}

// each tells of what is in dir and in scope, in no order.
func (w walk) each(ctx context.Context, dir *os.Root, at []string, tell func(found) error) error {
	d, err := dir.Open(".")
	if err != nil {
		return closed(err)
	}
	defer d.Close()
	for {
		batch, err := d.ReadDir(1024)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, entry := range batch {
			f, ok := w.look(dir, entry.Name(), at)
			if !ok {
				continue
			}
			if err := tell(f); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return closed(err)
		}
	}
}

// look finds out what name is, without opening it, and whether it is in scope.
func (w walk) look(dir *os.Root, name string, at []string) (found, bool) {
	path := join(at, name)
	if !w.scope.enters(path) {
		return found{}, false
	}
	info, err := dir.Lstat(name)
	f := found{name: name, info: info, err: err}
	return f, f.isDir() || w.scope.Holds(path)
}

// enter opens the folder f in parent, whose path is at.
func (w walk) enter(parent *os.Root, f found, at []string) (*os.Root, error) {
	if len(at) >= maxDepth {
		return nil, &Problem{codeDeep, fmt.Sprintf("holds more than %d folders in one another; exclude them", maxDepth)}
	}
	dir, err := openFolder(parent, f.name, f.info)
	if err != nil {
		return nil, closed(err)
	}
	return dir, nil
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

func join(at []string, name string) string {
	if len(at) == 0 {
		return name
	}
	return strings.Join(at, "/") + "/" + name
}
