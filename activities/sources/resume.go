package sources

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// partFormat names the layout of a part.
const partFormat = "holdpoint.collected/1"

// maxKeptBytes bounds what an earlier attempt has kept, one thing of it: the
// listing of 100,000 entries has some 30 MB.
const maxKeptBytes = 256 << 20

// part is what was added to the manifest since the part before. The parts of a
// collection are as large as its manifest, however often one was kept.
type part struct {
	Format  string             `json:"format"`
	Listing plan.Digest        `json:"listing"`
	First   int                `json:"first"` // the number of its first entry, from 0
	Before  *workflows.BlobRef `json:"before,omitempty"`
	Entries []Entry            `json:"entries"`
}

// account tells of what was added to the manifest, and keeps it now and then.
func (c *collection) account(ctx context.Context) error {
	c.progress.Done = len(c.manifest.Entries)
	c.progress.Read, c.progress.Skipped, c.progress.Bytes = c.manifest.Read, c.manifest.Skipped, c.manifest.Bytes
	if time.Since(c.savedAt) >= c.Every {
		if err := c.save(ctx); err != nil {
			return err
		}
	}
	c.tell()
	return nil
}

// keep keeps what was read before something failed. It says nothing of what it
// meets itself: then it is read again.
func (c *collection) keep(ctx context.Context) {
	if c.progress.Saved == len(c.manifest.Entries) || ctx.Err() != nil {
		return
	}
	if c.save(ctx) == nil {
		c.tell()
	}
}

// save keeps the place up to which everything is stored.
func (c *collection) save(ctx context.Context) error {
	if err := c.storing.end(); err != nil {
		return err
	}
	p := part{
		Format: partFormat, Listing: c.progress.Listing.Digest,
		First: c.progress.Saved, Entries: c.manifest.Entries[c.progress.Saved:],
	}
	if p.First > 0 {
		before := c.progress.Partial
		p.Before = &before
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	digest, err := c.Store.Put(ctx, raw)
	if err != nil {
		return err
	}
	c.progress.Partial = workflows.BlobRef{Digest: digest, Size: int64(len(raw))}
	c.progress.Saved, c.savedAt = len(c.manifest.Entries), time.Now()
	return nil
}

// reopen takes up where another attempt was. The error is ErrGone when it
// cannot.
func (c *collection) reopen(ctx context.Context, from workflows.CollectProgress) error {
	if from.Listing.Digest.IsZero() {
		return ErrGone
	}
	raw, err := c.kept(ctx, from.Listing)
	if err != nil {
		return err
	}
	if c.listing, err = parseListing(raw, len(c.selections)); err != nil {
		return gone(err)
	}
	entries, err := c.partial(ctx, from)
	if err != nil {
		return err
	}
	for i, s := range c.selections {
		tree, err := s.Source.Open(ctx, c.opening(c.listing.Sources[i].Moment))
		if err != nil {
			return fault(whole(s), err)
		}
		c.trees = append(c.trees, tree)
	}
	for _, e := range entries {
		c.manifest.add(e)
	}
	c.progress = workflows.CollectProgress{
		Listing: from.Listing, Entries: c.listing.entries(), Done: len(entries), Saved: len(entries), Partial: from.Partial,
		Read: c.manifest.Read, Skipped: c.manifest.Skipped, Bytes: c.manifest.Bytes,
	}
	return nil
}

// partial puts the parts of a manifest together, from the last to the first.
func (c *collection) partial(ctx context.Context, from workflows.CollectProgress) ([]Entry, error) {
	var parts [][]Entry
	at := from.Partial
	for end := from.Saved; end > 0; {
		raw, err := c.kept(ctx, at)
		if err != nil {
			return nil, err
		}
		var p part
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, gone(err)
		}
		if p.Format != partFormat || p.Listing != from.Listing.Digest || len(p.Entries) == 0 ||
			p.First+len(p.Entries) != end || (p.First > 0) != (p.Before != nil) {
			return nil, gone(fmt.Errorf("a part of %d entries from %d, for the first %d", len(p.Entries), p.First, end))
		}
		parts, end = append(parts, p.Entries), p.First
		if p.Before != nil {
			at = *p.Before
		}
	}
	if from.Saved > c.listing.entries() {
		return nil, gone(fmt.Errorf("%d entries of %d", from.Saved, c.listing.entries()))
	}
	slices.Reverse(parts)
	return slices.Concat(parts...), nil
}

// kept reads what an earlier attempt has put into the store. What is not there
// is no reason to fail: it can be made anew.
func (c *collection) kept(ctx context.Context, ref workflows.BlobRef) ([]byte, error) {
	if ref.Size > maxKeptBytes {
		return nil, gone(fmt.Errorf("%d bytes", ref.Size))
	}
	raw, err := c.Store.Get(ctx, ref.Digest, ref.Size)
	if faults.ClassOf(err) == faults.Permanent {
		return nil, gone(err)
	}
	return raw, err
}

func gone(cause error) error { return errors.Join(ErrGone, cause) }
