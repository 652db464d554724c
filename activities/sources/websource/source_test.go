package websource

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

type shelf map[plan.Digest]string

func (s shelf) Put(_ context.Context, data []byte) (plan.Digest, error) {
	d := plan.Sum(data)
	s[d] = string(data)
	return d, nil
}

func (s shelf) Get(_ context.Context, digest plan.Digest, _ int64) ([]byte, error) {
	return []byte(s[digest]), nil
}

var wide = sources.Limits{MaxFileBytes: 1 << 20, MaxTotalBytes: 1 << 20, MaxEntries: 100}

// site is a server that answers as its pages say and counts what it is asked.
type site struct {
	*httptest.Server
	pages map[string]http.HandlerFunc
	asked map[string]int
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{pages: map[string]http.HandlerFunc{}, asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked[r.Method+" "+r.URL.Path]++
		if page := s.pages[r.URL.Path]; page != nil {
			page(w, r)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// says is a page of that text.
func says(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if contentType == "" {
			w.Header()["Content-Type"] = nil
		} else {
			w.Header().Set("Content-Type", contentType)
		}
		fmt.Fprint(w, body)
	}
}

func (s *site) host() string { return strings.TrimPrefix(s.URL, "http://") }

// source reads these pages, given as paths on the site.
func (s *site) source(t *testing.T, paths ...string) *Source {
	t.Helper()
	var pages []Page
	for _, path := range paths {
		pages = append(pages, Page{URL: s.URL + path})
	}
	source, err := New(Settings{Name: "site", Pages: pages})
	require.NoError(t, err)
	return source
}

func collect(t *testing.T, source *Source, limits sources.Limits) (sources.Manifest, shelf, error) {
	t.Helper()
	kept := shelf{}
	m, err := sources.Collector{Limits: limits, Store: kept}.Collect(t.Context(), []sources.Selection{{Name: "site", Source: source}})
	return m, kept, err
}

// byPath shows what became of each page, without the site's host.
func (s *site) byPath(m sources.Manifest, kept shelf) map[string]string {
	got := map[string]string{}
	for _, e := range m.Entries {
		path := strings.TrimPrefix(e.Path, s.host())
		if e.Skipped != "" {
			got[path] = "skipped: " + e.Skipped
			continue
		}
		got[path] = e.MediaType + ": " + kept[e.Digest]
	}
	return got
}

func TestPagesAndWhatIsNone(t *testing.T) {
	s := newSite(t)
	s.pages["/guide/"] = says("text/html; charset=utf-8", "<p>guide</p>")
	s.pages["/a.md"] = says("text/plain", "# a")
	s.pages["/b.md"] = says("application/octet-stream", "# b")
	s.pages["/c"] = says("text/x-markdown", "# c")
	s.pages["/d.json"] = says("", "{}")
	s.pages["/e"] = says("text/yaml", "a: 1")
	s.pages["/f"] = says("text/plain", "f")
	s.pages["/logo.md"] = says("image/png", "\x89PNG")
	s.pages["/bin"] = says("application/octet-stream", "\x00")
	s.pages["/empty.md"] = says("text/markdown", "")
	s.pages["/none.md"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
	s.pages["/secret.md"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }
	m, kept, err := collect(t, s.source(t, "/guide/", "/a.md?token=SECRET", "/b.md", "/c", "/d.json", "/e", "/f", "/logo.md", "/bin", "/empty.md",
		"/none.md", "/secret.md", "/gone.md#part"), wide)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"/guide/index.html": "text/html: <p>guide</p>",
		"/a.md":             "text/markdown: # a",
		"/b.md":             "text/markdown: # b",
		"/c":                "text/markdown: # c",
		"/d.json":           "application/json: {}",
		"/e":                "application/yaml: a: 1",
		"/f":                "text/plain: f",
		"/logo.md":          "skipped: unsupported format image/png",
		"/bin":              "skipped: unsupported format (no extension)",
		"/empty.md":         "skipped: empty",
		"/none.md":          "skipped: the server answered 204 No Content",
		"/secret.md":        "skipped: the server answered 403 Forbidden",
		"/gone.md":          "skipped: the server answered 404 Not Found",
	}, s.byPath(m, kept))
	raw, err := m.Canonical()
	require.NoError(t, err)
	require.NotContains(t, string(raw), "SECRET")
	require.Equal(t, []sources.Origin{{Source: "site", Kind: "http"}}, m.Origins)
	for asked := range s.asked {
		require.True(t, strings.HasPrefix(asked, "GET "), asked)
	}
}

func TestTheVersionOfAPageIsRecorded(t *testing.T) {
	s := newSite(t)
	s.pages["/a.md"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("ETag", `W/"v7"`)
		w.Header().Set("Last-Modified", "Tue, 24 Nov 2026 08:00:00 GMT")
		fmt.Fprint(w, "# a")
	}
	m, _, err := collect(t, s.source(t, "/a.md"), wide)
	require.NoError(t, err)
	require.Equal(t, `W/"v7"`, m.Entries[0].ETag)
	require.Equal(t, "Tue, 24 Nov 2026 08:00:00 GMT", m.Entries[0].LastModified)
}

// What a page leads to is read on the same host alone: a redirect must not make
// this worker ask another one.
func TestRedirects(t *testing.T) {
	inside, outside := newSite(t), newSite(t)
	outside.pages["/x.md"] = says("text/markdown", "inner network")
	inside.pages["/new.md"] = says("text/markdown", "moved")
	for path, to := range map[string]string{
		"/old.md": "/new.md", "/out.md": outside.URL + "/x.md", "/name.md": strings.Replace(inside.URL, "127.0.0.1", "localhost", 1) + "/new.md",
		"/file.md": "file:///etc/passwd", "/loop.md": "/loop.md", "/user.md": "//u:p@169.254.169.254/latest",
	} {
		inside.pages[path] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		}
	}
	m, kept, err := collect(t, inside.source(t, "/old.md", "/out.md", "/name.md", "/file.md", "/loop.md", "/user.md"), wide)
	require.NoError(t, err)
	elsewhere := "skipped: the server redirects to another host, which is not followed"
	require.Equal(t, map[string]string{
		"/old.md": "text/markdown: moved", "/out.md": elsewhere, "/name.md": elsewhere, "/file.md": elsewhere, "/user.md": elsewhere,
		"/loop.md": "skipped: the server redirects without end",
	}, inside.byPath(m, kept))
	require.Empty(t, outside.asked)
	require.Equal(t, 6, inside.asked["GET /loop.md"])
}

func TestAServerThatCannotAnswerNow(t *testing.T) {
	status := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			fmt.Fprint(w, "BODY-SECRET")
		}
	}
	for name, tc := range map[string]struct {
		page  http.HandlerFunc
		class faults.Class
		code  string
		after time.Duration
	}{
		"500":                  {status(500), faults.Transient, "http_500", 0},
		"503":                  {status(503), faults.Transient, "http_503", 0},
		"503 with Retry-After": {status(503, "Retry-After", "7"), faults.Throttled, "http_503", 7 * time.Second},
		"429":                  {status(429), faults.Throttled, "http_429", 0},
		"429 with a date": {status(429, "Date", "Tue, 24 Nov 2026 08:00:00 GMT", "Retry-After", "Tue, 24 Nov 2026 08:00:30 GMT"),
			faults.Throttled, "http_429", 30 * time.Second},
		"408": {status(408), faults.Transient, "http_408", 0},
		"cut answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "half")
		}, faults.Transient, "not_read", 0},
		"hung up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, faults.Transient, "not_read", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.pages["/a.md"] = tc.page
			_, _, err := collect(t, s.source(t, "/a.md?token=SECRET"), wide)
			var fault *faults.Fault
			require.ErrorAs(t, err, &fault)
			require.Equal(t, tc.class, fault.Class)
			require.Equal(t, tc.code, fault.Code)
			require.Equal(t, tc.after, fault.RetryAfter)
			require.Contains(t, fault.Reason, s.host())
			require.NotContains(t, fault.Error(), "SECRET")
			require.NotContains(t, fault.Error(), "a.md")
		})
	}
}

func TestAnUnreachableHost(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	source, err := New(Settings{Name: "site", Pages: []Page{{URL: "http://" + address + "/a.md?token=SECRET"}}})
	require.NoError(t, err)
	_, _, err = collect(t, source, wide)
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.NotContains(t, err.Error(), "SECRET")
}

func TestAServerThatDoesNotEnd(t *testing.T) {
	s := newSite(t)
	ended := make(chan struct{})
	s.pages["/a.md"] = func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		w.Header().Set("Content-Type", "text/markdown")
		for r.Context().Err() == nil {
			if _, err := fmt.Fprint(w, strings.Repeat("x", 4096)); err != nil {
				return
			}
		}
	}
	s.pages["/b.md"] = says("text/markdown", "b")
	m, kept, err := collect(t, s.source(t, "/a.md", "/b.md"), sources.Limits{MaxFileBytes: 10_000, MaxTotalBytes: 1 << 20, MaxEntries: 10})
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"/a.md": "skipped: too large: more than the 10000 bytes that the limits leave for it", "/b.md": "text/markdown: b",
	}, s.byPath(m, kept))
	<-ended
}

func TestAServerThatDoesNotAnswer(t *testing.T) {
	s := newSite(t)
	s.pages["/a.md"] = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	source, err := New(Settings{Name: "site", Pages: []Page{{URL: s.URL + "/a.md"}}, Timeout: 50 * time.Millisecond})
	require.NoError(t, err)
	_, _, err = collect(t, source, wide)
	require.Equal(t, faults.Transient, faults.ClassOf(err))

	ctx, cancel := context.WithCancel(t.Context())
	s.pages["/b.md"] = func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() }
	_, err = sources.Collector{Limits: wide, Store: shelf{}}.Collect(ctx, []sources.Selection{{Name: "site", Source: s.source(t, "/b.md")}})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, faults.CodeInterrupted, faults.Name(err).Code)
}

// A page is what it was when it was listed, and is asked for once.
func TestAPageIsFetchedOnce(t *testing.T) {
	s := newSite(t)
	var version atomic.Int32
	for _, path := range []string{"/a.md", "/b.md"} {
		s.pages[path] = func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s, version %d", r.URL.Path, version.Add(1))
		}
	}
	source := s.source(t, "/b.md", "/a.md")
	selections := []sources.Selection{{Name: "site", Source: source}}
	kept := shelf{}
	ctx, cancel := context.WithCancel(t.Context())
	var at workflows.CollectProgress
	_, err := sources.Collector{Limits: wide, Store: kept, Progress: func(p workflows.CollectProgress) {
		if at = p; p.Done == 1 {
			cancel()
		}
	}}.Collect(ctx, selections)
	require.ErrorIs(t, err, context.Canceled)
	m, err := sources.Collector{Limits: wide, Store: kept}.Resume(t.Context(), selections, at)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"/a.md": "text/markdown: /a.md, version 1", "/b.md": "text/markdown: /b.md, version 2"}, s.byPath(m, kept))
	require.Equal(t, map[string]int{"GET /a.md": 1, "GET /b.md": 1}, s.asked)
}

func TestGlobsKeepPagesFromBeingAskedFor(t *testing.T) {
	s := newSite(t)
	s.pages["/docs/a.md"] = says("text/markdown", "a")
	m, err := sources.Collector{Limits: wide, Store: shelf{}}.Collect(t.Context(), []sources.Selection{{
		Name: "site", Source: s.source(t, "/docs/a.md", "/docs/private/b.md", "/c.md"), Path: s.host() + "/docs", Exclude: []string{"private"},
	}})
	require.NoError(t, err)
	require.Len(t, m.Entries, 1)
	require.Equal(t, map[string]int{"GET /docs/a.md": 1}, s.asked)
}

func TestPagesThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		settings Settings
		says     string
	}{
		"none":             {Settings{}, "urls is empty"},
		"a file":           {Settings{Pages: []Page{{URL: "file:///etc/passwd"}}}, "url 1 begins with neither"},
		"no host":          {Settings{Pages: []Page{{URL: "https:///x"}}}, "has no host"},
		"a password":       {Settings{Pages: []Page{{URL: "https://u:SECRET@x.example/"}}}, "has a user in it"},
		"no encryption":    {Settings{Pages: []Page{{URL: "http://x.example/"}}}, "is not encrypted"},
		"another host":     {Settings{Pages: []Page{{URL: "https://x.example/"}, {URL: "https://y.example/?SECRET"}}, Allow: []string{"X.example"}}, "url 2 is on y.example, which is not among"},
		"another port":     {Settings{Pages: []Page{{URL: "https://x.example:8443/"}}, Allow: []string{"x.example"}}, "is on x.example:8443"},
		"two of one path":  {Settings{Pages: []Page{{URL: "https://x.example/l?page=1"}, {URL: "https://x.example/l?page=SECRET"}}}, `two urls have the path "x.example/l"`},
		"a path that ends": {Settings{Pages: []Page{{URL: "https://x.example/l", Path: "../l.md"}}}, "has a path that no file could have"},
		"dots in the URL":  {Settings{Pages: []Page{{URL: "https://x.example/%2e%2e/%2e%2e/l"}}}, "has a path that no file could have"},
		"no URL":           {Settings{Pages: []Page{{URL: "https://x.example/%zz?SECRET"}}}, "url 1 is no URL"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(tc.settings)
			require.ErrorContains(t, err, tc.says)
			require.NotContains(t, err.Error(), "SECRET")
		})
	}
	_, err := New(Settings{Pages: []Page{{URL: "http://x.example/"}, {URL: "https://x.example:8443/a?page=2", Path: "a-2.md"}}, Unencrypted: true})
	require.NoError(t, err)
	u, err := url.Parse("https://X.example:443/")
	require.NoError(t, err)
	same, err := url.Parse("https://X.example/")
	require.NoError(t, err)
	require.True(t, sameOrigin(u, same))
}
