package sources

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"github.com/holdpoint/holdpoint/activities/sources/text"
	"github.com/holdpoint/holdpoint/internal/folder"
	"github.com/holdpoint/holdpoint/workflows"
)

// listingFormat names the layout of a listing.
const listingFormat = "holdpoint.listing/1"

// maxNames bounds the paths on a list, in bytes of all together: Git allows a
// path of any length.
const maxNames = 32 << 20

// listing is everything that there was to read at the moment when a collection
// began. Its attempts share it through the store.
type listing struct {
	Format  string       `json:"format"`
	Sources []listedTree `json:"sources"` // one for each selection, in order
}

// listedTree is what one selection holds.
type listedTree struct {
	Moment string  `json:"moment"`
	Origin *Origin `json:"origin,omitempty"`
	Items  []Item  `json:"items"`
}

func (l listing) entries() int {
	n := 0
	for _, tree := range l.Sources {
		n += len(tree.Items)
	}
	return n
}

// list opens the sources and lists what is selected of them.
func (c *collection) list(ctx context.Context) error {
	c.listing = listing{Format: listingFormat}
	for _, s := range c.selections {
		if err := c.listOne(ctx, s); err != nil {
			return err
		}
	}
	raw, err := c.listing.encode()
	if err != nil {
		return err
	}
	digest, err := c.Store.Put(ctx, raw)
	c.progress.Listing = workflows.BlobRef{Digest: digest, Size: int64(len(raw))}
	return err
}

func (c *collection) listOne(ctx context.Context, s Selection) error {
	scope, err := folder.NewScope(s.Path, s.Include, s.Exclude)
	if problem, refused := errors.AsType[*folder.Problem](err); refused {
		return refuse(problem.Code, problem.Reason)
	}
	tree, err := s.Source.Open(ctx, c.opening(""))
	if err != nil {
		return fault(whole(s), err)
	}
	c.trees = append(c.trees, tree)
	items := []Item{}
	err = tree.List(ctx, scope, c.Limits.MaxEntries, func(item Item) error {
		if c.progress.Entries >= c.Limits.MaxEntries {
			return folder.TooMany(c.Limits.MaxEntries)
		}
		if c.names += len(item.Path); c.names > maxNames {
			return &folder.Problem{Code: folder.CodeMany, Reason: fmt.Sprintf(
				"holds entries whose paths have more than %d bytes in all; name a smaller folder, or use include and exclude", maxNames)}
		}
		items = append(items, c.judge(item))
		c.progress.Entries++
		c.tell()
		return ctx.Err()
	})
	if err != nil {
		return fault(place(s), err)
	}
	c.listing.Sources = append(c.listing.Sources, listedTree{Moment: tree.Moment(), Origin: originOf(s, tree), Items: items})
	return nil
}

func originOf(s Selection, tree Tree) *Origin {
	origin := tree.Origin()
	if origin != nil {
		origin.Source, origin.Kind = s.Name, s.Source.Kind()
	}
	return origin
}

// judge says of what was listed why it is not read. Nothing is opened for it.
func (c *collection) judge(item Item) Item {
	if item.Skipped != "" {
		return item
	}
	name := path.Base(item.Path)
	if name[0] == '.' {
		item.Skipped = "hidden"
	}
	if item.Skipped != "" || item.Size == UnknownSize {
		return item
	}
	if item.MediaType == "" {
		item.MediaType = text.MediaType(name)
	}
	switch {
	case item.MediaType == "":
		item.Skipped = text.Unsupported(name)
	case item.Size == 0:
		item.Skipped = "empty"
	case item.Size > c.Limits.MaxFileBytes:
		item.Skipped = TooLarge(item.Size, c.Limits.MaxFileBytes)
	}
	return item
}

// TooLarge is the reason for a file over the limit.
func TooLarge(size, limit int64) string {
	return fmt.Sprintf("too large: %d bytes, the limit for a file is %d", size, limit)
}

// PastTotal is the reason for a file that does not fit into what is left.
func PastTotal(size, total, left int64) string {
	return fmt.Sprintf("past the total limit: %d bytes, of %d in all %d are left", size, total, left)
}

// encode writes the listing as JSON, item by item: as a whole, a listing of
// 100,000 items would take several times its size.
func (l listing) encode() ([]byte, error) {
	var b bytes.Buffer
	b.Grow(l.entries() * itemBytes)
	fmt.Fprintf(&b, `{"format":%q,"sources":[`, l.Format)
	items := json.NewEncoder(&b)
	for i, tree := range l.Sources {
		if i > 0 {
			b.WriteByte(',')
		}
		head, err := json.Marshal(listedTree{Moment: tree.Moment, Origin: tree.Origin})
		if err != nil {
			return nil, err
		}
		b.Write(bytes.TrimSuffix(head, []byte("null}"))) // up to its items
		b.WriteByte('[')
		for j, item := range tree.Items {
			if j > 0 {
				b.WriteByte(',')
			}
			if err := items.Encode(item); err != nil {
				return nil, err
			}
		}
		b.WriteString("]}")
	}
	b.WriteString("]}")
	return b.Bytes(), nil
}

// itemBytes is what an item takes as JSON, more or less.
const itemBytes = 200

// parseListing reads the listing of an earlier attempt, which may have been
// that of another version.
func parseListing(raw []byte, selections int) (listing, error) {
	var l listing
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return listing{}, err
	}
	if l.Format != listingFormat || len(l.Sources) != selections {
		return listing{}, fmt.Errorf("a listing of format %.40q, of %d sources", l.Format, len(l.Sources))
	}
	return l, nil
}
