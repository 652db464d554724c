package sources

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/sources/text"
	"github.com/holdpoint/holdpoint/workflows"
)

// Collector reads documents into a store.
type Collector struct {
	Limits Limits
	Store  Store
	// Every is how often the place is kept from which Resume goes on; 0 stands
	// for after each entry.
	Every time.Duration
	// Progress is told after each entry; nil when nobody listens.
	Progress func(workflows.CollectProgress)

	beforeRead func(path string) // for tests: between listing and opening
}

// Collect reads the selections, in their order, into one manifest. Every error
// is a *faults.Fault, or comes from Store. A selection in which nothing can be
// read is a Permanent fault: a typing error in a path must not end as a plan
// made from nothing.
func (c Collector) Collect(ctx context.Context, selections []Selection) (Manifest, error) {
	if len(selections) == 0 {
		return Manifest{}, refuse("context_empty", "the task names no source")
	}
	if err := refuseOverlap(selections); err != nil {
		return Manifest{}, err
	}
	now := c.begin(selections)
	defer now.close()
	if err := now.list(ctx); err != nil {
		return Manifest{}, err
	}
	return now.read(ctx)
}

// Resume goes on where an attempt was that told of from, over the same list:
// what from says is saved is not read again, and the manifest is that of an
// attempt that nothing came in between. When what was listed cannot be read any
// more as it was, or not by this worker, everything is collected anew.
func (c Collector) Resume(ctx context.Context, selections []Selection, from workflows.CollectProgress) (Manifest, error) {
	if c.Progress != nil {
		c.Progress(from) // before a heartbeat that knows nothing of it takes its place
	}
	now := c.begin(selections)
	defer now.close()
	switch err := now.reopen(ctx, from); {
	case errors.Is(err, ErrGone):
		return c.Collect(ctx, selections)
	case err != nil:
		return Manifest{}, err
	}
	return now.read(ctx)
}

// collection is one attempt.
type collection struct {
	Collector
	selections []Selection
	listing    listing
	trees      []Tree // of the selections, opened
	manifest   Manifest
	progress   workflows.CollectProgress
	savedAt    time.Time
}

func (c Collector) begin(selections []Selection) *collection {
	return &collection{
		Collector: c, selections: selections, savedAt: time.Now(),
		manifest: Manifest{Format: ManifestFormat, Entries: []Entry{}},
	}
}

func (c *collection) close() {
	for _, tree := range c.trees {
		_ = tree.Close() // it was only read
	}
}

func (c *collection) opening(moment string) Opening {
	return Opening{Moment: moment, Limits: c.Limits, Store: c.Store}
}

func (c *collection) tell() {
	if c.Progress != nil {
		c.Progress(c.progress)
	}
}

// read reads what is on the list and not yet in the manifest.
func (c *collection) read(ctx context.Context) (Manifest, error) {
	c.tell()
	c.manifest.Entries = slices.Grow(c.manifest.Entries, c.listing.entries()-len(c.manifest.Entries))
	begin := 0
	for i, listed := range c.listing.Sources {
		end := begin + len(listed.Items)
		for len(c.manifest.Entries) < end {
			if err := ctx.Err(); err != nil {
				return Manifest{}, faults.Name(err)
			}
			item := listed.Items[len(c.manifest.Entries)-begin]
			e, err := c.entry(ctx, i, item)
			if err != nil {
				return Manifest{}, fault(whole(c.selections[i]), err)
			}
			c.manifest.add(e)
			if err := c.account(ctx); err != nil {
				return Manifest{}, err
			}
		}
		if err := nothingRead(c.selections[i], c.manifest.Entries[begin:end]); err != nil {
			return Manifest{}, err
		}
		if listed.Origin != nil {
			c.manifest.Origins = append(c.manifest.Origins, *listed.Origin)
		}
		begin = end
	}
	return c.manifest, nil
}

// entry reads one item, or says why it is skipped.
func (c *collection) entry(ctx context.Context, selection int, item Item) (Entry, error) {
	e := Entry{Source: c.selections[selection].Name, Path: item.Path, Size: item.Size, Skipped: item.Skipped, Files: item.Files}
	if left := c.Limits.MaxTotalBytes - c.manifest.Bytes; e.Skipped == "" && item.Size > left {
		e.Skipped = PastTotal(item.Size, c.Limits.MaxTotalBytes, left)
	}
	if e.Skipped != "" {
		return e, nil
	}
	if c.beforeRead != nil {
		c.beforeRead(item.Path)
	}
	data, err := c.trees[selection].Read(ctx, item)
	if skip, ok := errors.AsType[*Skip](err); ok {
		e.Skipped = skip.Reason
		return e, nil
	}
	if err != nil {
		return e, err
	}
	return c.document(ctx, e, item, data)
}

// document stores a file's bytes and the text that they hold.
func (c *collection) document(ctx context.Context, e Entry, item Item, data []byte) (Entry, error) {
	decoded := text.Decode(ctx, item.MediaType, data)
	if err := ctx.Err(); err != nil {
		return e, faults.Name(err) // before what was cut short is taken for the text
	}
	if decoded.Problem != "" {
		e.Skipped = decoded.Problem
		return e, nil
	}
	var err error
	if e.Digest = item.Digest; e.Digest.IsZero() {
		if e.Digest, err = c.Store.Put(ctx, data); err != nil {
			return e, err
		}
	}
	if decoded.Text != string(data) {
		if e.Text, err = c.Store.Put(ctx, []byte(decoded.Text)); err != nil {
			return e, err
		}
		e.TextSize = int64(len(decoded.Text))
	}
	e.MediaType, e.ETag, e.LastModified = item.MediaType, item.ETag, item.LastModified
	e.Encoding, e.Guessed, e.Replaced = decoded.Encoding, decoded.Guessed, decoded.Replaced
	e.NULs, e.Hidden, e.Invisible = decoded.NULs, decoded.Hidden, decoded.Invisible
	return e, nil
}
