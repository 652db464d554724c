package evidence

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// The digest of what was read is the collector's own, of which this package only
// knows the rule.
func TestContextDigestIsTheCollectors(t *testing.T) {
	for name, entries := range map[string][]sources.Entry{
		"nothing": {},
		"read and skipped": {
			{Source: "notes", Path: "a.md", MediaType: "text/markdown", Digest: plan.Sum([]byte("a")), Size: 1},
			{Source: "notes", Path: "b/", Skipped: "hidden", Files: 3},
			{Source: "more", Path: "支付.md", MediaType: "text/markdown", Digest: plan.Sum([]byte("b")), Size: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := sources.Manifest{Format: sources.ManifestFormat, Entries: entries}
			want, err := m.ContextDigest()
			require.NoError(t, err)
			raw, err := m.Canonical()
			require.NoError(t, err)
			got, err := contextDigest(raw)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
	_, err := contextDigest([]byte(`{"format":"holdpoint.manifest/2","entries":[]}`))
	require.ErrorContains(t, err, "holdpoint.manifest/1")
}
