package sources

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/holdpoint/holdpoint/activities/sources/text"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// noText is the reason for a document in which a person would find nothing to
// read: a plan made of such documents alone would be made of nothing.
const noText = "no text: nothing in it that a person could read"

// entry reads one item, or says why it is skipped.
func (c *collection) entry(ctx context.Context, selection int, item Item) (Entry, error) {
	source := c.selections[selection].Name
	left := max(c.Limits.MaxTotalBytes-c.manifest.Bytes, 0)
	if item.Skipped == "" {
		item.Skipped = c.pastLimits(item, left)
	}
	if item.Skipped != "" {
		return entryOf(source, item), nil
	}
	if c.beforeRead != nil {
		c.beforeRead(item.Path)
	}
	data, err := c.trees[selection].Read(ctx, &item, min(c.Limits.MaxFileBytes, left))
	if skip, ok := errors.AsType[*Skip](err); ok {
		item.Skipped = skip.Reason
	} else if err != nil {
		return Entry{}, err
	}
	if item = c.judge(item); item.Skipped != "" { // by what only reading has shown, too
		return entryOf(source, item), nil
	}
	return c.document(ctx, entryOf(source, item), item, data)
}

func entryOf(source string, item Item) Entry {
	return Entry{Source: source, Path: item.Path, Size: max(item.Size, 0), Skipped: item.Skipped, Files: item.Files}
}

// pastLimits says why an item is not read that the list has as one to read:
// documents before it have used up the limit, or the list was made under
// others.
func (c *collection) pastLimits(item Item, left int64) string {
	switch {
	case item.Size > c.Limits.MaxFileBytes:
		return TooLarge(item.Size, c.Limits.MaxFileBytes)
	case item.Size > left:
		return PastTotal(item.Size, c.Limits.MaxTotalBytes, left)
	case item.Size == UnknownSize && left == 0:
		return fmt.Sprintf("past the total limit: of %d bytes in all 0 are left", c.Limits.MaxTotalBytes)
	default:
		return ""
	}
}

// document stores a file's bytes and the text that they hold.
func (c *collection) document(ctx context.Context, e Entry, item Item, data []byte) (Entry, error) {
	decoded, err := text.DecodeAs(ctx, item.MediaType, item.Charset, data)
	if err != nil { // of this machine, or ctx: another attempt may read it
		return e, err
	}
	if decoded.Problem == "" && !readable(decoded.Text) {
		decoded.Problem = noText
	}
	if decoded.Problem != "" {
		e.Skipped = decoded.Problem
		return e, nil
	}
	var blobs [][]byte
	if e.Digest = item.Digest; e.Digest.IsZero() { // else it is in the store
		e.Digest = plan.Sum(data)
		blobs = append(blobs, data)
	}
	if decoded.Text != string(data) {
		e.Text, e.TextSize = plan.Sum([]byte(decoded.Text)), int64(len(decoded.Text))
		blobs = append(blobs, []byte(decoded.Text))
	}
	e.MediaType, e.ETag, e.LastModified = item.MediaType, item.ETag, item.LastModified
	e.Encoding, e.Guessed, e.Replaced = decoded.Encoding, decoded.Guessed, decoded.Replaced
	e.NULs, e.Hidden, e.Invisible = decoded.NULs, decoded.Hidden, decoded.Invisible
	return e, c.storing.add(ctx, blobs)
}

// readable reports whether a text has a character that leaves a mark and stands
// for something: U+2800 is a Braille pattern of no dots.
func readable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != unicode.ReplacementChar && r != '\u2800'
	})
}
