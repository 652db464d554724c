package sources

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// walk goes through one selection.
type walk struct {
	Collector
	source   string
	scope    scope
	top      *os.Root // of the source, to say where links lead
	manifest *Manifest
}

// entries lists, reads or skips everything in dir, whose path is at.
func (w walk) entries(ctx context.Context, dir *os.Root, list []found, at []string) error {
	for _, f := range list {
		if err := ctx.Err(); err != nil {
			return faults.Name(err)
		}
		var err error
		switch {
		case f.isDir() && f.hidden():
			err = w.hiddenFolder(ctx, dir, f, at)
		case f.isDir():
			err = w.subfolder(ctx, dir, f, at)
		default:
			err = w.file(ctx, dir, f, join(at, f.name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w walk) subfolder(ctx context.Context, parent *os.Root, f found, at []string) error {
	dir, list, err := w.open(ctx, parent, f, at)
	if closed := (*unreadable)(nil); errors.As(err, &closed) {
		return w.add(Entry{Source: w.source, Path: EscapePath(join(at, f.name)) + "/", Skipped: closed.Error()})
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	return w.entries(ctx, dir, list, append(slices.Clip(at), f.name))
}

// hiddenFolder counts what lies in a hidden folder and lists one entry for all
// of it: nobody wants to read the objects of a Git repository, and everybody
// wants the numbers to add up.
func (w walk) hiddenFolder(ctx context.Context, parent *os.Root, f found, at []string) error {
	n, err := w.count(ctx, parent, f, at)
	if err != nil || n == 0 {
		return err
	}
	return w.add(Entry{Source: w.source, Path: EscapePath(join(at, f.name)) + "/", Skipped: "hidden folder", Files: n})
}

// count returns how many files in scope lie in the folder f, as far as it can
// be looked into.
func (w walk) count(ctx context.Context, parent *os.Root, f found, at []string) (int, error) {
	dir, list, err := w.open(ctx, parent, f, at)
	if closed := (*unreadable)(nil); errors.As(err, &closed) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	at = append(slices.Clip(at), f.name)
	n := 0
	for _, f := range list {
		if !f.isDir() {
			n++
			continue
		}
		below, err := w.count(ctx, dir, f, at)
		if err != nil {
			return 0, err
		}
		n += below
	}
	return n, nil
}

func (w walk) add(e Entry) error {
	if len(w.manifest.Entries) >= w.Limits.MaxEntries {
		return w.tooMany()
	}
	w.manifest.add(e)
	if w.Progress != nil {
		w.Progress(Progress{Read: w.manifest.Read, Skipped: w.manifest.Skipped, Bytes: w.manifest.Bytes})
	}
	return nil
}

func (w walk) tooMany() error {
	return refuse("context_too_many_entries", fmt.Sprintf(
		"source %q holds more than %d entries; name a smaller folder, or use include and exclude", w.source, w.Limits.MaxEntries))
}
