package sources

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

func example() Manifest {
	m := Manifest{Format: ManifestFormat, Entries: []Entry{}}
	m.add(Entry{Source: "notes", Path: "a.md", MediaType: "text/markdown", Digest: plan.Sum([]byte("x")), Size: 1})
	m.add(Entry{Source: "notes", Path: "b.png", Size: 7, Skipped: "unsupported format .png"})
	m.add(Entry{Source: "notes", Path: ".git/", Skipped: "hidden folder", Files: 3})
	m.add(Entry{Source: "notes", Path: "closed/", Skipped: "folder cannot be read (permission denied)"})
	return m
}

func TestManifest_Canonical(t *testing.T) {
	b, err := example().Canonical()
	require.NoError(t, err)
	// The digest of "x": printf x | sha256sum.
	require.Equal(t, `{"bytes":1,"entries":[`+
		`{"digest":"sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","media_type":"text/markdown","path":"a.md","size":1,"source":"notes"},`+
		`{"path":"b.png","size":7,"skipped":"unsupported format .png","source":"notes"},`+
		`{"files":3,"path":".git/","size":0,"skipped":"hidden folder","source":"notes"},`+
		`{"path":"closed/","size":0,"skipped":"folder cannot be read (permission denied)","source":"notes"}`+
		`],"format":"holdpoint.manifest/1","read":1,"skipped":4}`, string(b))
	back, err := ParseManifest(b)
	require.NoError(t, err)
	require.Equal(t, example(), back)
}

func TestParseManifest_Refuses(t *testing.T) {
	for _, s := range []string{``, `{}`, `{"format":"holdpoint.manifest/2"}`, `{"format":"holdpoint.manifest/1","more":1}`} {
		_, err := ParseManifest([]byte(s))
		require.Error(t, err, s)
	}
	for _, more := range []string{"{}", "]", "x"} {
		_, err := ParseManifest([]byte(`{"format":"holdpoint.manifest/1"}` + more))
		require.EqualError(t, err, "manifest: something follows it", more)
	}
}

func TestManifest_ContextDigestIsOfWhatWasRead(t *testing.T) {
	digest := func(change func(*Manifest)) plan.Digest {
		m := example()
		change(&m)
		d, err := m.ContextDigest()
		require.NoError(t, err)
		return d
	}
	// printf '{"documents":[{"digest":"sha256:2d71…4881","media_type":"text/markdown","path":"a.md","source":"notes"}],"format":"holdpoint.context/1"}' | sha256sum
	same := plan.Sum([]byte(`{"documents":[{"digest":"sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881","media_type":"text/markdown","path":"a.md","source":"notes"}],"format":"holdpoint.context/1"}`))
	require.Equal(t, same, digest(func(*Manifest) {}))
	require.Equal(t, same, digest(func(m *Manifest) { m.Entries[2].Files = 4000 }))
	require.Equal(t, same, digest(func(m *Manifest) { m.Entries = m.Entries[:1] }))
	require.NotEqual(t, same, digest(func(m *Manifest) { m.Entries[0].Path = "b.md" }))
	require.NotEqual(t, same, digest(func(m *Manifest) { m.Entries[0].Source = "other" }))
	require.NotEqual(t, same, digest(func(m *Manifest) { m.Entries[0].Digest = plan.Sum([]byte("y")) }))
	require.NotEqual(t, same, digest(func(m *Manifest) { m.Entries[0].MediaType = "text/plain" }))
}

// The form is that of the whole manifest, though it is made entry by entry.
func TestManifest_CanonicalIsThatOfTheWhole(t *testing.T) {
	m := example()
	m.add(Entry{
		Source: "handbook", Path: "周报 \"x\" <&>\u2028.md", MediaType: "text/markdown", Digest: plan.Sum(nil), Encoding: "gb18030", Guessed: true,
		Replaced: 1, NULs: 2, Hidden: 3, Invisible: 4, Text: plan.Sum([]byte("y")), TextSize: 5, ETag: `"v"`, LastModified: "now",
	})
	for _, origins := range [][]Origin{nil, {
		{Source: "handbook", Kind: "git", URL: "https://git.example.com/h.git", Ref: "main", Commit: "c0ffee"},
		{Source: "up", Kind: "upload", Upload: plan.Sum([]byte("list"))},
	}} {
		m.Origins = origins
		raw, err := json.Marshal(m)
		require.NoError(t, err)
		want, err := plan.Canonicalize(raw)
		require.NoError(t, err)
		got, err := m.Canonical()
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		back, err := ParseManifest(got)
		require.NoError(t, err)
		require.Equal(t, m, back)
	}
	empty := Manifest{Format: ManifestFormat, Entries: []Entry{}}
	got, err := empty.Canonical()
	require.NoError(t, err)
	require.Equal(t, `{"bytes":0,"entries":[],"format":"holdpoint.manifest/1","read":0,"skipped":0}`, string(got))
}

func TestManifest_FromBeforeTextsWereKept(t *testing.T) {
	m, err := ParseManifest([]byte(`{"bytes":1,"entries":[{"digest":"sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",` +
		`"media_type":"text/markdown","path":"a.md","size":1,"source":"notes"}],"format":"holdpoint.manifest/1","read":1,"skipped":0}`))
	require.NoError(t, err)
	require.True(t, m.Entries[0].Text.IsZero())
	require.Empty(t, m.Entries[0].Encoding)
}
