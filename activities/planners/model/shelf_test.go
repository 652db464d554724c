package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
)

// inMemory is the rule at Limits, for documents that are all in memory: what is
// chosen of documents that are loaded one by one has to be the same.
func inMemory(t require.TestingT, p *Planner, documents []planners.Document, room weight) choice {
	var c choice
	var texts []weight
	frames, needed := weight(0), weight(0)
	for i, d := range documents {
		e := excerpt{Name: quoted(actions.Name(d)), MediaType: d.MediaType, Text: strings.TrimSuffix(readable(d.Text), "\n")}
		frame, err := p.frame(e, countLines(e.Text))
		require.NoError(t, err)
		text := weightOf(e.Text)
		if needed += frame + min(text, leastShare); needed > room {
			for _, d := range documents[i:] {
				c.left = append(c.left, shortName(d))
			}
			break
		}
		frames += frame
		texts = append(texts, text)
		c.shown = append(c.shown, e)
	}
	share := shareOf(texts, room-frames)
	for i := range c.shown {
		if texts[i] > share {
			e := &c.shown[i]
			e.Text, e.Cut = cutText(e.Text, countLines(e.Text), share)
			c.cut = append(c.cut, shortName(documents[i])+" ("+e.Cut+")")
		}
	}
	return c
}

// Documents of all lengths, in whatever order, are shared out as if all were
// there at once; and at no time is more kept than can be shown.
func TestDocumentsThatAreLoadedOneByOneAreSharedOutAlike(t *testing.T) {
	p := framed(t)
	rapid.Check(t, func(t *rapid.T) {
		var documents []planners.Document
		for i := range rapid.IntRange(0, 40).Draw(t, "documents") {
			line := rapid.SampledFrom([]string{"a line of words\n", "周报和数据\n", "\n", "é", "one long line without an end "}).Draw(t, "line")
			text := strings.Repeat(line, rapid.IntRange(0, 400).Draw(t, "lines"))
			documents = append(documents, document(fmt.Sprintf("%02d.md", i), text))
		}
		room := weight(rapid.IntRange(0, 40_000).Draw(t, "room"))
		want := inMemory(t, p, documents, room)
		got, err := p.choose(context.Background(), documents, room)
		require.NoError(t, err)
		require.Equal(t, want, got)

		s := shelf{planner: p, room: room}
		for _, d := range documents {
			fits, err := s.take(d, d.Text)
			require.NoError(t, err)
			if !fits {
				break
			}
			kept := 0
			for _, taken := range s.taken {
				kept += len(taken.Text)
			}
			require.LessOrEqual(t, kept, int(room))
		}
	})
}

// loads are documents that note who was loaded, in order.
func loads(n int, text string) (documents []planners.Document, loaded *[]string) {
	loaded = new([]string)
	for i := range n {
		d := document(fmt.Sprintf("%03d.md", i), "")
		d.Read = func(context.Context) (string, error) {
			*loaded = append(*loaded, d.Path)
			return text, nil
		}
		documents = append(documents, d)
	}
	return documents, loaded
}

func TestDocumentsBehindTheLastThatFitsAreNotLoaded(t *testing.T) {
	documents, loaded := loads(500, strings.Repeat("a line of this document\n", 1000))
	c, err := framed(t).choose(t.Context(), documents, 8000)
	require.NoError(t, err)
	// Each needs 800 and a frame of about 160: 8 fit, and one more is looked at.
	require.Len(t, c.shown, 8)
	require.Len(t, *loaded, 9, "each once")
	require.True(t, slices.IsSorted(*loaded))
	require.Equal(t, "008.md", (*loaded)[8])
	require.Len(t, c.left, 492)

	documents, loaded = loads(500, "short")
	c, err = framed(t).choose(t.Context(), documents, 1<<20)
	require.NoError(t, err)
	require.Empty(t, c.cut)
	require.Len(t, *loaded, 500)
}

func TestDocumentThatCannotBeLoadedEndsTheQuestion(t *testing.T) {
	documents, loaded := loads(3, "short")
	fault := &faults.Fault{Class: faults.Transient, Code: "blobs_unreachable", Reason: "later"}
	documents[1].Read = func(context.Context) (string, error) { return "", fault }
	_, err := framed(t).choose(t.Context(), documents, 8000)
	require.ErrorIs(t, err, fault)
	require.Equal(t, []string{"000.md"}, *loaded)
}
