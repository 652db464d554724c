package activities

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/activities/sources/text"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// documents reads back what CollectContext stored: those very texts, whatever
// became of the folder since. The notes say what was done to get text of them.
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
	for _, e := range manifest.Entries {
		if e.Skipped != "" {
			continue
		}
		decoded, err := a.text(ctx, tenant, e)
		if err != nil {
			return nil, nil, err
		}
		if note := decodingNote(decoded); note != "" {
			notes = append(notes, plan.Escape(e.Source+"/"+e.Path)+": "+note)
		}
		documents = append(documents, planners.Document{
			Path: e.Path, Source: e.Source, MediaType: e.MediaType, Digest: e.Digest, Text: decoded.Text,
		})
	}
	return documents, notes, nil
}

// text is the text of a document, as it was when it was collected.
func (a *Activities) text(ctx context.Context, tenant string, e sources.Entry) (text.Decoded, error) {
	at, size := e.Digest, e.Size
	if !e.Text.IsZero() {
		at, size = e.Text, e.TextSize
	}
	data, err := a.stored(ctx, tenant, at, size)
	if err != nil {
		return text.Decoded{}, err
	}
	if e.Text.IsZero() && e.Encoding == "" { // collected before texts were stored
		return text.Decode(ctx, e.MediaType, data), nil
	}
	return text.Decoded{
		Text: string(data), Encoding: e.Encoding, Guessed: e.Guessed,
		Replaced: e.Replaced, NULs: e.NULs, Hidden: e.Hidden, Invisible: e.Invisible,
	}, nil
}

// decodingNote says what an approver should know of how a text was read.
func decodingNote(d text.Decoded) string {
	var parts []string
	if d.Problem != "" {
		parts = append(parts, "not read: "+d.Problem)
	}
	if d.Guessed {
		parts = append(parts, "nothing in it proves its encoding, which was taken to be "+d.Encoding)
	}
	encoding := strings.ToUpper(strings.TrimSuffix(cmp.Or(d.Encoding, "utf-8"), "-bom"))
	for _, counted := range []struct {
		n    int
		what string
	}{
		{d.Replaced, "bytes that are no " + encoding + " were replaced"},
		{d.NULs, "NUL characters were removed"},
		{d.Hidden, "comments or hidden elements were left out"},
		{d.Invisible, "invisible characters were removed"},
	} {
		if counted.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counted.n, counted.what))
		}
	}
	return strings.Join(parts, "; ")
}
