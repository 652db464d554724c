package websource

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// The server knows in which charset its pages are.
func TestTheCharsetThatTheServerSays(t *testing.T) {
	s := newSite(t)
	s.pages["/sjis.html"] = says("text/html; charset=Shift_JIS", "<p>\x93\xfa\x96\x7b\x8c\xea</p>")
	s.pages["/latin.html"] = says("text/html; charset=windows-1252", "<p>d\xe9j\xe0 vu \xe0 l\x92\xe9t\xe9</p>")
	s.pages["/gbk.html"] = says("text/html; charset=gbk", "<p>\xc4\xe3\xba\xc3</p>")
	s.pages["/utf8.md"] = says(`text/plain; charset="UTF-8"`, "你好")
	s.pages["/mark.md"] = says("text/markdown; charset=gbk", "\xef\xbb\xbf你好")
	s.pages["/none.md"] = says("text/markdown", "\xc4\xe3\xba\xc3")
	s.pages["/odd.md"] = says("text/markdown; charset=x-klingon", "nuqneH")
	m, kept, err := collect(t, s.source(t, "/sjis.html", "/latin.html", "/gbk.html", "/utf8.md", "/mark.md", "/none.md", "/odd.md"), wide)
	require.NoError(t, err)
	type page struct {
		text, encoding string
		guessed        bool
	}
	got := map[string]page{}
	for _, e := range m.Entries {
		text := e.Text
		if text.IsZero() {
			text = e.Digest
		}
		got[strings.TrimPrefix(e.Path, s.host())] = page{kept[text], e.Encoding, e.Guessed}
	}
	require.Equal(t, map[string]page{
		"/sjis.html":  {"日本語", "shift_jis", false},
		"/latin.html": {"déjà vu à l’été", "windows-1252", false},
		"/gbk.html":   {"你好", "gb18030", false},
		"/utf8.md":    {"你好", "utf-8", false},
		"/mark.md":    {"你好", "utf-8-bom", false},
		"/none.md":    {"你好", "gb18030", true}, // nobody says it
		"/odd.md":     {"", "", false},
	}, got)
	require.Equal(t, "skipped: the charset x-klingon is not read", s.byPath(m, kept)["/odd.md"])
}

// headers answers with a header of the size that the page's name says: one field,
// or many.
func headers(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/one.md":
		w.Header().Set("X-Big", strings.Repeat("SECRET", 40_000))
	case "/many.md", "/too-many.md":
		fields := map[string]int{"/many.md": 100, "/too-many.md": 1000}[r.URL.Path]
		for n := range fields {
			w.Header().Set(fmt.Sprintf("X-Big-%d", n), strings.Repeat("SECRET", 200))
		}
	case "/below.md":
		w.Header().Set("X-Big", strings.Repeat("x", maxHeaderBytes-1000))
	}
	w.Header().Set("Content-Type", "text/markdown")
	_, _ = w.Write([]byte("page"))
}

// overTLS is a source of pages of a server with a certificate of its own.
func overTLS(t *testing.T, server *httptest.Server, pages ...string) *Source {
	t.Helper()
	settings := Settings{Name: "site"}
	for _, page := range pages {
		settings.Pages = append(settings.Pages, Page{URL: server.URL + page})
	}
	source, err := New(settings)
	require.NoError(t, err, "%v", errors.Unwrap(err))
	transport, ok := source.client.Transport.(*http.Transport)
	require.True(t, ok)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	return source
}

// Asking again makes no header smaller.
func TestAHeaderThatIsTooLarge(t *testing.T) {
	pages := []string{"/one.md", "/many.md", "/below.md", "/plain.md"}
	for version, protocol := range map[int][]string{1: append(slices.Clone(pages), "/too-many.md"), 2: pages} {
		t.Run(fmt.Sprint("HTTP/", version), func(t *testing.T) {
			asked := map[string]int{}
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked[fmt.Sprintf("%d %s", r.ProtoMajor, r.URL.Path)]++
				headers(w, r)
			}))
			server.EnableHTTP2 = version == 2
			server.StartTLS()
			t.Cleanup(server.Close)
			m, _, err := collect(t, overTLS(t, server, protocol...), wide)
			require.NoError(t, err, "%v", errors.Unwrap(err))
			require.Len(t, m.Entries, len(protocol))
			for _, e := range m.Entries {
				want := "the server's header has more than 65536 bytes"
				if strings.HasSuffix(e.Path, "/below.md") || strings.HasSuffix(e.Path, "/plain.md") {
					want = ""
				}
				require.Equal(t, want, e.Skipped, e.Path)
			}
			once := map[string]int{}
			for _, page := range protocol {
				once[fmt.Sprintf("%d %s", version, page)] = 1
			}
			require.Equal(t, once, asked)
		})
	}
}

// What else is broken about an answer says nothing of the page: it is asked for
// again, and not skipped with a reason that is not so.
func TestAnAnswerThatIsBroken(t *testing.T) {
	const settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00" // RFC 9113, 6.5
	for name, frame := range map[string]string{
		"a header of no stream":           "\x00\x00\x01\x01\x04\x00\x00\x00\x00\x88",
		"a header that cannot be decoded": "\x00\x00\x01\x01\x05\x00\x00\x00\x01\xff",
		"data of no stream":               "\x00\x00\x01\x00\x00\x00\x00\x00\x00x",
		"goodbye":                         "\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01",
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(nil)
			server.EnableHTTP2 = true
			server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
				"h2": func(_ *http.Server, conn *tls.Conn, _ http.Handler) {
					_, _ = conn.Write([]byte(settings))
					_, _ = io.ReadFull(conn, make([]byte, 24+9)) // the client's preface, and the beginning of its settings
					_, _ = conn.Write([]byte(frame))
					_, _ = io.Copy(io.Discard, conn)
				},
			}
			server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}}
			server.StartTLS()
			t.Cleanup(server.Close)
			_, _, err := collect(t, overTLS(t, server, "/a.md"), wide)
			fault, ok := errors.AsType[*faults.Fault](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, "not_read", fault.Code)
			require.Equal(t, faults.Transient, fault.Class)
			require.True(t, strings.HasSuffix(fault.Reason, ": no whole answer came"), fault.Reason)
		})
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(headers))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	_, _, err := collect(t, overTLS(t, server, "/too-many.md"), wide)
	require.Equal(t, faults.Transient, faults.ClassOf(err), "nobody can tell that it is for its size")
}

// A server that says when to come again is not asked before; not for ever, or a
// run would wait as long as somebody else likes.
func TestAServerThatAsksForPatience(t *testing.T) {
	for after, wait := range map[string]time.Duration{
		"30": 30 * time.Second, "60": time.Minute, "300": 5 * time.Minute, "600": 10 * time.Minute, "86400": 10 * time.Minute,
	} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			s := newSite(t)
			s.pages["/a.md"] = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", after)
				w.WriteHeader(status)
			}
			_, _, err := collect(t, s.source(t, "/a.md"), wide)
			require.Equal(t, faults.Throttled, faults.ClassOf(err))
			retry := faults.DefaultRetry()
			if paced, ok := errors.AsType[*faults.Paced](err); ok {
				retry = paced.Retry
			}
			fault, ok := errors.AsType[*faults.Fault](err)
			require.True(t, ok)
			require.Equal(t, wait, retry.Delay(1, fault.RetryAfter), after)
		}
	}
}
