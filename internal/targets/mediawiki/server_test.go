package mediawiki_test

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/targets/mediawiki"
)

func TestAWikiCountsRevisionsBySummary(t *testing.T) {
	wiki := mediawiki.Start(t, mediawiki.Options{})
	first, err := wiki.Edit(t.Context(), "Roadmap", "one", "draft (k1)")
	require.NoError(t, err)
	second, err := wiki.Edit(t.Context(), "Roadmap", "two", "review (k2)")
	require.NoError(t, err)

	found, err := wiki.Revisions(t.Context(), "k2")
	require.NoError(t, err)
	require.Equal(t, []mediawiki.Revision{{ID: second, Parent: first, Page: "Roadmap", Summary: "review (k2)"}}, found)
	found, err = wiki.Revisions(t.Context(), "k3")
	require.NoError(t, err)
	require.Empty(t, found)

	text, revision, err := wiki.Text(t.Context(), "Roadmap")
	require.NoError(t, err)
	require.Equal(t, "two", text)
	require.Equal(t, second, revision)
	_, _, err = wiki.Text(t.Context(), "Budget")
	require.ErrorContains(t, err, "no page")
}

// This is why merging is off: the wiki that merges saves a text that neither
// of the two has sent.
func TestAWikiThatMergesSavesWhatNobodySent(t *testing.T) {
	wiki := mediawiki.Start(t, mediawiki.Options{Merge: true})
	base, err := wiki.Edit(t.Context(), "Roadmap", "One.\n\nTwo.\n\nThree.", "draft")
	require.NoError(t, err)
	_, err = wiki.Edit(t.Context(), "Roadmap", "One.\n\nTwo.\n\nTheir three.", "theirs")
	require.NoError(t, err)

	answer, err := http.PostForm(wiki.URL()+"/api.php", url.Values{
		"action": {"edit"}, "format": {"json"}, "title": {"Roadmap"}, "text": {"Our one.\n\nTwo.\n\nThree."},
		"summary": {"ours"}, "baserevid": {strconv.FormatInt(base, 10)}, "token": {`+\`},
	})
	require.NoError(t, err)
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"result":"Success"`)
	text, _, err := wiki.Text(t.Context(), "Roadmap")
	require.NoError(t, err)
	require.Equal(t, "Our one.\n\nTwo.\n\nTheir three.", text)
}
