package notebook_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/examples/gotool/notebook"
)

// open opens a notebook in a folder of its own.
func open(t *testing.T) (*notebook.Notebook, string) {
	t.Helper()
	folder := t.TempDir()
	n, err := notebook.Open(folder)
	require.NoError(t, err)
	t.Cleanup(func() { n.Close() })
	return n, folder
}

func proposal(page, text string) tools.Proposal {
	raw, err := json.Marshal(map[string]string{"page": page, "text": text})
	if err != nil {
		panic(err)
	}
	return tools.Proposal{Tool: notebook.Name, Parameters: raw, AllowedTarget: notebook.Name}
}

// approved is the call of a prepared page, under the key of its name.
func approved(t *testing.T, n *notebook.Notebook, page, text string) tools.Call {
	t.Helper()
	prepared, err := n.Prepare(t.Context(), proposal(page, text))
	require.NoError(t, err)
	return tools.Call{RunID: "acme/r", Action: plan.Action{
		ID: "a", Tool: notebook.Name, Target: prepared.Target, Parameters: prepared.Parameters, Precondition: prepared.Precondition,
		IdempotencyKey: plan.Identity{Tenant: "acme", BusinessID: "r", Tool: notebook.Name, Target: prepared.Target}.Key(),
	}}
}

// pages are the files of the folder, drafts included.
func pages(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	found := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		require.NoError(t, err)
		found[e.Name()] = string(text)
	}
	return found
}

func TestPageIsWrittenOnce(t *testing.T) {
	n, folder := open(t)
	c := approved(t, n, "monday", "all quiet")
	want := map[string]string{"monday.md": "<!-- holdpoint " + c.Action.IdempotencyKey + " -->\nall quiet"}
	first, err := n.Apply(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, c.Action.IdempotencyKey, first.IdempotencyKey)
	require.Equal(t, []string{"notebook", "notebook/monday", "monday.md"}, []string{first.Tool, first.Target, first.Ref})
	require.WithinDuration(t, time.Now(), first.At, time.Minute)
	require.Equal(t, want, pages(t, folder))

	again, err := n.Apply(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, first, again, "the receipt of the first")
	require.Equal(t, want, pages(t, folder))
	count, err := n.Count(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, 1, count)
}

func TestPageOfSomebodyElseStays(t *testing.T) {
	n, folder := open(t)
	c := approved(t, n, "monday", "all quiet")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "monday.md"), []byte("by hand"), 0o644))
	_, err := n.Apply(t.Context(), c)
	require.ErrorIs(t, err, tools.ErrDrift)
	require.Equal(t, map[string]string{"monday.md": "by hand"}, pages(t, folder))
	count, err := n.Count(t.Context(), c)
	require.NoError(t, err)
	require.Zero(t, count)
	_, err = n.Prepare(t.Context(), proposal("monday", "all quiet"))
	require.Equal(t, "page_exists", faults.Name(err).Code)
}

func TestKeyWithAnotherTextIsAConflict(t *testing.T) {
	n, folder := open(t)
	c := approved(t, n, "monday", "all quiet")
	_, err := n.Apply(t.Context(), c)
	require.NoError(t, err)
	before := pages(t, folder)
	c.Action.Parameters = proposal("monday", "a fire").Parameters
	_, err = n.Apply(t.Context(), c)
	require.Equal(t, "key_conflict", faults.Name(err).Code)
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
	require.Equal(t, before, pages(t, folder))
}

// A write whose approval has ended meanwhile is not begun.
func TestNothingIsWrittenWithoutApproval(t *testing.T) {
	n, folder := open(t)
	c := approved(t, n, "monday", "all quiet")
	expired := &faults.Fault{Class: faults.Permanent, Code: "expired", Reason: "the approval expired"}
	c.MayBegin = func(context.Context) error { return expired }
	_, err := n.Apply(t.Context(), c)
	require.ErrorIs(t, err, expired)
	require.NotContains(t, pages(t, folder), "monday.md")
}

func TestProposalsThatAreRefused(t *testing.T) {
	n, folder := open(t)
	for _, page := range []string{"", "../x", "a/b", ".draft", "-n", "Monday", "a.md", "周报", strings.Repeat("a", 65)} {
		_, err := n.Prepare(t.Context(), proposal(page, "x"))
		require.Equal(t, "bad_parameters", faults.Name(err).Code, page)
	}
	for _, parameters := range []string{`{`, `[]`, `{"page":"a"}`, `{"page":"a","text":""}`, `{"page":"a","text":"x","mode":"overwrite"}`} {
		p := proposal("a", "x")
		p.Parameters = json.RawMessage(parameters)
		_, err := n.Prepare(t.Context(), p)
		require.Equal(t, faults.Permanent, faults.ClassOf(err), parameters)
	}
	for allowed, ok := range map[string]bool{"notebook": true, "notebook/a": true, "notebook/b": false, "note": false, "": false} {
		p := proposal("a", "x")
		p.AllowedTarget = allowed
		_, err := n.Prepare(t.Context(), p)
		require.Equal(t, ok, err == nil, allowed)
	}
	require.Empty(t, pages(t, folder), "preparing writes nothing")
}

// Many processes with one action make one page, and all see the same receipt.
func TestOneOfManyWrites(t *testing.T) {
	n, folder := open(t)
	c := approved(t, n, "monday", strings.Repeat("all quiet\n", 1000))
	var mu sync.Mutex
	refs := map[plan.Receipt]int{}
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			receipt, err := n.Apply(t.Context(), c)
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			refs[receipt]++
		})
	}
	callers.Wait()
	require.Len(t, refs, 1)
	for _, n := range refs {
		require.Equal(t, 16, n, "everybody")
	}
	require.Len(t, pages(t, folder), 1)
}

// The tool in the real protocol: after an attempt that ended right after its
// effect, the next one finds that work.
func TestNotebookAttemptThatEndsAfterTheEffectIsRecovered(t *testing.T) {
	n, folder := open(t)
	ledger, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "ledger.db"))
	require.NoError(t, err)
	defer ledger.Close()
	c := approved(t, n, "monday", "all quiet")
	protocol := effects.Protocol{Ledger: ledger, Owner: "first", Lease: 200 * time.Millisecond}
	ending := protocol
	ending.Reached = func(p effects.Point) {
		if p == effects.PointEffect {
			runtime.Goexit()
		}
	}
	var attempt sync.WaitGroup
	attempt.Go(func() { _, _ = ending.Run(t.Context(), n, c, 1, "acme") })
	attempt.Wait()
	before := pages(t, folder)
	require.Len(t, before, 1)

	out, err := protocol.Run(t.Context(), n, c, 2, "acme")
	require.NoError(t, err)
	require.True(t, out.Recovered)
	require.Equal(t, "monday.md", out.Receipt.Ref)
	require.Equal(t, before, pages(t, folder))
}

func TestFolderMustBeThere(t *testing.T) {
	for _, folder := range []string{"", filepath.Join(t.TempDir(), "absent")} {
		_, err := notebook.Open(folder)
		require.ErrorContains(t, err, "NOTEBOOK")
	}
}

// What cannot be known is said to be unknown: never a guess.
func TestFolderThatGoesAway(t *testing.T) {
	n, folder := open(t)
	c := approved(t, n, "monday", "all quiet")
	require.NoError(t, os.RemoveAll(folder))
	_, err := n.Apply(t.Context(), c)
	require.Equal(t, faults.Transient, faults.ClassOf(err), "nothing was written")
	require.NotErrorIs(t, err, tools.ErrDrift)
}
