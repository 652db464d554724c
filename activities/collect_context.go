package activities

import (
	"context"
	"fmt"
	"strings"

	"go.temporal.io/sdk/activity"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// skippedExamples is how many skipped entries the history names.
const skippedExamples = 10

// maxManifestBytes bounds a manifest: 100,000 entries of some hundred bytes.
const maxManifestBytes = 64 << 20

// CollectContext reads the task's documents into the blob store. The history
// gets counts and the manifest's address, never a document.
func (a *Activities) CollectContext(
	ctx context.Context, in workflows.CollectContextInput,
) (workflows.CollectContextResult, error) {
	var none workflows.CollectContextResult
	selections, err := a.selections(in.Task)
	if err != nil {
		return none, err
	}
	collector := sources.Collector{
		Limits: a.Limits,
		Store: func(ctx context.Context, data []byte) (plan.Digest, error) {
			return a.Blobs.Put(ctx, in.Task.Tenant, data)
		},
		Progress: func(p sources.Progress) { activity.RecordHeartbeat(ctx, p) },
	}
	manifest, err := collector.Collect(ctx, selections)
	if err != nil {
		return none, err
	}
	raw, err := manifest.Canonical()
	if err != nil {
		return none, err
	}
	digest, err := a.Blobs.Put(ctx, in.Task.Tenant, raw)
	if err != nil {
		return none, err
	}
	contextDigest, err := manifest.ContextDigest()
	if err != nil {
		return none, err
	}
	return workflows.CollectContextResult{
		Attempt: attempt(ctx), Digest: contextDigest, Manifest: workflows.BlobRef{Digest: digest, Size: int64(len(raw))},
		Read: manifest.Read, Skipped: manifest.Skipped, Bytes: manifest.Bytes, Examples: examples(manifest),
	}, nil
}

// selections turns the names in a task into folders of this machine. A task
// that names anything else is refused.
func (a *Activities) selections(task workflows.Task) ([]sources.Selection, error) {
	var all []sources.Selection
	for _, s := range task.Context {
		root, ok := a.Roots[s.Root]
		if !ok {
			return nil, bad("no_source", "this worker's configuration names no source root %q", s.Root)
		}
		all = append(all, sources.Selection{
			Dir: sources.Dir{Name: s.Root, Root: root}, Path: s.Path, Include: s.Include, Exclude: s.Exclude,
		})
	}
	return all, nil
}

func examples(m sources.Manifest) []string {
	var lines []string
	for _, e := range m.Entries {
		if e.Skipped != "" && len(lines) < skippedExamples {
			lines = append(lines, tail(plan.Escape(e.Path), maxExampleBytes)+": "+e.Skipped)
		}
	}
	return lines
}

// maxExampleBytes bounds a path in the history: a path of 4 KiB of invisible
// characters is eight times as long when they are shown.
const maxExampleBytes = 300

// tail keeps the end of a path, which tells most.
func tail(path string, limit int) string {
	if len(path) <= limit {
		return path
	}
	return "…" + strings.ToValidUTF8(path[len(path)-limit:], "")
}

// documents reads back what CollectContext stored: those very bytes, whatever
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
		data, err := a.stored(ctx, tenant, e.Digest, e.Size)
		if err != nil {
			return nil, nil, err
		}
		decoded := sources.Decode(e.MediaType, data)
		if note := decodingNote(decoded); note != "" {
			notes = append(notes, plan.Escape(e.Source+"/"+e.Path)+": "+note)
		}
		documents = append(documents, planners.Document{
			Path: e.Path, Source: e.Source, MediaType: e.MediaType, Digest: e.Digest, Text: decoded.Text,
		})
	}
	return documents, notes, nil
}

// decodingNote says what an approver should know of how a text was read.
func decodingNote(d sources.Decoded) string {
	var parts []string
	if d.Problem != "" {
		parts = append(parts, "not read: "+d.Problem)
	}
	for _, counted := range []struct {
		n    int
		what string
	}{
		{d.Replaced, "bytes that are no UTF-8 were replaced"},
		{d.NULs, "NUL characters were removed"},
		{d.Hidden, "comments or hidden elements were left out"},
	} {
		if counted.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counted.n, counted.what))
		}
	}
	return strings.Join(parts, "; ")
}
