package object

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
