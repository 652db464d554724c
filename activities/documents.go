package activities

import (
	"context"
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/activities/sources/text"
	"github.com/holdpoint/holdpoint/workflows"
)

// documents are those that CollectContext stored, whatever became of the folder
// since. None of their texts is in memory: each is fetched when a planner reads
// it. The notes say what was done to get text of them.
func (a *Activities) documents(
	ctx context.Context, tenant string, ref workflows.BlobRef,
) (documents []planners.Document, notes []string, err error) {
	raw, err := a.stored(ctx, tenant, ref.Digest, maxManifestBytes)
	if err != nil {
		return nil, nil, err
	}
	manifest, err := sources.ParseManifest(raw)
	if err != nil {
		return nil, nil, &faults.Fault{Class: faults.Permanent, Code: "bad_manifest", Reason: "the stored manifest cannot be read", Cause: err}
	}
	if manifest.Skipped > 0 {
		notes = append(notes, fmt.Sprintf("%d documents were read; %d entries were skipped, such as %s",
			manifest.Read, manifest.Skipped, strings.Join(examples(manifest), "; ")))
	}
	var read readings
	for _, e := range manifest.Entries {
		if e.Skipped != "" {
			continue
		}
		d := collected{a, tenant, e}
		how, err := d.how(ctx)
		if err != nil {
			return nil, nil, err
		}
		read.add(e, how)
		documents = append(documents, d.document())
	}
	return documents, append(notes, read.notes()...), nil
}

// collected is a document as it was when it was collected.
type collected struct {
	*Activities

	tenant string
	entry  sources.Entry
}

func (c collected) document() planners.Document {
	d := planners.Document{
		Path: c.entry.Path, Source: c.entry.Source, MediaType: c.entry.MediaType, Digest: c.entry.Digest,
		Read: c.text, Bytes: c.bytes,
	}
	switch {
	case c.isOld():
	case c.entry.Text.IsZero():
		d.Size = c.entry.Size
	default:
		d.Size = c.entry.TextSize
	}
	return d
}

// isOld reports whether the manifest is from before texts were stored.
func (c collected) isOld() bool { return c.entry.Text.IsZero() && c.entry.Encoding == "" }

func (c collected) bytes(ctx context.Context) ([]byte, error) {
	return c.stored(ctx, c.tenant, c.entry.Digest, c.entry.Size)
}

func (c collected) text(ctx context.Context) (string, error) {
	switch {
	case c.isOld():
		d, err := c.decode(ctx)
		return d.Text, err
	case c.entry.Text.IsZero():
		data, err := c.bytes(ctx)
		return string(data), err
	default:
		data, err := c.stored(ctx, c.tenant, c.entry.Text, c.entry.TextSize)
		return string(data), err
	}
}

// how is what had to be done to get the text. Of an old manifest only the bytes
// know it.
func (c collected) how(ctx context.Context) (text.Decoded, error) {
	if c.isOld() {
		return c.decode(ctx)
	}
	e := c.entry
	return text.Decoded{
		Encoding: e.Encoding, Guessed: e.Guessed, Replaced: e.Replaced, NULs: e.NULs, Hidden: e.Hidden, Invisible: e.Invisible,
	}, nil
}

func (c collected) decode(ctx context.Context) (text.Decoded, error) {
	data, err := c.bytes(ctx)
	if err != nil {
		return text.Decoded{}, err
	}
	d, err := text.Decode(ctx, c.entry.MediaType, data)
	if ctx.Err() != nil { // what was cut short is not the text
		return text.Decoded{}, faults.Name(ctx.Err())
	}
	return d, err
}
