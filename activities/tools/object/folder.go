package object

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// folder keeps objects as files. Nothing outside it is ever touched (os.Root).
type folder struct{ path string }

var _ store = (*folder)(nil)

func (f *folder) where(name string) string { return name + " in the folder " + filepath.Base(f.path) }

func (f *folder) close() error { return nil }

func (f *folder) open() (*os.Root, error) {
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return nil, &faults.Fault{
			Class: faults.Permanent, Code: "no_folder",
			Reason: "the folder of the objects is not there, or not ours to use; make it first", Cause: err,
		}
	}
	return root, nil
}

// look implements store.
func (f *folder) look(_ context.Context, w write) (current, error) {
	root, err := f.open()
	if err != nil {
		return current{}, err
	}
	defer root.Close()
	digest, size, head, err := digestOf(root, w.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return current{state: absent}, nil
	case err != nil:
		return current{}, fileFault(err)
	}
	return current{state: digest.String(), size: size, head: head, asWanted: digest == plan.Sum(w.content)}, nil
}

// create implements store: a link is made only where nothing is.
func (f *folder) create(ctx context.Context, w write) (declared.Effect, error) {
	root, err := f.open()
	if err != nil {
		return declared.Effect{}, err
	}
	defer root.Close()
	return f.place(ctx, root, w, func(c *claim) (bool, error) {
		err := root.Link(c.contentPath(), w.name)
		if errors.Is(err, fs.ErrExist) {
			return c.made() // perhaps by another attempt, just now
		}
		if err == nil {
			c.spend() //nolint:errcheck // see there
		}
		return err == nil, err
	})
}

// replace implements store: a rename puts all of the content in the place of
// all that was there. Comparing and renaming are two steps; the folder's lock
// makes them one for all who take it.
func (f *folder) replace(ctx context.Context, w write) (declared.Effect, error) {
	root, err := f.open()
	if err != nil {
		return declared.Effect{}, err
	}
	defer root.Close()
	unlock, err := f.lock(ctx, root)
	if err != nil {
		return declared.Effect{}, err
	}
	defer unlock()
	return f.place(ctx, root, w, func(c *claim) (bool, error) {
		digest, _, _, err := digestOf(root, w.name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && digest.String() != w.call.Action.Precondition {
			return false, nil
		}
		if err == nil {
			err = root.Rename(c.contentPath(), w.name)
		}
		return err == nil, err
	})
}

// place makes the effect by put, unless the key's claim shows that it was made.
// put reports whether the object was as the plan expects, and is now as wanted;
// whether an error of it came before the write or after it, the claim says.
func (f *folder) place(ctx context.Context, root *os.Root, w write, put func(*claim) (bool, error)) (declared.Effect, error) {
	c, err := claimFor(root, w)
	if err != nil {
		return declared.Effect{}, fileFault(err)
	}
	made, err := c.made()
	switch {
	case err != nil:
		return declared.Effect{}, fileFault(err)
	case made && (c.Fingerprint != w.mark.fingerprint || c.Object != w.name):
		return declared.Effect{}, conflict(f.where(c.Object))
	case made:
		return f.effect(c, "written by an earlier attempt"), nil
	}
	if err := root.MkdirAll(path.Dir(w.name), 0o755); err != nil {
		return declared.Effect{}, fileFault(err)
	}
	if err := w.call.Allowed(ctx); err != nil {
		return declared.Effect{}, err
	}
	done, err := put(c)
	if err != nil {
		done, err = c.afterFailure(err)
	}
	switch {
	case err != nil:
		return declared.Effect{}, err
	case !done:
		return f.refused(root, w, c)
	}
	if err := syncFolders(root, w.name); err != nil {
		return declared.Effect{}, &faults.Fault{
			Class: faults.Unknown, Code: "not_synced", Reason: "the file was written, and the disk did not confirm it; the next attempt finds it", Cause: err,
		}
	}
	return f.effect(c, "written"), nil
}

// refused is an object that is not as the plan expects, and not of this key's
// making, as far as can be seen. A replacement can be seen for certain: its
// content is still here. So can a creation, but for one moment: linked, and
// killed before its claim was spent. Only an attempt of unknown outcome can
// have died in it.
func (f *folder) refused(root *os.Root, w write, c *claim) (declared.Effect, error) {
	digest, _, _, err := digestOf(root, w.name)
	switch {
	case err == nil && digest == c.Content:
		c.discard() //nolint:errcheck // one that stays leads here again
		return f.effect(c, "has this content already"), nil
	case w.call.Action.Precondition == absent && w.call.InDoubt && !c.fresh:
		return declared.Effect{}, unknown(f.where(w.name))
	}
	if err := c.discard(); err != nil {
		return declared.Effect{}, fileFault(err)
	}
	return declared.Effect{}, drifted(f.where(w.name))
}

// count implements store.
func (f *folder) count(_ context.Context, w write) (int, error) {
	root, err := f.open()
	if err != nil {
		return 0, err
	}
	defer root.Close()
	c, err := readClaim(root, w.mark.key)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fileFault(err)
	}
	made, err := c.made()
	if err != nil || !made {
		return 0, err
	}
	digest, _, _, err := digestOf(root, c.Object)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, fileFault(err)
	case digest != c.Content:
		return 0, nil
	}
	return 1, nil
}

func (f *folder) effect(c *claim, how string) declared.Effect {
	return declared.Effect{Ref: c.Content.String(), Detail: f.where(c.Object) + " " + how, At: c.At}
}

// lock is one for all processes of this machine. A process that is suspended
// while it has it keeps the others waiting, until their calls end.
func (f *folder) lock(ctx context.Context, root *os.Root) (unlock func(), err error) {
	if err := root.MkdirAll(records, 0o755); err != nil {
		return nil, fileFault(err)
	}
	type held struct {
		unlock func()
		err    error
	}
	got := make(chan held, 1)
	go func() {
		unlock, err := lockedfile.MutexAt(filepath.Join(f.path, records, "lock")).Lock()
		got <- held{unlock, err}
	}()
	select {
	case h := <-got:
		if h.err != nil {
			return nil, fileFault(h.err)
		}
		return h.unlock, nil
	case <-ctx.Done():
		go func() {
			if h := <-got; h.err == nil {
				h.unlock()
			}
		}()
		return nil, &faults.Fault{
			Class: faults.Transient, Code: "folder_busy",
			Reason: "another write to the folder did not end in time; nothing was written", Cause: ctx.Err(),
		}
	}
}
