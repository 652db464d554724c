package outline

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
)

// stored is a document whose text is not in memory; read counts the times that
// it is fetched.
func stored(d planners.Document, read *int) planners.Document {
	text := d.Text
	d.Text = ""
	d.Read = func(context.Context) (string, error) {
		*read++
		return text, nil
	}
	return d
}

func TestDocumentsAreLoadedOnce(t *testing.T) {
	read := 0
	var documents []planners.Document
	for _, d := range example(t) {
		documents = append(documents, stored(d, &read))
	}
	require.Equal(t, planIt(t, request(example(t))), planIt(t, request(documents)))
	require.Equal(t, len(documents), read)
}

// What is too much is refused as soon as that is known.
func TestTooMuchIsRefusedEarly(t *testing.T) {
	read := 0
	var tooMany, tooLarge, unknown, long []planners.Document
	for i, d := range many(999) {
		tooMany = append(tooMany, stored(d, &read))
		d.Size = maxReadBytes/998 + 1
		if i < 998 {
			tooLarge = append(tooLarge, stored(d, &read))
		}
	}
	fault := refused(t, request(tooMany))
	require.Equal(t, "outline_too_many", fault.Code)
	require.Contains(t, fault.Reason, "999 documents would need more than the 1000 actions of one plan; narrow the task's include and exclude globs")
	fault = refused(t, request(tooLarge))
	require.Equal(t, "outline_too_large", fault.Code)
	require.Contains(t, fault.Reason, "the 998 documents have more than the 67108864 bytes of text that one plan is made of; narrow the task's include")
	require.Zero(t, read, "before any is read")

	blank := strings.Repeat(" ", maxReadBytes/4)
	for i := range 9 {
		unknown = append(unknown, stored(markdown(fmt.Sprintf("%d.md", i), blank), &read))
	}
	require.Equal(t, "outline_too_large", refused(t, request(unknown)).Code)
	require.Equal(t, 5, read, "four are as many bytes as are allowed")

	read = 0
	for _, d := range large(9) {
		long = append(long, stored(d, &read))
	}
	fault = refused(t, request(long))
	require.Equal(t, "outline_too_large", fault.Code)
	require.Contains(t, fault.Reason, "the pages of 7 documents have more than the 6291456 bytes that one plan carries")
	require.Equal(t, 7, read, "each fills a page of a little less than 1 MiB")
}

// A store that is away is no reason to plan without a document.
func TestDocumentThatCannotBeLoaded(t *testing.T) {
	away := errors.New("the store is away")
	d := markdown("a.md", "")
	d.Read = func(context.Context) (string, error) { return "", away }
	_, err := Planner{}.Plan(t.Context(), request([]planners.Document{markdown("b.md", "# B\n"), d}))
	require.ErrorIs(t, err, away)
}

var listedSource = regexp.MustCompile("(?m)^- \\[(.*)\\]\\(source:.*\\) `sha256:")

// An action names the documents that its page lists as its sources, but for the
// index, which lists all.
func TestActionsNameTheirDocuments(t *testing.T) {
	draft := planIt(t, request(example(t)))
	written := pagesOf(t, draft)
	for i, page := range []string{"weekly/2026-W48.md", "topics/billing.md"} {
		require.NotEmpty(t, draft.Actions[i].Documents, page)
		var listed []string
		for _, m := range listedSource.FindAllStringSubmatch(written[page].Content, -1) {
			listed = append(listed, unescape(m[1]))
		}
		require.Equal(t, listed, draft.Actions[i].Documents, page)
	}
	require.Equal(t, []string{"notes/billing.md"}, draft.Actions[1].Documents)
	require.Empty(t, draft.Actions[len(draft.Actions)-1].Documents)
}

func TestDocumentsOfAnActionAreBounded(t *testing.T) {
	var documents []planners.Document
	for i := range 150 {
		documents = append(documents, markdown(fmt.Sprintf("%03d.md", i), "- 2026-11-24: done: x\n"))
	}
	draft := planIt(t, request(documents))
	require.Equal(t, "weekly-2026-w48", draft.Actions[0].ID)
	require.Len(t, draft.Actions[0].Documents, 100)
	require.Equal(t, "notes/099.md", draft.Actions[0].Documents[99])
	r := request(documents[:2])
	r.Targets[0].Name = "kb/one.md"
	require.Equal(t, []string{"notes/000.md", "notes/001.md"}, planIt(t, r).Actions[0].Documents)
}
