package gitpages

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// showFile brings the page's file up to date when its bytes, or its absence,
// are one of the known places. Bytes that are nobody's commit are somebody's
// work, and stay.
func (w *write) showFile(ctx context.Context, known []place, wanted place) {
	content := w.content
	if wanted.blob != w.blob {
		var err error
		if content, err = w.repo.content(ctx, wanted); err != nil {
			return
		}
	}
	missingIsKnown := slices.Contains(known, place{})
	folder, name, err := openFolder(w.repo.worktree, w.page, missingIsKnown)
	if err != nil {
		return
	}
	defer folder.Close()
	info, err := folder.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && missingIsKnown:
		_ = addFile(folder, name, content)
	case err == nil && info.Mode().IsRegular() && info.Size() <= gitcli.MaxOutput:
		old, err := folder.ReadFile(name)
		if err == nil && slices.ContainsFunc(known, func(p place) bool { return p.blob == w.repo.blobID(old) }) {
			_ = replaceFile(folder, name, old, content, info.Mode().Perm())
		}
	}
}

// openFolder opens the folder of a page below the work tree and returns the
// page's name in it. With create, folders that are missing are made. No name
// on the way may be a link: [os.Root] keeps links inside the work tree but
// follows them there, and .git is inside.
func openFolder(worktree, page string, create bool) (*os.Root, string, error) {
	folder, err := os.OpenRoot(worktree)
	if err != nil {
		return nil, "", err
	}
	names := strings.Split(page, "/")
	for _, name := range names[:len(names)-1] {
		below, err := enter(folder, name, create)
		folder.Close()
		if err != nil {
			return nil, "", err
		}
		folder = below
	}
	return folder, names[len(names)-1], nil
}

var errNoFolder = errors.New("not a folder of its own")

// enter opens a folder in a folder. What was opened must be what the name
// itself stands for afterwards, so a link put there in between is noticed.
func enter(folder *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := folder.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	below, err := folder.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := below.Stat(".")
	if err == nil {
		var named fs.FileInfo
		if named, err = folder.Lstat(name); err == nil && os.SameFile(opened, named) {
			return below, nil
		}
	}
	below.Close()
	return nil, errors.Join(errNoFolder, err)
}

// addFile makes a file that does not exist. A link is made only where nothing
// is, so a file that somebody saves at this moment is kept.
func addFile(folder *os.Root, name string, content []byte) error {
	temporary, err := writeTemporary(folder, content, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(folder.Link(temporary, name), folder.Remove(temporary))
}

// replaceFile puts content in the place of old, looking once more, right
// before the rename, whether it still is old.
func replaceFile(folder *os.Root, name string, old, content []byte, perm fs.FileMode) error {
	temporary, err := writeTemporary(folder, content, perm)
	if err != nil {
		return err
	}
	present, err := folder.ReadFile(name)
	if err == nil && bytes.Equal(present, old) {
		if err = folder.Rename(temporary, name); err == nil {
			return nil
		}
	}
	return errors.Join(err, folder.Remove(temporary))
}

// writeTemporary writes a new file beside the page, on the same file system,
// so that a reader of the page sees the old bytes or the new ones.
func writeTemporary(folder *os.Root, content []byte, perm fs.FileMode) (string, error) {
	name := ".holdpoint-" + rand.Text() + ".tmp"
	f, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, folder.Remove(name))
	}
	return name, nil
}
