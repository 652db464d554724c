package activities

import (
	"context"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// skippedExamples is how many skipped entries the history names.
const skippedExamples = 10

// maxManifestBytes bounds a manifest: 100,000 entries of some hundred bytes.
const maxManifestBytes = 64 << 20

// saveEvery is how often a collection keeps the place from which another
// attempt goes on: about as often as heartbeats reach the server, because one
// that it has not heard of is of no use.
const saveEvery = time.Second

// CollectContext reads the task's documents into the blob store. The history
// gets counts and the manifest's address, never a document. An attempt after
// one that was killed goes on where that was.
func (a *Activities) CollectContext(
	ctx context.Context, in workflows.CollectContextInput,
) (workflows.CollectContextResult, error) {
	var none workflows.CollectContextResult
	selections, err := a.selections(in.Task)
	if err != nil {
		return none, err
	}
	manifest, err := a.collect(ctx, in.Task.Tenant, selections)
	if err != nil {
		return none, err
	}
	raw, err := manifest.Canonical()
	if err != nil {
		return none, err
	}
	if len(raw) > maxManifestBytes {
		return none, bad("manifest_too_large", "the list of the %d entries has %d bytes, and %d are allowed; select fewer files",
			len(manifest.Entries), len(raw), maxManifestBytes)
	}
	digest, err := a.put(ctx, in.Task.Tenant, raw)
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

func (a *Activities) collect(ctx context.Context, tenant string, selections []sources.Selection) (sources.Manifest, error) {
	collector := sources.Collector{
		Limits: a.Limits, Every: saveEvery, Store: shelf{a, tenant},
		Progress: func(p workflows.CollectProgress) { activity.RecordHeartbeat(ctx, p) },
	}
	var from workflows.CollectProgress
	if activity.HasHeartbeatDetails(ctx) && activity.GetHeartbeatDetails(ctx, &from) == nil {
		return collector.Resume(ctx, selections, from)
	}
	return collector.Collect(ctx, selections)
}

// shelf is a tenant's part of the blob store.
type shelf struct {
	*Activities

	tenant string
}

// Put implements sources.Store.
func (s shelf) Put(ctx context.Context, data []byte) (plan.Digest, error) {
	return s.put(ctx, s.tenant, data)
}

// Get implements sources.Store.
func (s shelf) Get(ctx context.Context, digest plan.Digest, limit int64) ([]byte, error) {
	return s.stored(ctx, s.tenant, digest, limit)
}

// selections turns the names in a task into sources of this worker. A name that
// it does not have waits for a worker that does.
func (a *Activities) selections(task workflows.Task) ([]sources.Selection, error) {
	var all []sources.Selection
	for _, s := range task.Context {
		source, err := a.source(s)
		if err != nil {
			return nil, err
		}
		all = append(all, sources.Selection{Name: s.Root, Source: source, Path: s.Path, Include: s.Include, Exclude: s.Exclude})
	}
	return all, nil
}

func (a *Activities) source(s workflows.Source) (sources.Source, error) {
	if s.Kind == workflows.SourceUpload {
		return sources.Upload{List: s.Upload}, nil
	}
	source, ok := a.Sources[s.Root]
	switch {
	case !ok:
		return nil, a.lacks("no_source", "no source %q in its configuration, which names %s", s.Root, namesOf(a.Sources))
	case source.Kind() != s.Kind:
		return nil, a.lacks("source_kind", "source %q of kind %q, and the task says %q", s.Root, source.Kind(), s.Kind)
	}
	return source, nil
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
