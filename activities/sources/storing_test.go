package sources

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// counter is a store that takes its time: a blob is there when crowd blobs are
// on their way, or when no more come within a moment. It notes how many, and how
// much, was on its way at one time.
type counter struct {
	shelf
	crowd int
	fail  func(data []byte) error

	mu              sync.Mutex
	now, most       int
	bytes, mostByte int
	met             chan struct{}
}

func newCounter(crowd int) *counter {
	return &counter{shelf: shelf{}, crowd: crowd, met: make(chan struct{})}
}

func (c *counter) Put(ctx context.Context, data []byte) (plan.Digest, error) {
	if strings.HasPrefix(string(data), "{") { // a listing or a part, of which there is one at a time
		return c.shelf.Put(ctx, data)
	}
	c.mu.Lock()
	c.now, c.bytes = c.now+1, c.bytes+len(data)
	c.most, c.mostByte = max(c.most, c.now), max(c.mostByte, c.bytes)
	if c.now == c.crowd {
		close(c.met)
		c.crowd = 0
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now, c.bytes = c.now-1, c.bytes-len(data)
	}()
	select {
	case <-c.met:
	case <-ctx.Done():
		return plan.Digest{}, ctx.Err()
	}
	if c.fail != nil {
		if err := c.fail(data); err != nil {
			return plan.Digest{}, err
		}
	}
	return c.shelf.Put(ctx, data)
}

// A store that answers late is asked for several documents at a time, and the
// manifest is that of one that answers at once.
func TestStoring_SeveralAtATime(t *testing.T) {
	root := t.TempDir()
	for n := range 20 {
		write(t, root, fmt.Sprintf("%02d.md", n), fmt.Sprintf("document %d", n))
	}
	atOnce, contents := collect(t, root)
	slow := newCounter(maxStoring) // which answers nothing before so many are on their way
	m, err := Collector{Limits: wide, Store: slow, Every: time.Hour}.Collect(t.Context(), []Selection{notes(root)})
	require.NoError(t, err)
	require.Equal(t, atOnce, m)
	require.Equal(t, contents, slow.contents(m))
	require.Equal(t, maxStoring, slow.most)
}

// However many may be stored at a time, a collection holds little more than one
// document.
func TestStoring_BoundedInBytes(t *testing.T) {
	root := t.TempDir()
	const size = 3 << 20 // of which two fit
	for n := range 5 {
		write(t, root, fmt.Sprintf("%d.md", n), strings.Repeat(string(rune('a'+n)), size))
	}
	write(t, root, "large.md", strings.Repeat("x", storingBytes+1))
	slow := newCounter(2)
	limits := Limits{MaxFileBytes: 16 << 20, MaxTotalBytes: 64 << 20, MaxEntries: 10}
	m, err := Collector{Limits: limits, Store: slow, Every: time.Hour}.Collect(t.Context(), []Selection{notes(root)})
	require.NoError(t, err)
	require.Equal(t, 6, m.Read)
	require.Equal(t, 2, slow.most)
	require.Equal(t, storingBytes+1, slow.mostByte, "the large one was alone")
}

// A place that is kept has everything before it in the store, whatever failed.
func TestStoring_WhatFailedIsReadAgain(t *testing.T) {
	root := t.TempDir()
	for n := range 12 {
		write(t, root, fmt.Sprintf("%02d.md", n), fmt.Sprintf("document %02d", n))
	}
	whole, _ := collect(t, root)
	full := errors.New("disk full")
	for n := range 12 {
		store := newCounter(1)
		store.fail = func(data []byte) error {
			if string(data) == fmt.Sprintf("document %02d", n) {
				return full
			}
			return nil
		}
		var at workflows.CollectProgress
		c := Collector{Limits: wide, Store: store, Every: time.Nanosecond, Progress: func(p workflows.CollectProgress) { at = p }}
		_, err := c.Collect(t.Context(), []Selection{notes(root)})
		require.ErrorIs(t, err, full)
		require.Equal(t, n, at.Saved)
		store.fail = nil
		m, err := c.Resume(t.Context(), []Selection{notes(root)}, at)
		require.NoError(t, err)
		require.Equal(t, whole, m)
		require.Len(t, store.contents(m), 12)
		for path, content := range store.contents(m) {
			require.Equal(t, "document "+strings.TrimSuffix(path, ".md"), content)
		}

		at = workflows.CollectProgress{}
		store, c.Every = newCounter(1), time.Hour // now nothing is kept before the failure
		store.fail = func(data []byte) error {
			if string(data) == fmt.Sprintf("document %02d", n) {
				return full
			}
			return nil
		}
		c.Store = store
		_, err = c.Collect(t.Context(), []Selection{notes(root)})
		require.ErrorIs(t, err, full)
		require.Zero(t, at.Saved, "nobody knows of which documents the store has all")
	}
}

// A panic of a store's is an error of the collection, and the process lives.
func TestStoring_APanicOfTheStore(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.md", "x")
	store := newCounter(1)
	store.fail = func([]byte) error { panic("SECRET") }
	_, err := Collector{Limits: wide, Store: store}.Collect(t.Context(), []Selection{notes(root)})
	fault, ok := errors.AsType[*faults.Fault](err)
	require.True(t, ok, err)
	require.Equal(t, faults.CodePanic, fault.Code)
	require.NotContains(t, fault.Error(), "SECRET")
	require.ErrorContains(t, fault.Cause, "SECRET", "for the log")
}

// A text that is its very bytes is stored once, and what is stored already not
// at all.
func TestStoring_NothingThatIsNotNeeded(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.md", "a\n")
	write(t, root, "b.md", "b\r\n")
	store := newCounter(1)
	sent := send(t, store.shelf, root)
	var puts []string
	store.fail = func(data []byte) error {
		puts = append(puts, string(data))
		return nil
	}
	_, err := Collector{Limits: wide, Store: store}.Collect(t.Context(), []Selection{{Name: "up", Source: Upload{List: sent.Digest}}})
	require.NoError(t, err)
	require.Equal(t, []string{"b\n"}, puts)
	puts = nil
	_, err = Collector{Limits: wide, Store: store}.Collect(t.Context(), []Selection{notes(root)})
	require.NoError(t, err)
	require.Equal(t, []string{"a\n", "b\r\n", "b\n"}, puts)
}

// What was read before a file that cannot be read now is not read again.
func TestResume_AfterAFailure(t *testing.T) {
	d := newDesk(t)
	whole, _, err := d.collect(t, nil, time.Hour, nil)
	require.NoError(t, err)
	clear(d.reads)
	away := errors.New("the store is away")
	broken := d.selections[0]
	d.selections[0].Source = failing{broken.Source, "f.txt", away}
	_, at, err := d.collect(t, nil, time.Hour, nil)
	require.ErrorIs(t, err, away)
	require.Equal(t, 6, at.Saved, "a.md b.png c/.hid/ c/d.md c/z.md empty.md")
	d.selections[0] = broken
	m, _, err := d.collect(t, &at, time.Hour, nil)
	require.NoError(t, err)
	require.Equal(t, whole, m)
	require.Equal(t, map[string]int{"a.md": 1, "c/d.md": 1, "c/z.md": 1, "f.txt": 1, "g.md": 1, "u/one.md": 1, "u/two.md": 1}, d.reads)
}

// failing is a source of which one file cannot be read.
type failing struct {
	Source
	path string
	err  error
}

func (f failing) Open(ctx context.Context, o Opening) (Tree, error) {
	tree, err := f.Source.Open(ctx, o)
	return failingTree{tree, f}, err
}

type failingTree struct {
	Tree
	failing failing
}

func (t failingTree) Read(ctx context.Context, item *Item, limit int64) ([]byte, error) {
	if item.Path == t.failing.path {
		return nil, t.failing.err
	}
	return t.Tree.Read(ctx, item, limit)
}
