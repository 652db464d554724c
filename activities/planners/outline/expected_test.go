package outline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// root is the repository's root.
const root = "../../.."

// collect reads a folder as collect_context does.
func collect(t *testing.T, name, dir string) []planners.Document {
	t.Helper()
	contents := map[plan.Digest][]byte{}
	c := sources.Collector{Limits: sources.DefaultLimits(), Store: func(_ context.Context, data []byte) (plan.Digest, error) {
		d := plan.Sum(data)
		contents[d] = data
		return d, nil
	}}
	m, err := c.Collect(t.Context(), []sources.Selection{{Dir: sources.Dir{Name: name, Root: dir}}})
	require.NoError(t, err)
	var documents []planners.Document
	for _, e := range m.Entries {
		if e.Skipped == "" {
			documents = append(documents, planners.Document{
				Path: e.Path, Source: e.Source, MediaType: e.MediaType, Digest: e.Digest,
				Text: sources.Decode(e.MediaType, contents[e.Digest]).Text,
			})
		}
	}
	return documents
}

func example(t *testing.T) []planners.Document {
	t.Helper()
	return collect(t, "notes", filepath.Join(root, "examples", "weekly-report", "notes"))
}

// The list was worked out by hand, reading the notes.
func TestEveryDatedEntryOfTheWeek(t *testing.T) {
	expected, err := os.ReadFile(filepath.Join("testdata", "expected-2026-W48.tsv"))
	require.NoError(t, err)

	names := map[kind]string{done: "done", decided: "decided", planned: "planned", blocked: "blocked", noted: "noted"}
	w := makeWeek(2026, 48)
	found := []string{"file\tline\tdate\tkind\ttext"}
	for _, d := range example(t) {
		for _, e := range readTopic(d, w).entries {
			if e.when.inWeek() != w {
				continue
			}
			lines := fmt.Sprint(e.first)
			if e.last > e.first {
				lines += fmt.Sprintf("-%d", e.last)
			}
			found = append(found, strings.Join([]string{d.Path, lines, e.when.String(), names[e.kind], e.text}, "\t"))
		}
	}
	require.Equal(t, strings.Split(strings.TrimSpace(string(expected)), "\n"), found)
}
