package websource

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/workflows"
)

// attempts collect one after the other from one source, each going on where the
// one before was.
type attempts struct {
	t      *testing.T
	source *Source
	kept   shelf
	every  time.Duration
	at     workflows.CollectProgress
}

// next is one attempt, which stop may end, as the end of a worker does.
func (a *attempts) next(stop func(workflows.CollectProgress) bool) (sources.Manifest, error) {
	ctx, cancel := context.WithCancel(a.t.Context())
	defer cancel()
	from := a.at
	c := sources.Collector{Limits: wide, Store: a.kept, Every: a.every, Progress: func(p workflows.CollectProgress) {
		if a.at = p; stop != nil && stop(p) {
			cancel()
		}
	}}
	selections := []sources.Selection{{Name: "site", Source: a.source}}
	if from.Listing.Digest.IsZero() {
		return c.Collect(ctx, selections)
	}
	return c.Resume(ctx, selections, from)
}

// numbered is a site of pages, each of which says how often it was asked for.
func numbered(t *testing.T, n int) (s *site, paths []string) {
	t.Helper()
	s = newSite(t)
	for i := range n {
		path := fmt.Sprintf("/%02d.md", i)
		asked := 0
		s.pages[path] = func(w http.ResponseWriter, _ *http.Request) {
			asked++
			fmt.Fprintf(w, "version %d", asked)
		}
		paths = append(paths, path)
	}
	return s, paths
}

// One page that the server cannot give now costs the pages before it nothing:
// they are not asked for again, nor are those after it before their turn.
func TestAFailedPageIsAskedForAgainAlone(t *testing.T) {
	s, paths := numbered(t, 6)
	good, failures := s.pages["/03.md"], 2
	s.pages["/03.md"] = func(w http.ResponseWriter, r *http.Request) {
		if failures--; failures >= 0 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		good(w, r)
	}
	a := &attempts{t: t, source: s.source(t, paths...), kept: shelf{}, every: time.Hour}
	for n := range 2 {
		_, err := a.next(nil)
		require.Equal(t, faults.Transient, faults.ClassOf(err))
		require.Equal(t, 3, a.at.Saved)
		require.Equal(t, map[string]int{"GET /00.md": 1, "GET /01.md": 1, "GET /02.md": 1, "GET /03.md": n + 1}, s.asked)
	}
	m, err := a.next(nil)
	require.NoError(t, err)
	require.Equal(t, 6, m.Read)
	for _, path := range paths {
		want := 1
		if path == "/03.md" {
			want = 3
		}
		require.Equal(t, want, s.asked["GET "+path], path)
		require.Equal(t, "text/markdown: version 1", s.byPath(m, a.kept)[path])
	}
}

// A list that no attempt comes to the end of ends all the same.
func TestAListLongerThanAnAttempt(t *testing.T) {
	s, paths := numbered(t, 9)
	a := &attempts{t: t, source: s.source(t, paths...), kept: shelf{}}
	for done := 2; done < len(paths); done += 2 {
		_, err := a.next(func(p workflows.CollectProgress) bool { return p.Done == done })
		require.ErrorIs(t, err, context.Canceled)
	}
	m, err := a.next(nil)
	require.NoError(t, err)
	require.Equal(t, len(paths), m.Read)
	for _, path := range paths {
		require.Equal(t, 1, s.asked["GET "+path], path)
	}
}

// A worker whose configuration lists other pages begins anew with its own.
func TestAnotherListOfPages(t *testing.T) {
	s, paths := numbered(t, 3)
	a := &attempts{t: t, source: s.source(t, paths...), kept: shelf{}}
	_, err := a.next(func(p workflows.CollectProgress) bool { return p.Done == 1 })
	require.ErrorIs(t, err, context.Canceled)
	a.source = s.source(t, "/02.md")
	m, err := a.next(nil)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"/02.md": "text/markdown: version 1"}, s.byPath(m, a.kept))
}

// What nothing is left for is not asked for.
func TestPagesPastTheTotalLimit(t *testing.T) {
	s, paths := numbered(t, 3)
	limits := sources.Limits{MaxFileBytes: 100, MaxTotalBytes: int64(len("version 1")), MaxEntries: 10}
	m, kept, err := collect(t, s.source(t, paths...), limits)
	require.NoError(t, err)
	past := "skipped: past the total limit: of 9 bytes in all 0 are left"
	require.Equal(t, map[string]string{"/00.md": "text/markdown: version 1", "/01.md": past, "/02.md": past}, s.byPath(m, kept))
	require.Equal(t, map[string]int{"GET /00.md": 1}, s.asked)
}

// Pages in hidden folders are as hidden as files are.
func TestHiddenPagesAreNotAskedFor(t *testing.T) {
	s := newSite(t)
	s.pages["/a.md"] = says("text/markdown", "a")
	s.pages["/.well-known/x.md"] = says("text/markdown", "x")
	source := s.source(t, "/a.md", "/.git/config.md", "/.git/objects/b.md", "/docs/.hid/c.md", "/.note.md", "/.well-known/x.md")
	m, kept, err := collect(t, source, wide)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"/a.md": "text/markdown: a", "/.git/": "skipped: hidden folder", "/docs/.hid/": "skipped: hidden folder", "/.note.md": "skipped: hidden",
		"/.well-known/": "skipped: hidden folder",
	}, s.byPath(m, kept))
	require.Equal(t, 5, m.Skipped, "a hidden folder counts its pages")
	require.Equal(t, map[string]int{"GET /a.md": 1}, s.asked)

	m, err = sources.Collector{Limits: wide, Store: kept}.Collect(t.Context(), []sources.Selection{
		{Name: "site", Source: source, Path: s.host() + "/.well-known"},
	})
	require.NoError(t, err)
	require.Equal(t, 1, m.Read, "a folder that is named is not hidden")
}
