package object

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
)

func TestFolderIsNotThere(t *testing.T) {
	tool, err := declare(t, "url: file://"+filepath.Join(t.TempDir(), "none"), `name: "{{params.name}}"`, "mode: create", "text: x")
	require.NoError(t, err, "a worker starts without it")
	_, err = tool.Apply(t.Context(), sickCall(absent))
	requireFault(t, err, faults.Permanent, "no_folder")
	_, err = tool.Prepare(t.Context(), tools.Proposal{Parameters: sickCall("").Action.Parameters, AllowedTarget: "reports"})
	requireFault(t, err, faults.Permanent, "no_folder")
	_, err = tool.Count(t.Context(), sickCall(absent))
	requireFault(t, err, faults.Permanent, "no_folder")
}

// Whoever can put a link into the folder cannot lead a write out of it.
func TestNothingIsWrittenOutsideTheFolder(t *testing.T) {
	for _, mode := range both() {
		t.Run(mode, func(t *testing.T) {
			w, path := fileWorld(t, mode)
			outside := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(outside, "2026-W48.txt"), []byte("secret"), 0o600))
			call := w.planned(theKey, "all is well\n")
			require.NoError(t, os.RemoveAll(filepath.Join(path, "weekly")))
			require.NoError(t, os.Symlink(outside, filepath.Join(path, "weekly")))
			_, err := w.apply(call)
			require.Error(t, err)
			_, err = w.prepare(params("x"))
			require.Error(t, err)
			require.NotContains(t, err.Error(), outside)
			left, err := os.ReadDir(outside)
			require.NoError(t, err)
			require.Len(t, left, 1)
			raw, err := os.ReadFile(filepath.Join(outside, "2026-W48.txt"))
			require.NoError(t, err)
			require.Equal(t, "secret", string(raw))
		})
	}
}

func TestObjectThatIsAFolder(t *testing.T) {
	w, path := fileWorld(t, create)
	call := w.planned(theKey, "all is well\n")
	require.NoError(t, os.MkdirAll(filepath.Join(path, theName), 0o755))
	_, err := w.apply(call)
	requireDrift(t, err)
	_, err = w.prepare(params("x"))
	requireFault(t, err, faults.Permanent, "file_failed")
}

// Another process is at work on the folder, and does not end.
func TestReplacementWaitsForTheLock(t *testing.T) {
	w, path := fileWorld(t, replace)
	call := w.planned(theKey, "all is well\n")
	require.NoError(t, os.MkdirAll(filepath.Join(path, records), 0o755))
	unlock, err := lockedfile.MutexAt(filepath.Join(path, records, "lock")).Lock()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = w.tool.Apply(ctx, call)
	requireFault(t, err, faults.Transient, "folder_busy")
	require.Zero(t, w.writes(theKey))
	unlock()
	_, err = w.apply(call)
	require.NoError(t, err)
	require.Equal(t, 1, w.writes(theKey))
}

// An attempt that comes back after its claim was given up finds nothing to put
// in place.
func TestZombieAfterADiscardedClaimWritesNothing(t *testing.T) {
	w, _ := fileWorld(t, create)
	call := w.planned(theKey, "all is well\n")
	zombie := call
	zombie.MayBegin = func(context.Context) error {
		w.put(theName, "by hand\n")
		_, err := w.apply(call)
		requireDrift(t, err)
		w.remove(theName)
		return nil
	}
	_, err := w.apply(zombie)
	require.Equal(t, faults.Transient, faults.ClassOf(err), "%v", err)
	_, there := w.read(theName)
	require.False(t, there)
}

// A claim that came to nothing makes room for other parameters.
func TestRefusedParametersMakeRoomForOthers(t *testing.T) {
	for _, mode := range both() {
		t.Run(mode, func(t *testing.T) {
			w, path := fileWorld(t, mode)
			call := w.planned(theKey, "one\n")
			call.MayBegin = func(context.Context) error { return fmt.Errorf("stopped") }
			_, err := w.apply(call)
			require.Error(t, err)
			require.FileExists(t, filepath.Join(path, records, theKey, "content"))

			_, err = w.apply(w.planned(theKey, "two\n"))
			require.NoError(t, err)
			w.requireContent("two\n")
		})
	}
}

// Nothing is left behind but what the keys need.
func TestWhatAFolderKeeps(t *testing.T) {
	for _, mode := range both() {
		t.Run(mode, func(t *testing.T) {
			w, path := fileWorld(t, mode)
			_, err := w.apply(w.planned(theKey, "all is well\n"))
			require.NoError(t, err)
			var found []string
			require.NoError(t, filepath.WalkDir(path, func(at string, entry os.DirEntry, err error) error {
				if err == nil && !entry.IsDir() {
					found = append(found, strings.TrimPrefix(at, path+"/"))
				}
				return err
			}))
			want := []string{".holdpoint/" + theKey + "/claim.json", theName}
			if mode == replace {
				want = []string{".holdpoint/" + theKey + "/claim.json", ".holdpoint/lock", theName}
			}
			require.Equal(t, want, found)
		})
	}
}

// A put that failed says by itself nothing about the object; the claim does.
func TestWhatBecameOfAPutThatFailed(t *testing.T) {
	staged := func(t *testing.T) (*claim, *os.Root) {
		root, err := os.OpenRoot(t.TempDir())
		require.NoError(t, err)
		t.Cleanup(func() { root.Close() })
		c, err := claimFor(root, write{name: "a.txt", content: []byte("x"), mark: mark{key: theKey, fingerprint: "f"}})
		require.NoError(t, err)
		return c, root
	}
	t.Run("nothing was written", func(t *testing.T) {
		c, _ := staged(t)
		made, err := c.afterFailure(syscall.EIO)
		require.False(t, made)
		requireFault(t, err, faults.Transient, "file_failed")
		require.ErrorContains(t, err, "nothing was written")
		_, err = c.afterFailure(syscall.EACCES)
		requireFault(t, err, faults.Permanent, "file_failed")
	})
	t.Run("it was, and the answer was lost", func(t *testing.T) {
		for name, put := range map[string]func(c *claim, root *os.Root) error{
			create:  func(c *claim, root *os.Root) error { return root.Link(c.contentPath(), "a.txt") },
			replace: func(c *claim, root *os.Root) error { return root.Rename(c.contentPath(), "a.txt") },
		} {
			c, root := staged(t)
			require.NoError(t, put(c, root))
			made, err := c.afterFailure(syscall.EIO)
			require.NoError(t, err, name)
			require.True(t, made, name)
		}
	})
	t.Run("another attempt gave the claim up", func(t *testing.T) {
		c, _ := staged(t)
		require.NoError(t, c.discard())
		made, err := c.afterFailure(syscall.ENOENT)
		require.False(t, made)
		requireFault(t, err, faults.Transient, "file_failed")
	})
}

func TestPutWhoseFateCannotBeSeen(t *testing.T) {
	for _, mode := range both() {
		t.Run(mode, func(t *testing.T) {
			w, path := fileWorld(t, mode)
			call := w.planned(theKey, "all is well\n")
			call.MayBegin = func(context.Context) error { // the last moment before the put
				claimed := filepath.Join(path, records, theKey)
				require.NoError(t, os.Rename(claimed, claimed+"-away"))
				return os.Symlink(t.TempDir(), claimed)
			}
			_, err := w.apply(call)
			requireFault(t, err, faults.Unknown, "file_failed")
			require.ErrorContains(t, err, "whether the object was written cannot be seen")
		})
	}
}
