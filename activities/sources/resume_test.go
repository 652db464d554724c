package sources

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/folder"
	"github.com/holdpoint/holdpoint/internal/upload"
	"github.com/holdpoint/holdpoint/workflows"
)

// counted is a source that counts what is listed and read.
type counted struct {
	Source
	lists *int
	reads map[string]int
}

func (c counted) Open(ctx context.Context, o Opening) (Tree, error) {
	tree, err := c.Source.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return countedTree{tree, c}, nil
}

type countedTree struct {
	Tree
	counts counted
}

func (t countedTree) List(ctx context.Context, scope folder.Scope, limit int, visit func(Item) error) error {
	*t.counts.lists++
	return t.Tree.List(ctx, scope, limit, visit)
}

func (t countedTree) Read(ctx context.Context, item *Item, limit int64) ([]byte, error) {
	t.counts.reads[item.Path]++
	return t.Tree.Read(ctx, item, limit)
}

// desk is a folder and an upload with entries of every sort, and a store.
type desk struct {
	root       string
	store      shelf
	lists      int
	reads      map[string]int
	selections []Selection
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{root: t.TempDir(), store: shelf{}, reads: map[string]int{}}
	for name, content := range map[string]string{
		"a.md": "a", "b.png": "x", "c/d.md": "d\r\ne", "c/.hid/x.md": "x", "c/z.md": "zz", "empty.md": "", "f.txt": "f\x00", "g.md": "g",
	} {
		write(t, d.root, name, content)
	}
	other := t.TempDir()
	write(t, other, "u/one.md", "one")
	write(t, other, "u/two.md", "two")
	sent, err := upload.Write(t.Context(), other, folder.Scope{}, upload.Limits{FileBytes: 100, TotalBytes: 100, Entries: 10}, d.store.Put)
	require.NoError(t, err)
	count := func(s Source) Source { return counted{s, &d.lists, d.reads} }
	d.selections = []Selection{
		{Name: "notes", Source: count(Dir{Root: d.root})}, {Name: "sent", Source: count(Upload{List: sent.Digest})},
	}
	return d
}

// collect runs one attempt: from the beginning, or from where one was that told
// of from. It is stopped when its progress says so.
func (d *desk) collect(
	t *testing.T, from *workflows.CollectProgress, every time.Duration, stop func(workflows.CollectProgress) bool,
) (m Manifest, last workflows.CollectProgress, err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := Collector{Limits: wide, Store: d.store, Every: every, Progress: func(p workflows.CollectProgress) {
		last = p
		if stop != nil && stop(p) {
			cancel()
		}
	}}
	if from == nil {
		m, err = c.Collect(ctx, d.selections)
	} else {
		m, err = c.Resume(ctx, d.selections, *from)
	}
	return m, last, err
}

const deskEntries = 10 // a.md b.png c/.hid/ c/d.md c/z.md empty.md f.txt g.md; u/one.md u/two.md

func done(n int) func(workflows.CollectProgress) bool {
	return func(p workflows.CollectProgress) bool { return !p.Listing.Digest.IsZero() && p.Done == n }
}

func TestResume_StoppedAfterEachEntry(t *testing.T) {
	d := newDesk(t)
	whole, last, err := d.collect(t, nil, 0, nil)
	require.NoError(t, err)
	require.Len(t, whole.Entries, deskEntries)
	require.Equal(t, workflows.CollectProgress{
		Listing: last.Listing, Entries: deskEntries, Done: deskEntries, Read: 7, Skipped: 3, Bytes: whole.Bytes, Saved: deskEntries, Partial: last.Partial,
	}, last)
	want, err := whole.Canonical()
	require.NoError(t, err)
	once := maps.Clone(d.reads)
	require.Equal(t, map[string]int{"a.md": 1, "c/d.md": 1, "c/z.md": 1, "f.txt": 1, "g.md": 1, "u/one.md": 1, "u/two.md": 1}, once)

	for n := range deskEntries {
		d.lists = 0
		clear(d.reads)
		_, at, err := d.collect(t, nil, 0, done(n))
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, n, at.Saved)
		write(t, d.root, "added.md", "after the list was made")

		resumed, _, err := d.collect(t, &at, 0, nil)
		require.NoError(t, os.Remove(filepath.Join(d.root, "added.md")))
		require.NoError(t, err)
		got, err := resumed.Canonical()
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "stopped after %d", n)
		require.Equal(t, once, d.reads, "stopped after %d", n)
		require.Equal(t, 2, d.lists, "both sources are listed by the first attempt alone")
	}
}

func TestResume_KilledOverAndOver(t *testing.T) {
	d := newDesk(t)
	whole, _, err := d.collect(t, nil, 0, nil)
	require.NoError(t, err)
	clear(d.reads)
	_, at, err := d.collect(t, nil, 0, done(0))
	require.ErrorIs(t, err, context.Canceled)
	for n := 1; n < deskEntries; n++ {
		_, at, err = d.collect(t, &at, 0, done(n))
		require.ErrorIs(t, err, context.Canceled)
	}
	m, _, err := d.collect(t, &at, 0, nil)
	require.NoError(t, err)
	require.Equal(t, whole, m)
	for path, n := range d.reads {
		require.Equal(t, 1, n, path)
	}
}

// Between two places that were kept lies what is read again, and nothing else.
func TestResume_FromThePlaceThatWasKept(t *testing.T) {
	d := newDesk(t)
	whole, _, err := d.collect(t, nil, time.Hour, nil)
	require.NoError(t, err)
	_, at, err := d.collect(t, nil, time.Hour, done(5))
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, at.Saved)
	require.Equal(t, 5, at.Done)
	write(t, d.root, "added.md", "after the list was made")
	m, _, err := d.collect(t, &at, time.Hour, nil)
	require.NoError(t, err)
	require.Equal(t, whole, m, "the list is the first attempt's all the same")
}

// The heartbeat of an attempt that has just begun must not take the place of
// the one from which it goes on.
func TestResume_TellsFirstWhereItGoesOn(t *testing.T) {
	d := newDesk(t)
	_, at, err := d.collect(t, nil, 0, done(4))
	require.ErrorIs(t, err, context.Canceled)
	var first *workflows.CollectProgress
	_, _, err = d.collect(t, &at, 0, func(p workflows.CollectProgress) bool {
		if first == nil {
			first = &p
		}
		return true
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, at, *first)
}

func TestResume_WhatChangedSinceItWasListed(t *testing.T) {
	d := newDesk(t)
	_, at, err := d.collect(t, nil, 0, done(1))
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, os.Chtimes(filepath.Join(d.root, "c/z.md"), time.Time{}, time.Unix(1, 0))) // same bytes, written again
	write(t, d.root, "f.txt", "longer than it was")
	require.NoError(t, os.Remove(filepath.Join(d.root, "g.md")))
	m, _, err := d.collect(t, &at, 0, nil)
	require.NoError(t, err)
	reasons := skipped(m)
	require.Equal(t, "changed since it was listed", reasons["c/z.md"])
	require.Equal(t, "changed since it was listed", reasons["f.txt"])
	require.Equal(t, "cannot be read (no longer there)", reasons["g.md"])
	require.Len(t, m.Entries, deskEntries)
}

// A copy of the folder, as another worker may have it, is another folder.
func TestResume_BeginsAnewWhereItCannotGoOn(t *testing.T) {
	for name, spoil := range map[string]func(*testing.T, *desk, *workflows.CollectProgress){
		"the list is gone": func(_ *testing.T, d *desk, p *workflows.CollectProgress) { delete(d.store, p.Listing.Digest) },
		"a part is gone":   func(_ *testing.T, d *desk, p *workflows.CollectProgress) { delete(d.store, p.Partial.Digest) },
		"parts that do not fit": func(_ *testing.T, _ *desk, p *workflows.CollectProgress) {
			p.Saved++
		},
		"parts of another list": func(t *testing.T, d *desk, p *workflows.CollectProgress) {
			raw := strings.Replace(d.store[p.Partial.Digest], p.Listing.Digest.String(), plan.Sum(nil).String(), 1)
			digest, err := d.store.Put(t.Context(), []byte(raw))
			require.NoError(t, err)
			p.Partial.Digest = digest
		},
		"a list of another version": func(t *testing.T, d *desk, p *workflows.CollectProgress) {
			raw := strings.Replace(d.store[p.Listing.Digest], listingFormat, "holdpoint.listing/2", 1)
			digest, err := d.store.Put(t.Context(), []byte(raw))
			require.NoError(t, err)
			p.Listing.Digest = digest
		},
		"a copy of the folder": func(t *testing.T, d *desk, _ *workflows.CollectProgress) {
			copied := filepath.Join(t.TempDir(), "copy")
			require.NoError(t, os.CopyFS(copied, os.DirFS(d.root)))
			d.selections[0].Source = counted{Dir{Root: copied}, &d.lists, d.reads}
		},
		"nothing was listed": func(_ *testing.T, _ *desk, p *workflows.CollectProgress) { *p = workflows.CollectProgress{Entries: 3} },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			whole, _, err := d.collect(t, nil, 0, nil)
			require.NoError(t, err)
			_, at, err := d.collect(t, nil, 0, done(4))
			require.ErrorIs(t, err, context.Canceled)
			d.lists = 0
			spoil(t, d, &at)
			m, _, err := d.collect(t, &at, 0, nil)
			require.NoError(t, err)
			require.Equal(t, whole, m)
			require.Equal(t, 2, d.lists)
		})
	}
}

// A store that is away for a while is no reason to lose what was done.
func TestResume_WaitsForTheStore(t *testing.T) {
	d := newDesk(t)
	_, at, err := d.collect(t, nil, 0, done(4))
	require.ErrorIs(t, err, context.Canceled)
	away := errors.New("away")
	_, err = Collector{Limits: wide, Store: unreachable{d.store, away}}.Resume(t.Context(), d.selections, at)
	require.ErrorIs(t, err, away)
}

type unreachable struct {
	shelf
	err error
}

func (u unreachable) Get(context.Context, plan.Digest, int64) ([]byte, error) { return nil, u.err }
