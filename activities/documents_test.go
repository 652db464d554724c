package activities_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// reading is a planner that looks at what it is given before it proposes.
type reading struct {
	proposing

	look func(context.Context, planners.Request)
}

func (r reading) Plan(ctx context.Context, q planners.Request) (planners.Draft, error) {
	r.look(ctx, q)
	return r.proposing.Plan(ctx, q)
}

// planOf makes the plan of a manifest, by a planner that looks at it first.
func (h *house) planOf(m sources.Manifest, look func(context.Context, planners.Request)) plan.Plan {
	h.t.Helper()
	m.Format, m.Read = sources.ManifestFormat, len(m.Entries)
	raw, err := m.Canonical()
	require.NoError(h.t, err)
	digest, err := h.acts.Blobs.Put(h.t.Context(), tenant, raw)
	require.NoError(h.t, err)
	h.acts.Planners["outline"] = reading{proposing{page("a", "kb", "a.md", "# A\n")}, look}
	made, err := h.plan(workflows.CollectContextResult{Manifest: workflows.BlobRef{Digest: digest, Size: int64(len(raw))}})
	require.NoError(h.t, err)
	return h.document(made)
}

func (h *house) stored(content string) plan.Digest {
	h.t.Helper()
	digest, err := h.acts.Blobs.Put(h.t.Context(), tenant, []byte(content))
	require.NoError(h.t, err)
	return digest
}

// Three documents: one of which the text is the bytes, one of which it is not,
// and one of a manifest from before texts were stored.
func TestDocumentsAreFetchedWhenTheyAreRead(t *testing.T) {
	h := newHouse(t)
	same, bytes, text, old := h.stored("# 周报\n"), h.stored("# B\r\n"), h.stored("# B\n"), h.stored("# C\r\n\x00")
	m := sources.Manifest{Entries: []sources.Entry{
		{Source: "notes", Path: "a.md", MediaType: "text/markdown", Digest: same, Size: 9, Encoding: "utf-8"},
		{Source: "notes", Path: "b.md", MediaType: "text/markdown", Digest: bytes, Size: 5, Encoding: "utf-8", Text: text, TextSize: 4},
		{Source: "notes", Path: "c.md", MediaType: "text/markdown", Digest: old, Size: 6},
	}}
	looked := false
	h.planOf(m, func(ctx context.Context, r planners.Request) {
		looked = true
		require.Len(t, r.Documents, 3)
		for i, want := range []struct {
			text, bytes string
			size        int64
		}{{"# 周报\n", "# 周报\n", 9}, {"# B\n", "# B\r\n", 4}, {"# C\n", "# C\r\n\x00", 0}} {
			d := r.Documents[i]
			require.Empty(t, d.Text, "it is not in memory")
			require.Equal(t, want.size, d.Size)
			read, err := d.Load(ctx)
			require.NoError(t, err)
			require.Equal(t, want.text, read)
			raw, err := d.Bytes(ctx)
			require.NoError(t, err)
			require.Equal(t, want.bytes, string(raw))
		}
	})
	require.True(t, looked)
}

// Of 3,000 documents that were all read with trouble, of every kind, a plan has
// one note for each kind.
func TestNotesAreBounded(t *testing.T) {
	h := newHouse(t)
	at := h.stored("x")
	var m sources.Manifest
	for i := range 3000 {
		m.Entries = append(m.Entries, sources.Entry{
			Source: "notes", Path: fmt.Sprintf("%04d.txt", i), MediaType: "text/plain", Digest: at, Size: 1,
			Encoding: "gb18030", Guessed: true, Replaced: 1, NULs: 2, Hidden: 3, Invisible: 4,
		})
	}
	p := h.planOf(m, func(_ context.Context, r planners.Request) { require.Len(t, r.Documents, 3000) })
	require.Len(t, p.Notes, 5)
	for i, want := range []string{
		"nothing in it proves the encoding, which was taken to be the one named, in 3000 of the documents: notes/0000.txt (GB18030), ",
		"bytes that do not decode were replaced, in 3000 of the documents: notes/0000.txt (1 that are no GB18030), ",
		"NUL characters were removed, in 3000 of the documents: notes/0000.txt (2), ",
		"comments or hidden elements were left out, in 3000 of the documents: notes/0000.txt (3), ",
		"invisible characters were removed, in 3000 of the documents: notes/0000.txt (4), ",
	} {
		require.True(t, strings.HasPrefix(p.Notes[i], want), p.Notes[i])
		require.Contains(t, p.Notes[i], "notes/0019.txt")
		require.NotContains(t, p.Notes[i], "notes/0020.txt")
		require.True(t, strings.HasSuffix(p.Notes[i], " and 2980 more"), p.Notes[i])
	}
}

// Of an old manifest only the bytes know how they were read.
func TestNotesOfAnOldManifest(t *testing.T) {
	h := newHouse(t)
	m := sources.Manifest{Entries: []sources.Entry{
		{Source: "notes", Path: "a\u202e.md", MediaType: "text/markdown", Digest: h.stored("a\x00b\xff."), Size: 5},
		{Source: "notes", Path: "b.pdf", MediaType: "application/pdf", Digest: h.stored("no PDF"), Size: 6},
		{Source: "notes", Path: "c.md", MediaType: "text/markdown", Digest: h.stored("c"), Size: 1},
	}}
	p := h.planOf(m, func(ctx context.Context, r planners.Request) {
		read, err := r.Documents[0].Load(ctx)
		require.NoError(t, err)
		require.Equal(t, "ab\uFFFD.", read)
	})
	require.Len(t, p.Notes, 4)
	require.Regexp(t, `^not read, in 1 of the documents: notes/b\.pdf \(.+\)$`, p.Notes[0])
	require.Equal(t, []string{
		`nothing in it proves the encoding, which was taken to be the one named, in 1 of the documents: notes/a\u{202E}.md (UTF-8)`,
		`bytes that do not decode were replaced, in 1 of the documents: notes/a\u{202E}.md (1 that are no UTF-8)`,
		`NUL characters were removed, in 1 of the documents: notes/a\u{202E}.md (1)`,
	}, p.Notes[1:])
}
