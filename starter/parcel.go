package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/folder"
	"github.com/holdpoint/holdpoint/internal/upload"
	"github.com/holdpoint/holdpoint/workflows"
)

// parcel is all that goes with one task through the blob store.
type parcel struct {
	to    cli.Found
	items []item
}

// item is one upload, as it is printed.
type item struct {
	Source  string        `json:"source"` // the name that its documents get
	Upload  plan.Digest   `json:"upload"` // what the task names
	Stored  int           `json:"stored"` // files
	Bytes   int64         `json:"bytes"`  // of them
	LeftOut []upload.File `json:"left_out,omitempty"`

	flag  string // that named it, with its value
	write writer
}

// add gives an item a name that no other source of the task has: two of one
// name are one source, and may not overlap.
func (p *parcel) add(name, flag string, write writer, taken []workflows.Source) {
	free := name
	for n := 2; hasSource(taken, free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	p.items = append(p.items, item{Source: free, flag: flag, write: write})
}

func hasSource(sources []workflows.Source, name string) bool {
	return slices.ContainsFunc(sources, func(s workflows.Source) bool { return s.Root == name })
}

// sources are what the task names. Until it is sent, a digest of nothing stands
// for the address of an item, so that a task is checked before anything is stored.
func (p *parcel) sources() []workflows.Source {
	var all []workflows.Source
	for _, i := range p.items {
		address := i.Upload
		if address.IsZero() {
			address = plan.Sum(nil)
		}
		all = append(all, workflows.Source{Kind: workflows.SourceUpload, Root: i.Source, Upload: address})
	}
	return all
}

// send stores everything in the tenant's part of the blob store. What an upload
// that was broken off has stored, nothing names, and the next one finds it there.
func (p *parcel) send(ctx context.Context, tenant string) error {
	if len(p.items) == 0 {
		return nil
	}
	store, err := p.to.Store.Open()
	if err != nil {
		return fmt.Errorf("%w; it is named by the configuration (--config) or the data folder (--data)", err)
	}
	defer store.Close()
	put := func(ctx context.Context, data []byte) (plan.Digest, error) {
		digest, err := store.Put(ctx, tenant, data)
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w\nNo run was started. Once the blob store %s takes it, start again: what is stored already is not sent twice", err, p.to.Name)
		}
		return digest, err
	}
	for i := range p.items {
		written, err := p.items[i].write(ctx, put)
		p.items[i].take(written)
		if err != nil {
			return p.items[i].explain(err)
		}
	}
	return nil
}

func (i *item) take(w upload.Written) {
	i.Upload, i.Stored, i.Bytes = w.Digest, w.Stored, w.Bytes
	for _, f := range w.List.Files {
		if f.Skipped != "" {
			i.LeftOut = append(i.LeftOut, f)
		}
	}
}

// explain says what to do about an upload that could not be made.
func (i *item) explain(err error) error {
	problem, refused := errors.AsType[*folder.Problem](err)
	switch {
	case errors.Is(err, upload.ErrEmpty) && len(i.LeftOut) > 0:
		first := i.LeftOut[0]
		return cli.Usagef("%s %w: %s is left out (%s), and %d more", i.flag, err, first.Path, first.Skipped, len(i.LeftOut)-1)
	case errors.Is(err, upload.ErrEmpty):
		return cli.Usagef("%s %w; see also --include and --exclude", i.flag, err)
	case refused && problem.Code == folder.CodeMany:
		return cli.Usagef("%s %w; name a folder within it, or fewer with --include and --exclude", i.flag, err)
	case refused:
		return cli.Usagef("%s %w", i.flag, err)
	default:
		return fmt.Errorf("%s: %w", i.flag, err)
	}
}

// maxLeftOut bounds what is printed; the manifest has them all.
const maxLeftOut = 20

// print says what was stored and what was left out.
func (p *parcel) print(out io.Writer) {
	for _, i := range p.items {
		fmt.Fprintf(out, "stored %s: %s, %s, in %s\n", plan.Escape(i.flag), files(i.Stored), size(i.Bytes), plan.Escape(p.to.Name))
		fmt.Fprintf(out, "  as source %s, %s\n", i.Source, i.Upload)
		for n, f := range i.LeftOut {
			if n == maxLeftOut {
				fmt.Fprintf(out, "  left out %d more; the run's manifest lists them\n", len(i.LeftOut)-n)
				break
			}
			within := ""
			if f.Files > 0 {
				within = fmt.Sprintf(" (%s)", files(f.Files))
			}
			fmt.Fprintf(out, "  left out %s%s: %s\n", plan.Escape(f.Path), within, plan.Escape(f.Skipped))
		}
	}
}
