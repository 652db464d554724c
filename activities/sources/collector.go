package sources

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

// Collector reads documents into a store.
type Collector struct {
	Limits Limits
	Store  Store // it may be asked for several things at a time
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
	names      int    // bytes of the paths on it
	trees      []Tree // of the selections, opened
	manifest   Manifest
	storing    storing
	progress   workflows.CollectProgress
	savedAt    time.Time
}

func (c Collector) begin(selections []Selection) *collection {
	return &collection{
		Collector: c, selections: selections, savedAt: time.Now(), storing: storing{store: c.Store},
		manifest: Manifest{Format: ManifestFormat, Entries: []Entry{}},
	}
}

func (c *collection) close() {
	_ = c.storing.end() // of an attempt that has failed, or there is nothing left
	for _, tree := range c.trees {
		_ = tree.Close() // it was only read
	}
}

func (c *collection) opening(moment string) Opening {
	return Opening{Moment: moment, Store: c.Store}
}

func (c *collection) tell() {
	if c.Progress != nil {
		c.Progress(c.progress)
	}
}

// read reads what is on the list and not yet in the manifest. When something
// keeps it from the end, what was read so far is kept for the next attempt.
func (c *collection) read(ctx context.Context) (Manifest, error) {
	c.tell()
	c.manifest.Entries = slices.Grow(c.manifest.Entries, c.listing.entries()-len(c.manifest.Entries))
	begin := 0
	for i, listed := range c.listing.Sources {
		end := begin + len(listed.Items)
		if err := c.readOne(ctx, i, begin, end); err != nil {
			c.keep(ctx)
			return Manifest{}, err
		}
		if err := nothingRead(c.selections[i], c.manifest.Entries[begin:end]); err != nil {
			return Manifest{}, err
		}
		if listed.Origin != nil {
			c.manifest.Origins = append(c.manifest.Origins, *listed.Origin)
		}
		begin = end
	}
	if err := c.storing.end(); err != nil {
		return Manifest{}, err
	}
	return c.manifest, nil
}

// readOne reads the items of one selection, which are those from begin to end.
func (c *collection) readOne(ctx context.Context, selection, begin, end int) error {
	for len(c.manifest.Entries) < end {
		if err := ctx.Err(); err != nil {
			return faults.Name(err)
		}
		e, err := c.entry(ctx, selection, c.listing.Sources[selection].Items[len(c.manifest.Entries)-begin])
		if err != nil {
			return fault(whole(c.selections[selection]), err)
		}
		c.manifest.add(e)
		if err := c.account(ctx); err != nil {
			return err
		}
	}
	return nil
}
